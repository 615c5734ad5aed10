package dev.berth.dataplane.haproxy.peers;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

/**
 * What a host tells the others of itself, again and again.
 *
 * @param host its identity, the same for as long as its records are there
 * @param run of its process, another after each start; two hosts with one identity, for one was cloned, differ by it
 * @param number of the beat: one of the same run with a higher one is newer. 0: it is not numbered
 * @param able whether it can carry traffic, and has waited long enough since its start to know who has what
 * @param served addresses of its load balancers: that it would bind
 * @param held addresses that are bound on it
 */
public record Beat(String host, String run, long number, boolean able, Set<String> served, Set<String> held) {
    public Beat {
        Objects.requireNonNull(host);
        // Hosts that are not updated yet do not say it.
        run = Objects.requireNonNullElse(run, "");
        served = Collections.unmodifiableSet(new LinkedHashSet<>(served));
        held = Collections.unmodifiableSet(new LinkedHashSet<>(held));
    }

    /** The same, as the one of this number. */
    public Beat numbered(long next) {
        return new Beat(host, run, next, able, served, held);
    }

    /** Who says it, unlike all others. */
    String who() {
        return host + "/" + run;
    }

    /** Whether it is not older than another one of the same {@link #who}. */
    boolean follows(Beat other) {
        return number == 0 || number > other.number;
    }

    boolean holds(String address) {
        return held.contains(address);
    }

    /** Whether it would bind the address if nobody had it. */
    boolean wouldBind(String address) {
        return able && served.contains(address);
    }
}
