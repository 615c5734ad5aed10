package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Backoff;
import dev.berth.loadbalancer.Postponed;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final Optional<Duration> SEVEN_SECONDS = Optional.of(Duration.ofSeconds(7));
    private static final LoadBalancerRequest OF_PROVIDER = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "web", "u1"), IpMode.VIP)
            .build();

    private final RetrySchedule retries = new RetrySchedule();
    private final Backoff backoff = new Backoff(new Random(1));

    private static ServiceFailure trouble(Object request) {
        return new ServiceFailure("ensuring load balancer", Reason.EnsureFailed, "quota", request);
    }

    @Test
    void unchangedRequest_isNotSentBeforeItsTime_andAnotherIs() {
        Duration delay = retries.failed(trouble("request"), backoff, NOW);

        assertThat(retries.mustWait("request", NOW)).contains(delay);
        assertThat(retries.mustWait("another", NOW)).isEmpty();
        assertThat(retries.mustWait("request", NOW.plus(delay))).isEmpty();
    }

    @Test
    void providersOwnDelay_isExact_andCountsForNoFailure() {
        assertThat(retries.failed(trouble("request").after(SEVEN_SECONDS), backoff, NOW))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(retries.failed(trouble("request"), backoff, NOW)).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void whatFailed_isTriedAtOnce_whenItsProviderIsBack_asOftenAsItIsAsked() {
        retries.failed(trouble("request").after(SEVEN_SECONDS), backoff, NOW);
        retries.providerReturned();

        assertThat(retries.mustWait("request", NOW)).isEmpty();
        assertThat(retries.mustWait("request", NOW)).isEmpty();
    }

    @Test
    void whatFailsAfterItsProviderWasBack_waitsAgain() {
        retries.providerReturned();
        retries.begin();
        retries.failed(trouble("request").after(SEVEN_SECONDS), backoff, NOW);

        assertThat(retries.mustWait("request", NOW)).isPresent();
    }

    @Test
    void providerThatReturnsWhileAPassFails_isAskedAtOnce() {
        retries.begin();
        retries.providerReturned();
        retries.failed(trouble("request").after(SEVEN_SECONDS), backoff, NOW);

        assertThat(retries.mustWait("request", NOW)).isEmpty();
    }

    @Test
    void requestThatWasHeldUp_needNotWait_onceTheEarlierCallHasReturned() {
        retries.failed(trouble("request").heldUpByEarlierCall(), backoff, NOW);
        assertThat(retries.isHeldUp("request")).isTrue();
        assertThat(retries.mustWait("request", NOW)).isPresent();

        retries.heldUpNoLonger("request");

        assertThat(retries.isHeldUp("request")).isFalse();
        assertThat(retries.mustWait("request", NOW)).isEmpty();
    }

    @Test
    void delaysGrow_withEachFailure_untilOneSucceeds() {
        Duration first = retries.failed(trouble("request"), backoff, NOW);
        assertThat(retries.failed(trouble("other"), backoff, NOW)).isGreaterThan(first);

        retries.succeeded();

        assertThat(retries.failed(trouble("request"), backoff, NOW)).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    void whatItsProviderPostponed_isRemembered_alsoWhereAWriteFailsAfterIt() {
        retries.pending(OF_PROVIDER, Duration.ofMinutes(30), "on its way", NOW);
        retries.failed(trouble("a patch"), backoff, NOW);

        assertThat(retries.mustWait(OF_PROVIDER, NOW)).contains(Duration.ofMinutes(30));
        assertThat(retries.waits(NOW).on(OF_PROVIDER).map(Postponed::why))
                .contains(new Postponed.Why.Pending("on its way"));
        assertThat(retries.mustWait("a patch", NOW)).isPresent();
    }

    @Test
    void finalizerAndStatusThatAreRefusedInTurn_hideNothingOfEachOther() {
        Publication.Difference patch = new Publication.Difference(true, null, null, List.of(), List.of());
        retries.failed(trouble(new ServingEffect.Mark(patch)), backoff, NOW);
        retries.failed(trouble(patch), backoff, NOW);

        assertThat(retries.mustWait(new ServingEffect.Mark(patch), NOW)).isPresent();
        assertThat(retries.mustWait(patch, NOW)).isPresent();
    }
}
