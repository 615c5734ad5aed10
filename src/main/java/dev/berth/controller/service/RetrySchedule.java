package dev.berth.controller.service;

import dev.berth.controller.Backoff;
import dev.berth.controller.Retry;
import dev.berth.loadbalancer.Postponed;
import dev.berth.loadbalancer.Postponed.Why;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.loadbalancer.Waits;
import dev.berth.loadbalancer.Waits.Waiting;
import dev.berth.provider.LoadBalancerRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * When one Service is tried again. What failed last is not sent again unchanged before its time; anything else is sent
 * at once. What its provider was asked is remembered apart, and so is the finalizer: a status that cannot be written has
 * neither tried again.
 * Used by one pass at a time, but for {@link #providerReturned}.
 */
final class RetrySchedule {
    /**
     * What failed last, or was postponed.
     *
     * @param providerReturns how often its provider had returned when the pass began that failed
     */
    private record Failed(Object request, Why why, int providerReturns) {}

    /** What is remembered apart: one that fails in turn with another would otherwise hide that the other did. */
    private enum Kind {
        /** What its provider is asked. */
        CALL,
        /** That the Service is marked as ours. */
        MARK,
        /** What its status is to say. */
        STATUS,
        /** All else: its claims, mostly. */
        REST;

        static Kind of(Object request) {
            return switch (request) {
                case LoadBalancerRequest call -> CALL;
                case ServingEffect.Mark mark -> MARK;
                case Publication.Difference status -> STATUS;
                default -> REST;
            };
        }
    }

    /** What failed last; null: nothing has to wait. */
    private record Attempt(@Nullable Failed failed, Retry retry) {
        static final Attempt NONE = new Attempt(null, Retry.AT_ONCE);

        Optional<Failed> of(Object request) {
            return Optional.ofNullable(failed).filter(last -> last.request().equals(request));
        }
    }

    private final AtomicInteger providerReturns = new AtomicInteger();
    private int providerReturnsBefore;
    private final Map<Kind, Attempt> attempts = new EnumMap<>(Kind.class);
    private Retry overtaken = Retry.AT_ONCE;

    /** A pass begins. */
    void begin() {
        providerReturnsBefore = providerReturns.get();
    }

    private Attempt attempt(Object request) {
        return attempts.getOrDefault(Kind.of(request), Attempt.NONE);
    }

    private void attempt(Object request, Attempt now) {
        attempts.put(Kind.of(request), now);
    }

    /** How long {@code request}, if it is one that failed or was postponed, must still wait; absent: not at all. */
    Optional<Duration> mustWait(Object request, Instant now) {
        return waits(now).on(request).map(Postponed::left);
    }

    /** All that must still wait. */
    Waits waits(Instant now) {
        return attempts.isEmpty()
                ? Waits.NONE
                : new Waits(attempts.values().stream()
                        .flatMap(attempt -> waiting(attempt, now).stream())
                        .toList());
    }

    private Optional<Waiting> waiting(Attempt attempt, Instant now) {
        return Optional.ofNullable(attempt.failed())
                .filter(failed -> failed.providerReturns() == providerReturns.get())
                .flatMap(failed -> attempt.retry()
                        .delay(now)
                        .map(left -> new Waiting(failed.request(), new Postponed(failed.why(), left))));
    }

    /** Something failed. Returns the delay before it may be tried again. */
    Duration failed(ServiceFailure what, Backoff backoff, Instant now) {
        Retry before = attempt(what.request()).retry();
        Retry next = what.retryAfter()
                .map(delay -> before.postponed(delay, now))
                .orElseGet(() -> before.failed(backoff, now));
        return schedule(what.request(), new Why.Failed(what), next, now);
    }

    /** Its provider is not to be asked {@code request} again before {@code delay} has passed; that is no failure. */
    Duration pending(LoadBalancerRequest request, Duration delay, String message, Instant now) {
        return schedule(
                request, new Why.Pending(message), attempt(request).retry().postponed(delay, now), now);
    }

    private Duration schedule(Object request, Why why, Retry next, Instant now) {
        attempt(request, new Attempt(new Failed(request, why, providerReturnsBefore), next));
        return next.delay(now).orElse(Duration.ZERO);
    }

    /** Whether {@code request} could not be sent, for an earlier call had not returned. */
    boolean isHeldUp(Object request) {
        return attempt(request)
                .of(request)
                .filter(failed -> failed.why().isHeldUp())
                .isPresent();
    }

    /** No earlier call is under way: if {@code request} waits for one, it need not. */
    void heldUpNoLonger(Object request) {
        if (isHeldUp(request)) {
            attempt(request, new Attempt(null, attempt(request).retry()));
        }
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
        attempts.clear();
        overtaken = Retry.AT_ONCE;
    }
}
