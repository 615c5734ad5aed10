package dev.berth.controller;

import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The virtual threads of one control loop. So many objects are reconciled at once; all others wait in a queue, where each
 * takes less than 100 bytes. One that is being reconciled, and waits for its turn to write, takes 10,000.
 */
public final class Workers extends ThreadPoolExecutor {
    /** How many times as many may be under way, with those that are aside. */
    private static final int MOST_ASIDE = 8;

    /** The workers that the current thread belongs to; null, or not bound: none. */
    private static final ScopedValue<@Nullable Workers> OWN = ScopedValue.newInstance();

    /** Bound while what is submitted goes to the head of the queue. */
    private static final ScopedValue<Boolean> AHEAD = ScopedValue.newInstance();

    private final int most;

    /** Workers that reconcile {@code atOnce} objects at once, but for those that are {@link #aside}. */
    public Workers(int atOnce) {
        super(atOnce, atOnce, 0, TimeUnit.SECONDS, new Waiting());
        most = (1 + MOST_ASIDE) * atOnce;
        setThreadFactory(work ->
                Thread.ofVirtual().unstarted(() -> ScopedValue.where(OWN, this).run(work)));
    }

    private static final class Waiting extends LinkedBlockingDeque<Runnable> {
        private static final long serialVersionUID = 1;

        @Override
        public boolean offer(Runnable task) {
            return AHEAD.isBound() ? offerFirst(task) : offerLast(task);
        }
    }

    /** Not while the pool grows: the task would be queued for workers that are all aside, and no other would begin. */
    @Override
    public synchronized void execute(Runnable task) {
        super.execute(task);
    }

    /** What {@code submitting} submits on this thread is done before all that waits: something is kept for it. */
    public static void ahead(Runnable submitting) {
        ScopedValue.where(AHEAD, true).run(submitting);
    }

    /**
     * Waits for what may take long, and is not the API server, while the next object is reconciled. With too many aside, and
     * on any other thread, it only waits.
     */
    public static <T extends @Nullable Object> T aside(Supplier<T> waiting) {
        Workers own = OWN.isBound() ? OWN.get() : null;
        if (own == null || !own.grow()) {
            return waiting.get();
        }
        try {
            return ScopedValue.where(OWN, null).call(waiting::get);
        } finally {
            own.shrink();
        }
    }

    /** The pool must never have room for fewer than it keeps. */
    private synchronized boolean grow() {
        int size = getCorePoolSize() + 1;
        if (size > most) {
            return false;
        }
        setMaximumPoolSize(size);
        setCorePoolSize(size);
        return true;
    }

    private synchronized void shrink() {
        int size = getCorePoolSize() - 1;
        setCorePoolSize(size);
        setMaximumPoolSize(size);
    }
}
