package dev.berth.controller.service;

import dev.berth.controller.RetrySchedule;
import dev.berth.controller.Timing;
import dev.berth.loadbalancer.Attempt;
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
    private record Failed(Attempt attempt, Why why, int providerReturns) {}

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

        static Kind of(Attempt attempt) {
            return switch (attempt) {
                case Attempt.Call call -> CALL;
                case ServingEffect.Mark mark -> MARK;
                case Publication.Difference status -> STATUS;
                case Attempt.Serve serve -> REST;
                case Attempt.TearDown tearDown -> REST;
                case Attempt.TakeOver takeOver -> REST;
                case ServingEffect.NodePorts nodePorts -> REST;
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

    /** How long {@code attempt}, if it is one that failed or was postponed, must still wait; absent: not at all. */
    Optional<Duration> mustWait(Attempt attempt) {
        return waits().on(attempt).map(Postponed::left);
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
                ? schedule.delay(kind).map(left -> new Waiting(what.attempt(), new Postponed(what.why(), left)))
                : Optional.empty();
    }

    /** Something failed. Returns the delay before it may be tried again. */
    Duration failed(ServiceFailure what) {
        Kind kind = Kind.of(what.attempt());
        remember(what.attempt(), new Why.Failed(what));
        return what.retryAfter().map(delay -> schedule.postponed(kind, delay)).orElseGet(() -> schedule.failed(kind));
    }

    /** Its provider is not to be asked {@code request} again before {@code delay} has passed; that is no failure. */
    Duration pending(LoadBalancerRequest request, Duration delay, String message) {
        remember(new Attempt.Call(request), new Why.Pending(message));
        return schedule.postponed(Kind.CALL, delay);
    }

    private void remember(Attempt attempt, Why why) {
        failed.put(Kind.of(attempt), new Failed(attempt, why, providerReturnsBefore));
    }

    /** Whether {@code attempt} could not be made, for an earlier call had not returned. */
    boolean isHeldUp(Attempt attempt) {
        return Optional.ofNullable(failed.get(Kind.of(attempt)))
                .filter(last -> last.attempt().equals(attempt) && last.why().isHeldUp())
                .isPresent();
    }

    /** No earlier call is under way: if {@code attempt} waits for one, it need not. */
    void heldUpNoLonger(Attempt attempt) {
        if (isHeldUp(attempt)) {
            failed.remove(Kind.of(attempt));
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
