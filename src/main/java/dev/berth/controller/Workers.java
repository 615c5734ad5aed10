package dev.berth.controller;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The virtual threads of one control loop. So many objects are reconciled at once; all others wait in a queue, where each
 * takes less than 100 bytes. One that is being reconciled, and waits for its turn to write, takes 10,000.
 */
public final class Workers extends ThreadPoolExecutor {
    /** Whose thread this is; null, or not bound: nobody's. */
    private static final ScopedValue<@Nullable Workers> OWN = ScopedValue.newInstance();

    /** Workers that reconcile {@code atOnce} objects at once, but for those that are {@link #aside}. */
    public Workers(int atOnce) {
        super(atOnce, atOnce, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        setThreadFactory(work ->
                Thread.ofVirtual().unstarted(() -> ScopedValue.where(OWN, this).run(work)));
    }

    /**
     * Waits for what may take long, and is not the API server, while the next object is reconciled. On a thread of nobody's
     * it waits, and nothing else.
     */
    public static <T extends @Nullable Object> T aside(Supplier<T> waiting) {
        Workers own = OWN.isBound() ? OWN.get() : null;
        if (own == null) {
            return waiting.get();
        }
        own.resize(1);
        try {
            return ScopedValue.where(OWN, null).call(waiting::get);
        } finally {
            own.resize(-1);
        }
    }

    /** The pool must never have room for fewer than it keeps. */
    private synchronized void resize(int by) {
        int size = getCorePoolSize() + by;
        if (by > 0) {
            setMaximumPoolSize(size);
            setCorePoolSize(size);
        } else {
            setCorePoolSize(size);
            setMaximumPoolSize(size);
        }
    }
}
