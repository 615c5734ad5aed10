package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StatusWritesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final StatusWrites status = new StatusWrites();
    private final Backoff backoff = new Backoff(new Random(1));

    @Test
    void thirdOverwriteInTenMinutes_isLetStandForAWhile_thenPutRight() {
        assertThat(status.overwritten("u1", backoff, NOW)).isEmpty();
        assertThat(status.overwritten("u1", backoff, NOW.plusSeconds(1))).isEmpty();
        Duration wait = status.overwritten("u1", backoff, NOW.plusSeconds(2)).orElseThrow();

        assertThat(status.isInConflict("u1", NOW.plusSeconds(2))).isTrue();
        assertThat(status.overwritten("u1", backoff, NOW.plusSeconds(3))).isPresent();
        assertThat(status.overwritten("u1", backoff, NOW.plusSeconds(2).plus(wait)))
                .isEmpty();
    }

    @Test
    void conflict_isOverTenMinutesAfterTheLastOverwrite() {
        for (int second = 0; second < 3; second++) {
            status.overwritten("u1", backoff, NOW.plusSeconds(second));
        }

        assertThat(status.isInConflict("u1", NOW.plusSeconds(2).plus(StatusWrites.OVERWRITES_WITHIN)))
                .isFalse();
    }

    @Test
    void overwrites_areOfOneService_andNotOfTheNextOfItsName() {
        for (int second = 0; second < 3; second++) {
            status.overwritten("u1", backoff, NOW.plusSeconds(second));
        }

        assertThat(status.isInConflict("u2", NOW.plusSeconds(3))).isFalse();
        assertThat(status.overwritten("u2", backoff, NOW.plusSeconds(3))).isEmpty();
    }
}
