package dev.berth.agent;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** What one thread does again and again, at its {@link Pace}, and others may ask for. */
final class PacedLoop {
    /** Has a permit when something may be otherwise. */
    private final Semaphore changes = new Semaphore(1);

    private final Pace pace;

    /** When {@link #await} returned last; negative: it has not yet. */
    private long begun = -1;

    PacedLoop() {
        this(Pace.LOOK_AGAIN);
    }

    /** @param lookAgain how often it is done at least, in milliseconds */
    PacedLoop(long lookAgain) {
        pace = new Pace(now(), lookAgain);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Something may be otherwise. Called by any thread; waits for nothing. */
    void look() {
        changes.release();
    }

    /** Returns when it is to be done once more. What the caller has done since the last time counts as how long it takes. */
    void await() throws InterruptedException {
        if (begun >= 0) {
            pace.took(now() - begun);
        }
        while (true) {
            if (changes.drainPermits() > 0) {
                pace.change();
            }
            if (pace.begins(now())) {
                begun = now();
                return;
            }
            long millis = pace.next() - now();
            if (pace.isHeldUp(now())) {
                // Whatever else comes meanwhile.
                Thread.sleep(Math.max(0, millis));
            } else if (changes.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
                changes.release();
            }
        }
    }
}
