package dev.berth.dataplane.haproxy.peers;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What a host tells the others of itself, again and again.
 *
 * @param host its identity, the same for as long as its records are there
 * @param able whether it can carry traffic, and has waited long enough since its start to know who has what
 * @param served addresses of its load balancers: that it would bind
 * @param held addresses that are bound on it
 */
public record Beat(String host, boolean able, Set<String> served, Set<String> held) {
    public Beat {
        served = Collections.unmodifiableSet(new LinkedHashSet<>(served));
        held = Collections.unmodifiableSet(new LinkedHashSet<>(held));
    }

    boolean holds(String address) {
        return held.contains(address);
    }

    /** Whether it would bind the address if nobody had it. */
    boolean wouldBind(String address) {
        return able && served.contains(address);
    }
}
