package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NewestVersionTest {
    private final NewestVersion newest = new NewestVersion();

    private static ServiceState version(String resourceVersion) {
        return version("u1", resourceVersion);
    }

    private static ServiceState version(String uid, String resourceVersion) {
        return SampleService.named(new ServiceKey("prod", "web"), uid)
                .resourceVersion(resourceVersion)
                .build();
    }

    private void readLive(String resourceVersion, String cached) {
        newest.read(Optional.of(version(resourceVersion)), () -> Optional.of(version(cached)));
    }

    @Test
    void cacheThatLagsBehindAnAnswer_isNotPlannedFrom() {
        readLive("20", "9");

        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));
        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));
        assertThat(newest.of(() -> Optional.of(version("21"))).service()).contains(version("21"));
    }

    @Test
    void answer_isForgotten_onceTheCacheHasIt_andThePassSaysSo() {
        readLive("20", "9");

        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));
        NewestVersion.Newest cached = newest.of(() -> Optional.of(version("20")));
        assertThat(cached).isEqualTo(new NewestVersion.Newest(Optional.of(version("20")), true));
        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("20"));

        newest.cacheHas(Optional.of(version("20")));

        assertThat(newest.of(() -> Optional.of(version("9"))).service()).contains(version("9"));
    }

    @Test
    void serviceThatIsGoneFromTheCache_isGone() {
        readLive("20", "9");

        assertThat(newest.of(Optional::empty).service()).isEmpty();
    }

    /** It was recreated twice, and the cache hears of one after the other. */
    @Test
    void serviceThatALiveReadFound_isNewerThanAnEarlierOneOfTheName_thatTheCacheHearsOfLater() {
        newest.read(Optional.of(version("u3", "30")), () -> Optional.of(version("9")));
        newest.cacheHas(Optional.empty());

        NewestVersion.Newest then = newest.of(() -> Optional.of(version("u2", "20")));

        assertThat(then).isEqualTo(new NewestVersion.Newest(Optional.of(version("u3", "30")), false));
        assertThat(newest.isUnheardOf()).isTrue();
    }

    @Test
    void serviceThatALiveReadFound_andThatTheNextDoesNot_isForgotten() {
        newest.read(Optional.of(version("u3", "30")), () -> Optional.of(version("9")));
        newest.cacheHas(Optional.empty());
        newest.read(Optional.empty(), Optional::empty);

        assertThat(newest.of(() -> Optional.of(version("u2", "20"))).service()).contains(version("u2", "20"));
        assertThat(newest.isUnheardOf()).isFalse();
    }

    @Test
    void echoOfOurWrite_isNoNewsOnce_butWhatALiveReadFoundIs() {
        newest.wrote(version("20"));
        assertThat(newest.takeEcho("u1", "20")).isTrue();
        assertThat(newest.takeEcho("u1", "20")).isFalse();

        readLive("30", "9");
        assertThat(newest.takeEcho("u1", "30")).isFalse();
    }

    /** Others' changes are in it: who looked for the Service in the cache since may not have found it. */
    @Test
    void echoOfAWrite_isNews_ifTheCacheHadNotWhatALiveReadFoundBefore() {
        readLive("20", "9");
        newest.wrote(version("21"));
        assertThat(newest.takeEcho("u1", "21")).isFalse();

        newest.begins();
        newest.takeEcho("u1", "22");
        newest.wrote(version("22"));
        assertThat(newest.ends()).isTrue();

        newest.cacheHas(Optional.of(version("22")));
        readLive("30", "30");
        newest.wrote(version("31"));
        assertThat(newest.takeEcho("u1", "31")).isTrue();

        newest.read(Optional.of(version("40")), () -> {
            throw new Unreadable("spec.type is \"Odd\"");
        });
        newest.wrote(version("41"));
        assertThat(newest.takeEcho("u1", "41")).isFalse();
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
        readLive("40", "9");
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
