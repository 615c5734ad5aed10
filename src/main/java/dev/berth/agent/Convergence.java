package dev.berth.agent;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long it takes from when something changes until the node announces what follows from that. A change from which
 * nothing follows takes no time. Changes that are decided about together are counted once, from the first on.
 */
final class Convergence {
    private final LongSupplier clock;
    private final DoubleConsumer seconds;

    /** When the first came that is not decided about yet. */
    private OptionalLong waiting = OptionalLong.empty();

    /** The same of those that are just decided about. */
    private OptionalLong begun = OptionalLong.empty();

    /** What the node has announced so far; null: nothing was decided. */
    private @Nullable Object last;

    /**
     * Nothing has changed yet.
     *
     * @param clock in nanoseconds, from any moment on
     * @param seconds gets each time that it took
     */
    Convergence(LongSupplier clock, DoubleConsumer seconds) {
        this.clock = clock;
        this.seconds = seconds;
    }

    /** Something may be otherwise. Called by any thread. */
    synchronized void change() {
        if (waiting.isEmpty()) {
            waiting = OptionalLong.of(clock.getAsLong());
        }
    }

    /** What has changed until now is decided about; also what was decided about before without an end. */
    synchronized void begin() {
        if (begun.isEmpty()) {
            begun = waiting;
        }
        waiting = OptionalLong.empty();
    }

    /**
     * The node announces what was decided, also of what changed meanwhile. What it announces first is no change.
     *
     * @param announced all of it: compared by equals
     */
    synchronized void end(Object announced) {
        if (last != null && !announced.equals(last)) {
            (begun.isPresent() ? begun : waiting)
                    .ifPresent(since ->
                            seconds.accept((clock.getAsLong() - since) / (double) TimeUnit.SECONDS.toNanos(1)));
        }
        begun = OptionalLong.empty();
        last = announced;
    }
}
