package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Next;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceConditions;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator's clock is set forward or back; no delay gets longer or shorter by it. */
class SetClockTest extends CloudStage {
    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void backOff_takesAsLongAsItWas_whenTheClockIsSet(int hours) {
        cloud.ensureFails = new ProviderException("quota exceeded");
        create("web");
        Duration delay = reconcile("web").delay().orElseThrow();
        cloud.ensureFails = null;

        ahead = Duration.ofHours(hours);

        assertThat(reconcile("web")).isEqualTo(Next.after(delay));
        clock = clock.plus(delay);
        assertThat(reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(service("web").ingress()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void pendingAnswer_isAskedForInItsTime_whenTheClockIsSet(int hours) {
        cloud.answer = EnsureOutcome.pending(Duration.ofSeconds(7), "being made");
        create("web");
        reconcile("web");

        ahead = Duration.ofHours(hours);

        assertThat(reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(7)));
        cloud.answer = null;
        clock = clock.plusSeconds(7);
        assertThat(reconcile("web")).isEqualTo(Next.ON_EVENT);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void statusThatAnotherKeepsWriting_isLetStandForNoLonger_whenTheClockIsSet(int hours) {
        served("web");
        overwrite();
        overwrite();
        Duration wait = overwrite().delay().orElseThrow();

        ahead = Duration.ofHours(hours);

        assertThat(reconcile("web").delay().orElseThrow()).isLessThanOrEqualTo(wait);
        assertThat(service("web").ingress()).extracting(Object::toString).containsExactly("198.51.100.9");
        clock = clock.plus(wait);
        reconcile("web");
        assertThat(service("web").ingress()).extracting(Object::toString).containsExactly("203.0.113.1 (Proxy)");
    }

    private Next overwrite() {
        cluster.put(key("web"), SampleService.from(service("web")).ingress("198.51.100.9"));
        return reconcile("web");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void conflictThatWasSaid_isOverTenMinutesLater_whenTheClockIsSet(int hours) {
        served("web");
        overwrite();
        overwrite();
        clock = clock.plus(overwrite().delay().orElseThrow());
        reconcile("web");
        assertThat(service("web").condition(WellKnownNames.STATUS_CONFLICT)).isPresent();

        ahead = Duration.ofHours(hours);
        clock = clock.plus(ServiceConditions.OVERWRITES_WITHIN).plusSeconds(1);
        reconcile("web");

        assertThat(service("web").condition(WellKnownNames.STATUS_CONFLICT)).isEmpty();
    }
}
