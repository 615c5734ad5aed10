package dev.berth.agent;

import dev.berth.ip.Ip;
import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Machines that claim an address which this node announces, and whose agent, if they are nodes, is not heard. They are
 * named, and not fought.
 */
final class Conflicts {
    private static final Logger LOG = LoggerFactory.getLogger(Conflicts.class);

    /** For how long one is remembered that claims no more, and how long until the same address is named again. */
    private static final long REMEMBER = TimeUnit.MINUTES.toMillis(5);

    /**
     * A node whose agent is heard gives up within moments what another has. One that still answers for an address after this time,
     * each time that it is asked, has it by other means.
     */
    private static final long SETTLED = 2 * BoundAddresses.PROBE + BoundAddresses.PROBE / 2;

    /** Hardware addresses, which answer what another one is asked for. */
    private record Hardware(Set<String> ofThisNode, Set<String> ofOthers) {
        boolean isOfAnotherNode(String hardware) {
            return ofOthers.contains(hardware) && !ofThisNode.contains(hardware);
        }
    }

    private record Claim(String hardware, long said, long heard) {}

    /** Of a node whose agent is heard. */
    private record Contest(String hardware, long began, long heard) {
        Contest(String hardware, long now) {
            this(hardware, now, now);
        }

        boolean isLasting() {
            return heard - began > SETTLED;
        }
    }

    private final AgentMetrics metrics;
    private final Map<InetAddress, Claim> claims = new ConcurrentHashMap<>();
    private volatile Map<InetAddress, Integer> watched = Map.of();
    private final Map<InetAddress, Contest> contests = new ConcurrentHashMap<>();
    private final Set<InetAddress> contested = ConcurrentHashMap.newKeySet();
    private volatile Hardware known = new Hardware(Set.of(), Set.of());

    private final LongSupplier clock;

    /** @param clock in milliseconds, from any moment on */
    Conflicts(AgentMetrics metrics, LongSupplier clock) {
        this.metrics = metrics;
        this.clock = clock;
    }

    Conflicts(AgentMetrics metrics) {
        this(metrics, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /** Addresses that are this node's, with the number of the interface that each is on. */
    void watch(Map<InetAddress, Integer> addresses) {
        watched = addresses;
        contests.keySet().retainAll(addresses.keySet());
        long now = clock.getAsLong();
        claims.entrySet()
                .removeIf(claim -> !addresses.containsKey(claim.getKey())
                        || now - claim.getValue().heard() > REMEMBER);
        metrics.conflicting.set(claims.size());
    }

    /**
     * Hardware addresses, which answer what another one is asked for.
     *
     * @param ofThisNode of all interfaces of this node
     * @param ofOthers of the nodes whose agents are heard: what one of these claims, its agent is about to settle
     */
    void known(Set<String> ofThisNode, Set<String> ofOthers) {
        known = new Hardware(ofThisNode, ofOthers);
        claims.entrySet()
                .removeIf(
                        claim -> isSettledSoon(claim.getKey(), claim.getValue().hardware()));
        metrics.conflicting.set(claims.size());
    }

    private boolean isSettledSoon(InetAddress address, String hardware) {
        Contest contest = contests.get(address);
        return known.ofThisNode().contains(hardware)
                || (known.ofOthers().contains(hardware) && (contest == null || !contest.isLasting()));
    }

    /** Somebody claims an address; on another network than the address' own it is nobody's concern. */
    void claimed(InetAddress address, String hardware, int index) {
        if (!Integer.valueOf(index).equals(watched.get(address))) {
            return;
        }
        if (known.isOfAnotherNode(hardware)) {
            contest(address, hardware);
        }
        if (isSettledSoon(address, hardware)) {
            return;
        }
        metrics.conflicts.inc();
        long now = clock.getAsLong();
        Optional<Long> said =
                Optional.ofNullable(claims.get(address)).map(Claim::said).filter(at -> now - at < REMEMBER);
        claims.put(address, new Claim(hardware, said.orElse(now), now));
        metrics.conflicting.set(claims.size());
        if (said.isEmpty()) {
            LOG.warn(
                    "the machine with hardware address {} claims {}, which this node has; if it is not a node of the cluster,"
                            + " find it, or remove the address from the pool",
                    hardware,
                    address.getHostAddress());
        }
    }

    private void contest(InetAddress address, String hardware) {
        long now = clock.getAsLong();
        contests.compute(
                address,
                (_, before) -> before != null
                                && before.hardware().equals(hardware)
                                && now - before.heard() <= 2 * BoundAddresses.PROBE
                        ? new Contest(hardware, before.began(), now)
                        : new Contest(hardware, now));
        contested.add(address);
    }

    /** Those that other nodes have claimed since it was asked last: neighbours may have learnt where they are not. */
    Set<InetAddress> takeContested() {
        Set<InetAddress> taken = Set.copyOf(contested);
        contested.removeAll(taken);
        return taken;
    }

    /** The addresses that somebody claims lately. */
    Set<Ip> addresses() {
        return claims.keySet().stream().map(Ip::of).collect(Collectors.toSet());
    }

    /** The hardware address of who claims an address lately; null: nobody. */
    @Nullable String claimant(InetAddress address) {
        Claim claim = claims.get(address);
        return claim == null ? null : claim.hardware();
    }
}
