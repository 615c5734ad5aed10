package dev.berth.dataplane.haproxy;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How often the network is still to be told where addresses are: a frame may be lost. Guarded by {@link SharedAddresses}. */
final class Tellings {
    private static final int OFTEN = 5;

    private static final long PAUSE = 1_000;

    private final Map<String, Integer> left = new LinkedHashMap<>();

    /** When it was told last. */
    private long told;

    Tellings(long now) {
        told = now - PAUSE;
    }

    /** Notifies the network of these, several times. */
    void begin(Collection<String> addresses) {
        addresses.forEach(address -> left.put(address, OFTEN));
    }

    /** The next time is now. */
    void hurry(long now) {
        told = now - PAUSE;
    }

    void end(Collection<String> addresses) {
        addresses.forEach(left::remove);
    }

    /** Takes those of which it is to be told now; empty: none. */
    List<String> take(long now) {
        if (left.isEmpty() || now - told < PAUSE) {
            return List.of();
        }
        told = now;
        List<String> due = List.copyOf(left.keySet());
        left.replaceAll((address, times) -> times - 1);
        left.values().removeIf(times -> times <= 0);
        return due;
    }
}
