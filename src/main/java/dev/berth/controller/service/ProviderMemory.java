package dev.berth.controller.service;

import dev.berth.loadbalancer.LookSchedule;
import dev.berth.loadbalancer.ProviderCall;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** What is remembered of the provider of one Service, and when it is looked at. Used by several threads. */
final class ProviderMemory {
    final LoadBalancerName name = new LoadBalancerName();
    private final AtomicReference<ProviderState> state = new AtomicReference<>(ProviderState.nothing());
    private final AtomicReference<LookSchedule> looks = new AtomicReference<>(LookSchedule.NEVER);

    ProviderState state() {
        return state.get();
    }

    void change(UnaryOperator<ProviderState> change) {
        state.updateAndGet(change);
    }

    /** It was asked to change something just now: its targets are looked at soon. */
    void targetsChanged(Instant now) {
        looks.updateAndGet(schedule -> schedule.changed(now));
    }

    /** A call is about to be made for a Service that is served. */
    void calling(ProviderCall.Made call, ServedClass by, Instant now) {
        if (call instanceof ProviderCall.Look) {
            looks.updateAndGet(schedule -> schedule.looks(now));
        }
        change(known -> known.calling(call, by));
    }

    /**
     * A provider says that what it has for this very Service has changed.
     *
     * @return when to look; absent: it is looked at anyway, or this is not its provider
     */
    Optional<Duration> reported(String by, ServiceIdentity service, Instant now) {
        ProviderState known = state();
        if (!known.isAskedOf(by) || !known.mayHaveMadeFor(service)) {
            return Optional.empty();
        }
        LookSchedule before = looks.getAndUpdate(LookSchedule::reported);
        return before.isReported() ? Optional.empty() : Optional.of(before.untilReport(now));
    }

    /** Has it looked at in this pass, if it is time. */
    void doubtIfDue(Instant now) {
        if (looks.getAndUpdate(schedule -> schedule.begun(now)).isDue(state().tellsOfTargets(), now)) {
            change(ProviderState::doubted);
        }
    }

    /** When it is to be looked at, in how long; absent: not by itself. */
    Optional<Duration> nextLook(Instant now) {
        return looks.get().next(state().tellsOfTargets(), now);
    }
}
