package dev.berth.agent;

import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warnings of what may happen again and again, for each address or each node: each is logged once in 5 minutes, and no more
 * than {@link #MOST} of them.
 */
final class Warnings {
    static final int MOST = 100;
    static final long PAUSE = TimeUnit.MINUTES.toMillis(5);
    private static final Logger LOG = LoggerFactory.getLogger(Warnings.class);

    /** When each was logged, the oldest first. */
    private final SequencedMap<String, Long> logged = new LinkedHashMap<>();

    private final LongSupplier clock;

    /** @param clock in milliseconds, from any moment on */
    Warnings(LongSupplier clock) {
        this.clock = clock;
    }

    synchronized void warn(String line) {
        long now = clock.getAsLong();
        logged.values().removeIf(at -> now - at >= PAUSE);
        if (logged.size() < MOST && logged.putIfAbsent(line, now) == null) {
            LOG.warn("{}", line);
        }
    }
}
