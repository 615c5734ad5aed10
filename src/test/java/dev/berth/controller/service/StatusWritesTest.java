package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Backoff;
import dev.berth.loadbalancer.Published;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StatusWritesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final StatusWrites status = new StatusWrites();
    private final Backoff backoff = new Backoff(new Random(1));

    private final List<Published> foreign = List.of(new Published("192.0.2.66", null, null));

    /** Each is put right at once. */
    private Optional<Duration> overwritten(String uid, Instant now) {
        status.published(uid, List.of());
        return status.overwritten(uid, foreign, backoff, now).letStand();
    }

    @Test
    void overwriteThatCannotBePutRight_isCountedOnce() {
        for (int second = 0; second < 5; second++) {
            StatusWrites.Overwrite seen = status.overwritten("u1", foreign, backoff, NOW.plusSeconds(second));
            assertThat(seen).isEqualTo(new StatusWrites.Overwrite(second == 0, Optional.empty()));
        }
        assertThat(status.isInConflict("u1", NOW.plusSeconds(5))).isFalse();
    }

    @Test
    void thirdOverwriteInTenMinutes_isLetStandForAWhile_thenPutRight() {
        assertThat(overwritten("u1", NOW)).isEmpty();
        assertThat(overwritten("u1", NOW.plusSeconds(1))).isEmpty();
        Duration wait = overwritten("u1", NOW.plusSeconds(2)).orElseThrow();

        assertThat(status.isInConflict("u1", NOW.plusSeconds(2))).isTrue();
        assertThat(overwritten("u1", NOW.plusSeconds(3))).isPresent();
        assertThat(overwritten("u1", NOW.plusSeconds(2).plus(wait))).isEmpty();
    }

    @Test
    void conflict_isOverTenMinutesAfterTheLastOverwrite() {
        for (int second = 0; second < 3; second++) {
            overwritten("u1", NOW.plusSeconds(second));
        }

        assertThat(status.isInConflict("u1", NOW.plusSeconds(2).plus(StatusWrites.OVERWRITES_WITHIN)))
                .isFalse();
    }

    @Test
    void overwrites_areOfOneService_andNotOfTheNextOfItsName() {
        for (int second = 0; second < 3; second++) {
            overwritten("u1", NOW.plusSeconds(second));
        }

        assertThat(status.isInConflict("u2", NOW.plusSeconds(3))).isFalse();
        assertThat(overwritten("u2", NOW.plusSeconds(3))).isEmpty();
    }
}
