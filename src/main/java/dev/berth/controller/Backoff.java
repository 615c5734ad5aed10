package dev.berth.controller;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait after a failure: 5 s, doubled with each one after another, up to 300 s. A tenth of it
 * is left to chance, so that those who failed together do not all come back together.
 */
public final class Backoff {
    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration LAST = Duration.ofMinutes(5);
    private static final int DOUBLINGS = 6;

    private final RandomGenerator random;

    public Backoff(RandomGenerator random) {
        this.random = random;
    }

    /**
     * The delay before the next try.
     *
     * @param failures how many there were in a row; at least 1
     */
    public Duration after(int failures) {
        Duration full = FIRST.multipliedBy(1L << Math.min(failures - 1, DOUBLINGS));
        Duration capped = full.compareTo(LAST) < 0 ? full : LAST;
        return capped.minusMillis(random.nextLong(capped.toMillis() / 10 + 1));
    }
}
