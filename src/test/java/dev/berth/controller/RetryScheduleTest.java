package dev.berth.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final RetrySchedule<String> retries = new RetrySchedule<>(new Backoff(new Random(1)), () -> now);

    @Test
    void whatDidNotFail_needNotWait() {
        assertThat(retries.delay("web")).isEmpty();
        assertThat(retries.notBefore("web")).isEmpty();
        assertThat(retries.next()).isEmpty();
    }

    @Test
    void whatFails_waits_longerEachTime_andNothingElseDoes() {
        Duration first = retries.failed("web");
        assertThat(first).isBetween(Duration.ofMillis(4_500), Duration.ofSeconds(5));
        assertThat(retries.delay("web")).contains(first);
        assertThat(retries.delay("other")).isEmpty();
        assertThat(retries.failed("other")).isLessThanOrEqualTo(Duration.ofSeconds(5));

        now = now.plus(first);
        assertThat(retries.delay("web")).isEmpty();
        assertThat(retries.failed("web")).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
    }

    @Test
    void whatIsDone_beginsAgain() {
        retries.failed("web");
        retries.failed("other");
        retries.failed("third");

        retries.done("web");
        assertThat(retries.delay("web")).isEmpty();
        assertThat(retries.failed("web")).isLessThanOrEqualTo(Duration.ofSeconds(5));

        retries.retain(List.of("other"));
        assertThat(retries.delay("web")).isEmpty();
        assertThat(retries.failed("other")).isGreaterThan(Duration.ofSeconds(6));

        retries.allDone();
        assertThat(retries.next()).isEmpty();
    }

    @Test
    void whatIsPostponed_waitsForJustThat_andThatIsNoFailure() {
        assertThat(retries.postponed("web", Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
        assertThat(retries.delay("web")).contains(Duration.ofHours(1));
        assertThat(retries.postponed("web", Duration.ZERO)).isEqualTo(Duration.ZERO);

        assertThat(retries.failed("web")).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theFirstThatIsTriedAgain_isNext() {
        retries.postponed("late", Duration.ofHours(1));
        Duration early = retries.failed("early");

        assertThat(retries.next()).contains(now.plus(early));
        assertThat(retries.notBefore("late")).contains(now.plusSeconds(3_600));
    }
}
