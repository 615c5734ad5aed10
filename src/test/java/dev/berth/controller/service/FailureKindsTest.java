package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ProviderException;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What each kind of failure of a provider means for the next try, and what users read. */
class FailureKindsTest extends CloudStage {
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(5);

    private Condition programmed() {
        return service("web").condition(WellKnownNames.PROGRAMMED).orElseThrow();
    }

    /** As its timer does, however often it asks to be. */
    private int callsWithin(Duration span) {
        int before = cloud.calls.size();
        for (Duration passed = Duration.ZERO; passed.compareTo(span) < 0; passed = passed.plusMinutes(1)) {
            clock = clock.plus(Duration.ofMinutes(1));
            reconcile("web");
        }
        return cloud.calls.size() - before;
    }

    @Test
    void permanent_isNotRepeatedBeforeAnHour_andTheConditionSaysSo() {
        cloud.ensureFails = ProviderException.permanent("no load balancer has 70 ports; use fewer");
        create("web");

        assertThat(reconcile("web").delay()).contains(Duration.ofHours(1));

        assertThat(programmed().reason()).isEqualTo("EnsureRejected");
        assertThat(programmed().message())
                .isEqualTo("ensuring load balancer \"uid-web\" for prod/web: no load balancer has 70 ports; use fewer");
        assertThat(callsWithin(Duration.ofMinutes(59))).isZero();
        assertThat(callsWithin(Duration.ofMinutes(2))).isEqualTo(1);
    }

    @Test
    void permanent_isTriedAtOnce_whenTheServiceChanges() {
        cloud.ensureFails = ProviderException.permanent("use fewer ports");
        create("web");
        reconcile("web");

        cloud.ensureFails = null;
        put(SampleService.from(service("web")).labels(Map.of("app", "web")));
        reconcile("web");

        assertThat(cloud.calls).hasSize(2);
        assertThat(service("web").condition(WellKnownNames.PROGRAMMED)).isEmpty();
        assertThat(service("web").ingress()).isNotEmpty();
    }

    @Test
    void permanent_withADelay_isTriedExactlyAfterIt() {
        cloud.ensureFails = ProviderException.permanent("in maintenance").withRetryAfter(Duration.ofSeconds(40));
        create("web");

        assertThat(reconcile("web").delay()).contains(Duration.ofSeconds(40));
    }

    @Test
    void permanent_isSaidAgain_whereSomebodyTookItOffTheStatus() {
        cloud.ensureFails = ProviderException.permanent("use fewer ports");
        create("web");
        reconcile("web");

        clock = clock.plus(Duration.ofMinutes(10));
        put(SampleService.from(service("web")).conditions(List.of()));
        Optional<Duration> next = reconcile("web").delay();

        assertThat(programmed().message()).endsWith("use fewer ports");
        assertThat(next).contains(Duration.ofMinutes(50));
        assertThat(cloud.calls).hasSize(1);
    }

    @Test
    void permanent_isNotRepeated_whereTheStatusCannotSaySo_andIsSaidOnceItCan() {
        cloud.ensureFails = ProviderException.permanent("use fewer ports");
        cloud.meanwhile = () -> writes = Line.Fault.REFUSED;
        create("web");
        reconcile("web");

        assertThat(callsWithin(Duration.ofMinutes(50))).isZero();
        writes = Line.Fault.NONE;
        clock = clock.plus(LONGEST_BACKOFF);
        reconcile("web");

        assertThat(programmed().message()).endsWith("use fewer ports");
        assertThat(cloud.calls).hasSize(1);
    }

    @Test
    void permanent_inOtherWordsThanJustBefore_isSaidWithinHalfAMinute() {
        cloud.ensureFails = ProviderException.permanent("use fewer ports");
        create("web");
        reconcile("web");
        rejectedAfter(Duration.ofSeconds(31), "use fewer labels");

        Optional<Duration> next = rejectedAfter(Duration.ofSeconds(10), "use other labels");
        assertThat(programmed().message()).endsWith("use fewer labels");
        assertThat(next).contains(Duration.ofSeconds(20));

        clock = clock.plus(Duration.ofSeconds(20));
        reconcile("web");
        assertThat(programmed().message()).endsWith("use other labels");
        assertThat(cloud.calls).hasSize(3);
    }

    private Optional<Duration> rejectedAfter(Duration span, String why) {
        clock = clock.plus(span);
        cloud.ensureFails = ProviderException.permanent(why);
        put(SampleService.from(service("web")).labels(Map.of("app", why)));
        return reconcile("web").delay();
    }

    @Test
    void aMissingCertificate_isSaidAgain_whereSomebodyTookItOffTheStatus() {
        terminateTls();
        create("web");
        Duration wait = reconcile("web").delay().orElseThrow();

        clock = clock.plus(wait.dividedBy(2));
        put(SampleService.from(service("web")).conditions(List.of()));
        Optional<Duration> next = reconcile("web").delay();

        assertThat(programmed().message()).contains("needs the certificate of LoadBalancerClass \"cloud\"");
        assertThat(next).contains(wait.minus(wait.dividedBy(2)));
        assertThat(cloud.calls).isEmpty();
    }

    @Test
    void pending_isSaidAgain_whereSomebodyTookItOffTheStatus_andIsAskedWhenItSaid() {
        cloud.answer = EnsureOutcome.pending(Duration.ofMinutes(30), "on its way");
        create("web");
        reconcile("web");

        clock = clock.plus(Duration.ofMinutes(10));
        put(SampleService.from(service("web")).conditions(List.of()));
        Optional<Duration> next = reconcile("web").delay();

        assertThat(programmed().message()).isEqualTo("on its way");
        assertThat(next).contains(Duration.ofMinutes(20));
        assertThat(cloud.calls).hasSize(1);
    }

    @Test
    void pending_isAskedWhenItSaid_alsoWhereTheStatusCannotSaySo() {
        cloud.answer = EnsureOutcome.pending(Duration.ofMinutes(30), "on its way");
        cloud.meanwhile = () -> writes = Line.Fault.REFUSED;
        create("web");
        reconcile("web");

        assertThat(callsWithin(Duration.ofMinutes(29))).isZero();
        assertThat(callsWithin(Duration.ofMinutes(2))).isEqualTo(1);
    }

    @Test
    void quotaExceeded_isTriedByTheBackOff_withAReasonOfItsOwn() {
        cloud.ensureFails = ProviderException.quotaExceeded("5 of 5 load balancers are in use");
        create("web");

        assertThat(reconcile("web").delay())
                .hasValueSatisfying(delay -> assertThat(delay).isPositive().isLessThan(LONGEST_BACKOFF));

        assertThat(programmed().reason()).isEqualTo("ProviderQuotaExceeded");
        assertThat(programmed().message()).endsWith("5 of 5 load balancers are in use");
    }

    @Test
    void tryAgain_isTriedByTheBackOff() {
        cloud.ensureFails = new ProviderException("the rack is on fire");
        create("web");

        reconcile("web");

        assertThat(programmed().reason()).isEqualTo("EnsureFailed");
        assertThat(callsWithin(Duration.ofMinutes(59))).isGreaterThan(10);
    }

    @Test
    void aDeletion_isTriedByTheBackOff_whateverKindItsFailureIs() {
        served("web");
        cloud.deleteFails = ProviderException.permanent("it is not empty");
        put(SampleService.from(service("web")).deleting(true));

        Optional<Duration> next = reconcile("web").delay();

        assertThat(next).hasValueSatisfying(delay -> assertThat(delay).isLessThan(LONGEST_BACKOFF));
        assertThat(callsWithin(Duration.ofMinutes(59))).isGreaterThan(10);
    }

    @Test
    @SuppressWarnings("NullAway")
    void kindThatIsNull_isAFailureOfTheProvider_andTriedByTheBackOff() {
        cloud.meanwhile = () -> {
            throw ProviderException.of(null, "the rack is on fire");
        };
        create("web");

        assertThat(reconcile("web").delay()).isPresent();

        assertThat(programmed().reason()).isEqualTo("EnsureFailed");
    }
}
