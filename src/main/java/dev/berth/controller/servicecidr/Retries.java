package dev.berth.controller.servicecidr;

import dev.berth.controller.Backoff;
import dev.berth.controller.Retry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What failed is not tried again before its time, and later each time.
 *
 * @param <K> what is tried
 * @param <T> what is reported about a failure
 */
final class Retries<K, T> {
    private record Failure<T>(T told, Retry retry) {}

    private final Backoff backoff;
    private final InstantSource clock;
    private final Map<K, Failure<T>> failures = new HashMap<>();

    Retries(Backoff backoff, InstantSource clock) {
        this.backoff = backoff;
        this.clock = clock;
    }

    /** What was reported about the last failure, if it is too early for another try. */
    Optional<T> tooEarly(K what) {
        return Optional.ofNullable(failures.get(what))
                .filter(failure -> failure.retry().delay(clock.instant()).isPresent())
                .map(Failure::told);
    }

    /** When this may be tried again; absent: it did not fail. */
    Optional<Instant> notBefore(K what) {
        return Optional.ofNullable(failures.get(what))
                .map(failure -> failure.retry().notBefore());
    }

    /** It failed, once more perhaps. */
    T failed(K what, T told) {
        Failure<T> before = failures.get(what);
        Retry retry = before == null ? Retry.AT_ONCE : before.retry();
        failures.put(what, new Failure<>(told, retry.failed(backoff, clock.instant())));
        return told;
    }

    /** It need not be tried again. */
    void done(K what) {
        failures.remove(what);
    }

    /** Nothing but these is still to be done. */
    void retain(Collection<K> wanted) {
        failures.keySet().retainAll(wanted);
    }

    /** When to try the first of them again; absent: nothing failed. */
    Optional<Instant> again() {
        return failures.values().stream()
                .map(failure -> failure.retry().notBefore())
                .min(Instant::compareTo);
    }
}
