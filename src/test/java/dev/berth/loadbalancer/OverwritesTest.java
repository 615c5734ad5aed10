package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.Overwrites.LetStand;
import dev.berth.loadbalancer.Overwrites.PutRight;
import dev.berth.loadbalancer.Overwrites.StillStands;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OverwritesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration WAIT = Duration.ofSeconds(5);

    private Overwrites overwrites = Overwrites.none("u1");

    private final List<Published> foreign = List.of(new Published("192.0.2.66", null, null));

    private Overwrites.Verdict overwritten(Instant now) {
        Overwrites.Verdict verdict = overwrites.by(foreign, now);
        overwrites = verdict instanceof LetStand ? verdict.after().letStand(now.plus(WAIT)) : verdict.after();
        return verdict;
    }

    /** Each is put right at once. */
    private Overwrites.Verdict overwrittenAgain(Instant now) {
        overwrites = overwrites.putRight();
        return overwritten(now);
    }

    @Test
    void overwriteThatCannotBePutRight_isCountedOnce() {
        for (int second = 0; second < 5; second++) {
            Overwrites.Verdict seen = overwritten(NOW.plusSeconds(second));
            assertThat(seen).isInstanceOf(PutRight.class);
            assertThat(seen.isNew()).isEqualTo(second == 0);
        }
        assertThat(overwrites.isInConflict(NOW.plusSeconds(5))).isFalse();
    }

    @Test
    void thirdOverwriteInTenMinutes_isLetStandForAWhile_thenPutRight() {
        assertThat(overwrittenAgain(NOW)).isInstanceOf(PutRight.class);
        assertThat(overwrittenAgain(NOW.plusSeconds(1))).isInstanceOf(PutRight.class);
        assertThat(overwrittenAgain(NOW.plusSeconds(2))).isInstanceOf(LetStand.class);

        assertThat(overwrites.isInConflict(NOW.plusSeconds(2))).isTrue();
        assertThat(overwrittenAgain(NOW.plusSeconds(3)))
                .isInstanceOfSatisfying(
                        StillStands.class, stands -> assertThat(stands.left()).isEqualTo(WAIT.minusSeconds(1)));
        assertThat(overwrittenAgain(NOW.plusSeconds(2).plus(WAIT))).isInstanceOf(PutRight.class);
    }

    @Test
    void delay_growsWithEachConflictInARow() {
        for (int second = 0; second < 2; second++) {
            overwrittenAgain(NOW.plusSeconds(second));
        }
        assertThat(overwrittenAgain(NOW.plusSeconds(2)).after().conflicts()).isEqualTo(1);
        overwrittenAgain(NOW.plusSeconds(7));

        assertThat(overwrittenAgain(NOW.plusSeconds(8)).after().conflicts()).isEqualTo(2);
    }

    @Test
    void conflict_isOverTenMinutesAfterTheLastOverwrite() {
        for (int second = 0; second < 3; second++) {
            overwrittenAgain(NOW.plusSeconds(second));
        }
        Instant later = NOW.plusSeconds(2).plus(ServiceConditions.OVERWRITES_WITHIN);

        assertThat(overwrites.isInConflict(later)).isFalse();
        assertThat(overwrittenAgain(later)).isInstanceOf(PutRight.class);
        assertThat(overwrites.conflicts()).isEqualTo(1);
        assertThat(overwrittenAgain(later.plusSeconds(1)).after())
                .extracting(Overwrites::conflicts, after -> after.times().size())
                .containsExactly(0, 1);
    }
}
