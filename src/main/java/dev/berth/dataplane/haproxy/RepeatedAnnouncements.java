package dev.berth.dataplane.haproxy;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How often addresses are still to be announced to the network: a frame may be lost. Guarded by {@link SharedAddresses}. */
final class RepeatedAnnouncements {
    private static final int TIMES = 5;

    private static final long PAUSE = 1_000;

    private final Map<String, Integer> left = new LinkedHashMap<>();

    /** When the last were. */
    private long announced;

    RepeatedAnnouncements(long now) {
        announced = now - PAUSE;
    }

    /** These are announced several times. */
    void begin(Collection<String> addresses) {
        addresses.forEach(address -> left.put(address, TIMES));
    }

    /** The next time is now. */
    void hurry(long now) {
        announced = now - PAUSE;
    }

    void end(Collection<String> addresses) {
        addresses.forEach(left::remove);
    }

    /** Takes those that are to be announced now; empty: none. */
    List<String> take(long now) {
        if (left.isEmpty() || now - announced < PAUSE) {
            return List.of();
        }
        announced = now;
        List<String> due = List.copyOf(left.keySet());
        left.replaceAll((address, times) -> times - 1);
        left.values().removeIf(times -> times <= 0);
        return due;
    }
}
