package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PacedLoopTest {
    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Test
    void underAStormOfChanges_itWaitsFromOneToTheNext_andForgetsNone() throws InterruptedException {
        PacedLoop due = new PacedLoop();
        long began = now();
        for (int rounds = 0; rounds < 4; rounds++) {
            due.await();
            // More than one at once, and while it waits.
            due.look();
            due.look();
        }
        assertThat(now() - began).isBetween(3 * Pace.SHORTEST, 3 * Pace.LOOK_AGAIN);
    }
}
