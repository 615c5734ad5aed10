package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Backoff;
import dev.berth.controller.Timing;
import dev.berth.loadbalancer.Attempt;
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

class ServiceRetriesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final Optional<Duration> SEVEN_SECONDS = Optional.of(Duration.ofSeconds(7));
    private static final LoadBalancerRequest OF_PROVIDER = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "web", "u1"), IpMode.VIP)
            .build();

    private static final Attempt REQUEST = new Attempt.TearDown(List.of());
    private static final Attempt ANOTHER = new ServingEffect.NodePorts("80/TCP");

    private Instant clock = NOW;
    private final ServiceRetries retries = new ServiceRetries(new Timing(
            () -> clock,
            () -> clock,
            (delay, what) -> {
                throw new AssertionError();
            },
            new Backoff(new Random(1))));

    private static ServiceFailure trouble(Attempt attempt) {
        return new ServiceFailure("ensuring load balancer", Reason.EnsureFailed, "quota", attempt);
    }

    @Test
    void unchangedRequest_isNotSentBeforeItsTime_andAnotherIs() {
        Duration delay = retries.failed(trouble(REQUEST));

        assertThat(retries.mustWait(REQUEST)).contains(delay);
        assertThat(retries.mustWait(ANOTHER)).isEmpty();
        clock = NOW.plus(delay);
        assertThat(retries.mustWait(REQUEST)).isEmpty();
    }

    @Test
    void providersOwnDelay_isExact_andCountsForNoFailure() {
        assertThat(retries.failed(trouble(REQUEST).after(SEVEN_SECONDS))).isEqualTo(Duration.ofSeconds(7));
        assertThat(retries.failed(trouble(REQUEST))).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void whatFailed_isTriedAtOnce_whenItsProviderIsBack_asOftenAsItIsAsked() {
        retries.failed(trouble(REQUEST).after(SEVEN_SECONDS));
        retries.providerReturned();

        assertThat(retries.mustWait(REQUEST)).isEmpty();
        assertThat(retries.mustWait(REQUEST)).isEmpty();
    }

    @Test
    void whatFailsAfterItsProviderWasBack_waitsAgain() {
        retries.providerReturned();
        retries.begin();
        retries.failed(trouble(REQUEST).after(SEVEN_SECONDS));

        assertThat(retries.mustWait(REQUEST)).isPresent();
    }

    @Test
    void providerThatReturnsWhileAPassFails_isAskedAtOnce() {
        retries.begin();
        retries.providerReturned();
        retries.failed(trouble(REQUEST).after(SEVEN_SECONDS));

        assertThat(retries.mustWait(REQUEST)).isEmpty();
    }

    @Test
    void requestThatWasHeldUp_needNotWait_onceTheEarlierCallHasReturned() {
        retries.failed(trouble(REQUEST).heldUpByEarlierCall());
        assertThat(retries.isHeldUp(REQUEST)).isTrue();
        assertThat(retries.mustWait(REQUEST)).isPresent();

        retries.heldUpNoLonger(REQUEST);

        assertThat(retries.isHeldUp(REQUEST)).isFalse();
        assertThat(retries.mustWait(REQUEST)).isEmpty();
    }

    @Test
    void delaysGrow_withEachFailure_untilOneSucceeds() {
        Duration first = retries.failed(trouble(REQUEST));
        assertThat(retries.failed(trouble(ANOTHER))).isGreaterThan(first);

        retries.succeeded();

        assertThat(retries.failed(trouble(REQUEST))).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    void whatItsProviderPostponed_isRemembered_alsoWhereAWriteFailsAfterIt() {
        retries.pending(OF_PROVIDER, Duration.ofMinutes(30), "on its way");
        retries.failed(trouble(REQUEST));

        assertThat(retries.mustWait(new Attempt.Call(OF_PROVIDER))).contains(Duration.ofMinutes(30));
        assertThat(retries.waits().on(new Attempt.Call(OF_PROVIDER)).map(Postponed::why))
                .contains(new Postponed.Why.Pending("on its way"));
        assertThat(retries.mustWait(REQUEST)).isPresent();
    }

    @Test
    void finalizerAndStatusThatAreRefusedInTurn_hideNothingOfEachOther() {
        Publication.Difference patch = new Publication.Difference(true, null, null, List.of(), List.of());
        retries.failed(trouble(new ServingEffect.Mark(patch)));
        retries.failed(trouble(patch));

        assertThat(retries.mustWait(new ServingEffect.Mark(patch))).isPresent();
        assertThat(retries.mustWait(patch)).isPresent();
    }

    @Test
    void readsThatFail_areTriedLaterEachTime_untilOneGetsThrough_whateverElseFails() {
        Duration first = retries.notRead();
        clock = clock.plus(first);
        assertThat(retries.notRead()).isGreaterThan(first);
        retries.failed(trouble(REQUEST));

        retries.read();

        assertThat(retries.notRead()).isLessThan(Duration.ofSeconds(6));
        assertThat(retries.mustWait(REQUEST)).isPresent();
    }

    @Test
    void readsThatEventsCauseMeanwhile_doNotCount() {
        Duration first = retries.notRead();
        clock = clock.plusSeconds(1);

        assertThat(retries.notRead()).isEqualTo(first.minusSeconds(1));
        assertThat(retries.notRead()).isEqualTo(first.minusSeconds(1));
    }
}
