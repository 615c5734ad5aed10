package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final RetrySchedule retries = new RetrySchedule();
    private final Backoff backoff = new Backoff(new Random(1));

    @Test
    void unchangedRequest_isNotSentBeforeItsTime_andAnotherIs() {
        Duration delay = retries.failed("request", Optional.empty(), backoff, NOW);

        assertThat(retries.mustWait("request", NOW)).contains(delay);
        assertThat(retries.mustWait("another", NOW)).isEmpty();
        assertThat(retries.mustWait("request", NOW.plus(delay))).isEmpty();
    }

    @Test
    void providersOwnDelay_isExact_andCountsForNoFailure() {
        assertThat(retries.failed("request", Optional.of(Duration.ofSeconds(7)), backoff, NOW))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(retries.failed("request", Optional.empty(), backoff, NOW))
                .isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void whatFailed_isTriedAtOnce_whenItsProviderIsBack_asOftenAsItIsAsked() {
        retries.failed("request", Optional.of(Duration.ofSeconds(7)), backoff, NOW);
        retries.providerReturned();

        assertThat(retries.mustWait("request", NOW)).isEmpty();
        assertThat(retries.mustWait("request", NOW)).isEmpty();
    }

    @Test
    void whatFailsAfterItsProviderWasBack_waitsAgain() {
        retries.providerReturned();
        retries.begin();
        retries.failed("request", Optional.of(Duration.ofSeconds(7)), backoff, NOW);

        assertThat(retries.mustWait("request", NOW)).isPresent();
    }

    @Test
    void providerThatReturnsWhileAPassFails_isAskedAtOnce() {
        retries.begin();
        retries.providerReturned();
        retries.failed("request", Optional.of(Duration.ofSeconds(7)), backoff, NOW);

        assertThat(retries.mustWait("request", NOW)).isEmpty();
    }

    @Test
    void requestThatWasHeldUp_needNotWait_onceTheEarlierCallHasReturned() {
        retries.heldUp("request", backoff, NOW);
        assertThat(retries.isHeldUp()).isTrue();
        assertThat(retries.mustWait("request", NOW)).isPresent();

        retries.heldUpNoLonger();

        assertThat(retries.isHeldUp()).isFalse();
        assertThat(retries.mustWait("request", NOW)).isEmpty();
    }

    @Test
    void delaysGrow_withEachFailure_untilOneSucceeds() {
        Duration first = retries.failed("request", Optional.empty(), backoff, NOW);
        assertThat(retries.failed("other", Optional.empty(), backoff, NOW)).isGreaterThan(first);

        retries.succeeded();

        assertThat(retries.failed("request", Optional.empty(), backoff, NOW)).isLessThan(Duration.ofSeconds(6));
    }
}
