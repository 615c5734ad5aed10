package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NewestVersionTest {
    private final NewestVersion newest = new NewestVersion();

    private static ServiceState version(String resourceVersion) {
        return SampleService.named(new ServiceKey("prod", "web"), "u1")
                .resourceVersion(resourceVersion)
                .build();
    }

    @Test
    void cacheThatLagsBehindAnAnswer_isNotPlannedFrom() {
        newest.read(version("20"));

        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));
        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));
        assertThat(newest.of(() -> Optional.of(version("21"))).service()).contains(version("21"));
    }

    @Test
    void answer_isForgotten_onceTheCacheHasIt_andThePassSaysSo() {
        newest.read(version("20"));

        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));
        NewestVersion.Newest cached = newest.of(() -> Optional.of(version("20")));
        assertThat(cached).isEqualTo(new NewestVersion.Newest(Optional.of(version("20")), true));
        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));

        newest.cacheCaughtUp();

        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("9"));
    }

    @Test
    void serviceThatIsGoneFromTheCache_isGone() {
        newest.read(version("20"));

        assertThat(newest.of(Optional::empty).service()).isEmpty();
    }

    @Test
    void echoOfOurWrite_isNoNewsOnce_butWhatALiveReadFoundIs() {
        newest.wrote(version("20"));
        assertThat(newest.takeEcho("u1", "20")).isTrue();
        assertThat(newest.takeEcho("u1", "20")).isFalse();

        newest.read(version("30"));
        assertThat(newest.takeEcho("u1", "30")).isFalse();
    }

    @Test
    void echoThatComesBeforeTheAnswer_isNoNewsEither_andTheCacheHasTheAnswer() {
        newest.begins();
        assertThat(newest.takeEcho("u1", "20")).isTrue();
        newest.wrote(version("20"));

        assertThat(newest.ends()).isFalse();
        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("9"));
        assertThat(newest.takeEcho("u1", "20")).isFalse();
    }

    @Test
    void otherEventDuringAWrite_isNewsOnceTheWriteIsOver() {
        newest.begins();
        assertThat(newest.takeEcho("u1", "19")).isTrue();
        newest.wrote(version("20"));

        assertThat(newest.ends()).isTrue();
        assertThat(newest.takeEcho("u1", "20")).isTrue();
    }

    @Test
    void eventDuringAWriteWhoseAnswerIsLost_isNews() {
        newest.begins();
        assertThat(newest.takeEcho("u1", "20")).isTrue();

        assertThat(newest.ends()).isTrue();
        assertThat(newest.ends()).isFalse();
        assertThat(newest.takeEcho("u1", "20")).isFalse();
    }

    @Test
    void ofTwoEventsDuringAWrite_oneIsNewsAtOnce() {
        newest.begins();
        assertThat(newest.takeEcho("u1", "19")).isTrue();
        assertThat(newest.takeEcho("u1", "20")).isFalse();
        newest.wrote(version("20"));

        assertThat(newest.ends()).isTrue();
    }

    /** For each Service that is served this would be a second copy of it, for as long as nothing happens to it. */
    @Test
    void answer_isForgotten_onceItsEventHasCome_butNoNewerOne() {
        newest.wrote(version("20"));
        newest.takeEcho("u1", "20");
        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("9"));

        newest.wrote(version("30"));
        newest.read(version("40"));
        newest.takeEcho("u1", "30");
        assertThat(newest.of(() -> Optional.of(version("30"))).service()).contains(version("40"));
    }

    /** Else a pass would go on by what the cache had before, and no event would bring another. */
    @Test
    void answerWhoseEventComesWhileTheCacheIsRead_isPlannedFrom() {
        newest.wrote(version("20"));

        assertThat(newest.of(() -> {
                            Optional<ServiceState> before = Optional.of(version("9"));
                            assertThat(newest.takeEcho("u1", "20")).isTrue();
                            return before;
                        })
                        .service())
                .contains(version("20"));
    }
}
