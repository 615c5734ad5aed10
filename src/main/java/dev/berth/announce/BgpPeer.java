package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Selector;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * A router that nodes have a session with.
 *
 * @param created as Kubernetes writes it
 * @param router where it is
 * @param password the name of the Secret that has it; absent: the session has none
 * @param nodes those that have a session
 * @param multihop the TTL for a router in another autonomous system that is no neighbour; absent: it is one
 * @param gracefulRestart for how many seconds the router keeps routes while the speaker restarts; 0: not at all
 * @param source the address that the session comes from; absent: the kernel chooses
 * @param hasIpv6NextHops whether the router is told an IPv6 address of the node as next hop of IPv4 routes, too (RFC 8950);
 *     always, if it is on an interface
 */
public record BgpPeer(
        String name,
        String created,
        SequencedMap<String, String> labels,
        Router router,
        int port,
        long peerAsn,
        long myAsn,
        Optional<String> password,
        Selector nodes,
        Timers timers,
        Optional<Integer> multihop,
        List<IpFamily> families,
        int gracefulRestart,
        Optional<Ip> source,
        boolean hasIpv6NextHops) {
    /** The highest number of an autonomous system. */
    public static final long HIGHEST_ASN = 0xFFFF_FFFFL;

    public BgpPeer {
        labels = Collections.unmodifiableSequencedMap(new TreeMap<>(labels));
        families = List.copyOf(families);
    }

    /** Where a router is. */
    public sealed interface Router {
        /** At this address. */
        record AtAddress(Ip address) implements Router {}

        /** It is the one router on the link of this interface of a node: an unnumbered peer. */
        record OnInterface(String name) implements Router {}
    }

    /** In seconds. */
    public record Timers(int hold, int keepalive, int connectRetry) {}

    /** Whether the router is in the nodes' own autonomous system. */
    public boolean isInternal() {
        return peerAsn == myAsn;
    }

    /** Whether a node with these labels is to have a session. */
    public boolean isFor(Map<String, String> labelsOfNode) {
        return nodes.matches(labelsOfNode);
    }
}
