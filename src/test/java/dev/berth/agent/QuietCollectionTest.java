package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuietCollectionTest {
    private int collections;
    private final QuietCollection garbage = new QuietCollection(() -> collections++);

    private int after(long version, long now) {
        garbage.look(version, now);
        return collections;
    }

    @Test
    void garbage_isCollectedOnce_whenNothingHasChangedForAWhile() {
        assertThat(after(1, 5_000)).isZero();
        assertThat(after(2, 10_000)).isZero();
        assertThat(after(2, 10_000 + QuietCollection.QUIET - 1)).isZero();
        assertThat(after(2, 10_000 + QuietCollection.QUIET)).isOne();
        assertThat(after(2, 10_000 + 9 * QuietCollection.QUIET)).isOne();

        assertThat(after(3, 1_000_000)).isOne();
        assertThat(after(3, 1_000_000 + QuietCollection.QUIET)).isEqualTo(2);
    }

    @Test
    void whileNothingHasEverChanged_andWhileChangesGoOn_nothingIsCollected() {
        assertThat(after(0, 10 * QuietCollection.QUIET)).isZero();
        for (int version = 1; version < 10; version++) {
            assertThat(after(version, (10 + version) * QuietCollection.QUIET)).isZero();
        }
    }
}
