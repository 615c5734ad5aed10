package dev.berth.controller.servicecidr;

import dev.berth.controller.Backoff;
import dev.berth.controller.RetrySchedule;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What failed is not tried again before its time, and what was reported about it is reported until then.
 *
 * @param <K> what is tried
 * @param <T> what is reported about a failure
 */
final class Retries<K, T> {
    private final RetrySchedule<K> schedule;
    private final Map<K, T> lastReported = new HashMap<>();

    Retries(Backoff backoff, InstantSource steady) {
        schedule = new RetrySchedule<>(backoff, steady);
    }

    /** What was reported about the last failure, if it is too early for another try. */
    Optional<T> tooEarly(K what) {
        return schedule.delay(what).flatMap(_ -> Optional.ofNullable(lastReported.get(what)));
    }

    /** When this may be tried again; absent: it did not fail. */
    Optional<Instant> notBefore(K what) {
        return schedule.notBefore(what);
    }

    /** It failed, once more perhaps. */
    T failed(K what, T reported) {
        var _ = schedule.failed(what);
        lastReported.put(what, reported);
        return reported;
    }

    /** It need not be tried again. */
    void done(K what) {
        schedule.done(what);
        lastReported.remove(what);
    }

    /** Nothing but these is still to be done. */
    void retain(Collection<K> wanted) {
        schedule.retain(wanted);
        lastReported.keySet().retainAll(wanted);
    }

    /** When to try the first of them again; absent: nothing failed. */
    Optional<Instant> again() {
        return schedule.next();
    }
}
