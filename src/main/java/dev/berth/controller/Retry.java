package dev.berth.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When something that failed may be tried again. A value.
 *
 * @param failures how many there were in a row; 0: none
 * @param notBefore by the clock that nobody sets
 */
public record Retry(int failures, Instant notBefore) {
    /** Nothing failed. */
    public static final Retry AT_ONCE = new Retry(0, Instant.EPOCH);

    /** It failed, once more perhaps: later each time. */
    public Retry failed(Backoff backoff, Instant now) {
        int times = failures + 1;
        return new Retry(times, now.plus(backoff.after(times)));
    }

    /** It is postponed for {@code delay}, which is no failure. */
    Retry postponed(Duration delay, Instant now) {
        return new Retry(failures, now.plus(delay));
    }

    /** How long it must still wait; absent: not at all. */
    Optional<Duration> delay(Instant now) {
        return now.isBefore(notBefore) ? Optional.of(Duration.between(now, notBefore)) : Optional.empty();
    }
}
