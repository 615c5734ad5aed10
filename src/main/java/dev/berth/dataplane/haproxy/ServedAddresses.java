package dev.berth.dataplane.haproxy;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The addresses of load balancers, and which of them this host leaves to others. Guarded by {@link SharedAddresses}. */
final class ServedAddresses {
    /** For how long an address that could not be bound is left to others. */
    private static final long LEAVE_ALONE = 10_000;

    private final Collection<String> served = new TreeSet<>();

    /** Since when they could not be bound. */
    private final Map<String, Long> refused = new TreeMap<>();

    /** This one is to be bound; returns whether it was not before. */
    boolean add(String address) {
        refused.remove(address);
        return served.add(address);
    }

    void remove(String address) {
        served.remove(address);
    }

    boolean has(String address) {
        return served.contains(address);
    }

    /** This one could not be bound. */
    void refuse(String address, long now) {
        refused.put(address, now);
    }

    /** What could not be bound is tried again, after a while. */
    void tryAgain(long now) {
        refused.values().removeIf(since -> now - since > LEAVE_ALONE);
    }

    /** Those that this host would bind. */
    List<String> willing() {
        return served.stream().filter(one -> !refused.containsKey(one)).toList();
    }
}
