package dev.berth.controller.service;

import dev.berth.controller.RetrySchedule;
import dev.berth.controller.Timing;
import dev.berth.loadbalancer.Postponed;
import dev.berth.loadbalancer.Postponed.Why;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.loadbalancer.Waits;
import dev.berth.loadbalancer.Waits.Waiting;
import dev.berth.provider.LoadBalancerRequest;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * When one Service is tried again. What failed last is not sent again unchanged before its time; anything else is sent
 * at once. What its provider was asked is remembered apart, and so is the finalizer: a status that cannot be written has
 * neither tried again.
 * Used by one pass at a time, but for {@link #providerReturned}.
 */
final class ServiceRetries {
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
        /** All else that is written: its claims, mostly. */
        REST,
        /** That it is read past the cache. */
        READ,
        /** A pass that others do not overtake by what they write. */
        PASS;

        static Kind of(Object request) {
            return switch (request) {
                case LoadBalancerRequest call -> CALL;
                case ServingEffect.Mark mark -> MARK;
                case Publication.Difference status -> STATUS;
                default -> REST;
            };
        }
    }

    private final RetrySchedule<Kind> schedule;
    private final Map<Kind, Failed> failed = new EnumMap<>(Kind.class);
    private final AtomicInteger providerReturns = new AtomicInteger();
    private int providerReturnsBefore;

    /** Nothing failed yet. */
    ServiceRetries(Timing timing) {
        schedule = new RetrySchedule<>(timing.backoff(), timing.steady());
    }

    /** A pass begins. */
    void begin() {
        providerReturnsBefore = providerReturns.get();
    }

    /** How long {@code request}, if it is one that failed or was postponed, must still wait; absent: not at all. */
    Optional<Duration> mustWait(Object request) {
        return waits().on(request).map(Postponed::left);
    }

    /** All that must still wait. */
    Waits waits() {
        return failed.isEmpty()
                ? Waits.NONE
                : new Waits(failed.entrySet().stream()
                        .flatMap(entry -> waiting(entry.getKey(), entry.getValue()).stream())
                        .toList());
    }

    private Optional<Waiting> waiting(Kind kind, Failed what) {
        return what.providerReturns() == providerReturns.get()
                ? schedule.delay(kind).map(left -> new Waiting(what.request(), new Postponed(what.why(), left)))
                : Optional.empty();
    }

    /** Something failed. Returns the delay before it may be tried again. */
    Duration failed(ServiceFailure what) {
        Kind kind = Kind.of(what.request());
        remember(what.request(), new Why.Failed(what));
        return what.retryAfter().map(delay -> schedule.postponed(kind, delay)).orElseGet(() -> schedule.failed(kind));
    }

    /** Its provider is not to be asked {@code request} again before {@code delay} has passed; that is no failure. */
    Duration pending(LoadBalancerRequest request, Duration delay, String message) {
        remember(request, new Why.Pending(message));
        return schedule.postponed(Kind.of(request), delay);
    }

    private void remember(Object request, Why why) {
        failed.put(Kind.of(request), new Failed(request, why, providerReturnsBefore));
    }

    /** Whether {@code request} could not be sent, for an earlier call had not returned. */
    boolean isHeldUp(Object request) {
        return Optional.ofNullable(failed.get(Kind.of(request)))
                .filter(last -> last.request().equals(request) && last.why().isHeldUp())
                .isPresent();
    }

    /** No earlier call is under way: if {@code request} waits for one, it need not. */
    void heldUpNoLonger(Object request) {
        if (isHeldUp(request)) {
            failed.remove(Kind.of(request));
        }
    }

    /** Its provider is there again: what failed may be tried again at once. Notified by other threads, too. */
    void providerReturned() {
        providerReturns.incrementAndGet();
    }

    /** Others wrote again and again what it is about. Returns the delay before it is looked at again. */
    Duration overtaken() {
        return schedule.failed(Kind.PASS);
    }

    /**
     * It could not be read past the cache. Returns the delay before it is looked at again. Reads that events cause meanwhile do
     * not count, so the delay grows with the time for which none succeeds.
     */
    Duration notRead() {
        return schedule.delay(Kind.READ).orElseGet(() -> schedule.failed(Kind.READ));
    }

    /** It was read past the cache. */
    void read() {
        schedule.done(Kind.READ);
    }

    void succeeded() {
        failed.clear();
        schedule.allDone();
    }
}
