package dev.berth.controller.service;

import dev.berth.controller.Backoff;
import dev.berth.controller.Retry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * When one Service is tried again. What failed last is not sent again unchanged before its time; anything else is sent
 * at once. Used by one pass at a time, but for {@link #providerReturned}.
 */
final class RetrySchedule {
    /**
     * What failed last.
     *
     * @param heldUp whether it could not be sent, for an earlier call has not returned
     * @param providerReturns how often its provider had returned when the pass began that failed
     */
    private record Failed(Object request, boolean heldUp, int providerReturns) {}

    private final AtomicInteger providerReturns = new AtomicInteger();
    private int providerReturnsBefore;
    private @Nullable Failed failed;
    private Retry retry = Retry.AT_ONCE;
    private Retry overtaken = Retry.AT_ONCE;

    /** A pass begins. */
    void begin() {
        providerReturnsBefore = providerReturns.get();
    }

    /** How long {@code request}, if it is the one that failed or was put off, must still wait; absent: not at all. */
    Optional<Duration> mustWait(Object request, Instant now) {
        return failed != null && failed.request().equals(request) && failed.providerReturns() == providerReturns.get()
                ? retry.delay(now)
                : Optional.empty();
    }

    /** {@code request} failed. Returns the delay before it may be sent again. */
    Duration failed(Object request, Optional<Duration> retryAfter, Backoff backoff, Instant now) {
        return retryAfter
                .map(delay -> putOff(request, delay, now))
                .orElseGet(() -> schedule(request, false, retry.failed(backoff, now), now));
    }

    /** {@code request} could not be sent, for an earlier call has not returned; once it has, it need not wait. */
    Duration heldUp(Object request, Backoff backoff, Instant now) {
        return schedule(request, true, retry.failed(backoff, now), now);
    }

    /** {@code request} is not to be sent again before {@code delay} has passed; that is no failure. */
    Duration putOff(Object request, Duration delay, Instant now) {
        return schedule(request, false, retry.putOff(delay, now), now);
    }

    private Duration schedule(Object request, boolean heldUp, Retry next, Instant now) {
        failed = new Failed(request, heldUp, providerReturnsBefore);
        retry = next;
        return next.delay(now).orElse(Duration.ZERO);
    }

    boolean isHeldUp() {
        return failed != null && failed.heldUp();
    }

    /** The earlier call has returned. */
    void heldUpNoLonger() {
        failed = null;
    }

    /** Its provider is there again: what failed may be tried again at once. Notified by other threads, too. */
    void providerReturned() {
        providerReturns.incrementAndGet();
    }

    /** Others wrote again and again what it is about. Returns the delay before it is looked at again. */
    Duration overtaken(Backoff backoff, Instant now) {
        overtaken = overtaken.failed(backoff, now);
        return overtaken.delay(now).orElse(Duration.ZERO);
    }

    void succeeded() {
        failed = null;
        retry = Retry.AT_ONCE;
        overtaken = Retry.AT_ONCE;
    }
}
