package dev.berth.kube;

import dev.berth.kube.Events.About;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Which events were written in the last ten minutes, of 10,000 at most: they are not written again. */
final class RecentEvents {
    static final Duration REPEAT = Duration.ofMinutes(10);
    static final int REMEMBERED = 10_000;

    private record Written(About about, String reason, String message) {}

    /** In the order of the times. */
    private final Map<Written, Instant> written = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Written, Instant> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** Whether it is to be written now; then it counts as written. */
    synchronized boolean add(About about, String reason, String message, Instant now) {
        Iterator<Instant> times = written.values().iterator();
        while (times.hasNext() && !times.next().plus(REPEAT).isAfter(now)) {
            times.remove();
        }
        return written.putIfAbsent(new Written(about, reason, message), now) == null;
    }

    /** How many are remembered. */
    synchronized int size() {
        return written.size();
    }
}
