package dev.berth.loadbalancer;

import java.time.Duration;
import java.util.Optional;

/** How a pass over a Service ends. */
public sealed interface TerminalEffect extends ServingEffect, TearDownEffect, SkippingEffect, PredecessorEffect {
    /**
     * Plan again, for something is not as it was read.
     *
     * @param live from a live read: the cache may be older than what was published last
     */
    record PlanAgain(boolean live) implements TerminalEffect {}

    /** Nothing may be done before its time, or there is nothing to do before. */
    record Wait(Duration delay) implements TerminalEffect {}

    /** Nothing is left to do until something happens. */
    record AwaitEvent() implements TerminalEffect {}

    /** To look again after {@code delay}; absent: when something happens. */
    static TerminalEffect after(Optional<Duration> delay) {
        return delay.isPresent() ? new Wait(delay.get()) : new AwaitEvent();
    }

    /**
     * Say what went wrong, and try again later.
     *
     * @param losesTurn whether those behind it in the queue go first: it may never get its address
     * @param again when to look again at the latest, whatever the back-off says; absent: it alone counts
     */
    record Fail(ServiceFailure what, boolean losesTurn, Optional<Duration> again) implements TerminalEffect {
        /** When to try again, now that the back-off is known. */
        public Duration delay(Duration backOff) {
            return Facts.sooner(again, backOff);
        }
    }
}
