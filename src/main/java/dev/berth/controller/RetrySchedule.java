package dev.berth.controller;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * When each of some things that failed may be tried again: later each time. Used by several threads.
 *
 * @param <K> what is tried
 */
public final class RetrySchedule<K> {
    private final Backoff backoff;
    private final InstantSource steady;
    private final Map<K, Retry> retries = new ConcurrentHashMap<>();

    /** @param steady how time passes: nobody sets it forward or back */
    public RetrySchedule(Backoff backoff, InstantSource steady) {
        this.backoff = backoff;
        this.steady = steady;
    }

    /** It failed, once more perhaps. Returns the delay before it may be tried again. */
    public Duration failed(K what) {
        Instant now = steady.instant();
        return retries.compute(what, (_, before) -> known(before).failed(backoff, now))
                .delay(now)
                .orElse(Duration.ZERO);
    }

    /** It is postponed for {@code delay}, which is no failure. Returns {@code delay}, which is never negative. */
    public Duration postponed(K what, Duration delay) {
        Instant now = steady.instant();
        return retries.compute(what, (_, before) -> known(before).postponed(delay, now))
                .delay(now)
                .orElse(Duration.ZERO);
    }

    /** How long it must still wait; absent: not at all. */
    public Optional<Duration> delay(K what) {
        return known(retries.get(what)).delay(steady.instant());
    }

    /** When it may be tried again; absent: it did not fail. */
    public Optional<Instant> notBefore(K what) {
        return Optional.ofNullable(retries.get(what)).map(Retry::notBefore);
    }

    /** It need not be tried again: should it fail later, that is the first time. */
    public void done(K what) {
        retries.remove(what);
    }

    /** Nothing need be tried again. */
    public void allDone() {
        retries.clear();
    }

    /** Nothing but these is still to be done. */
    public void retain(Collection<K> wanted) {
        retries.keySet().retainAll(wanted);
    }

    /** When to try the first of them again; absent: nothing failed. */
    public Optional<Instant> next() {
        return retries.values().stream().map(Retry::notBefore).min(Instant::compareTo);
    }

    private static Retry known(@Nullable Retry before) {
        return Objects.requireNonNullElse(before, Retry.AT_ONCE);
    }
}
