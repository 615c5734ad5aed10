package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a node tells routers of an address, or of a network that has some of its addresses.
 *
 * @param nextHop the node, in the address' family or, if it has none there, in IPv6 (RFC 8950)
 * @param peers the names of the BGPPeers that are told
 */
public record Route(
        Prefix prefix, Ip nextHop, List<String> peers, List<Community> communities, Optional<Long> localPref) {
    public Route {
        peers = List.copyOf(peers);
        communities = List.copyOf(communities);
    }

    /** Of one address alone. */
    public Route(Ip address, Ip nextHop, List<String> peers, List<Community> communities, Optional<Long> localPref) {
        this(Prefix.of(address), nextHop, peers, communities, localPref);
    }

    /** The first address of the network. */
    public Ip address() {
        return prefix.network();
    }

    /**
     * One for each network: the first of those that name it, told to the peers of all. Classes that announce one network with
     * different communities cannot both have theirs.
     */
    public static List<Route> merged(List<Route> routes) {
        SequencedMap<Prefix, Route> byPrefix = new TreeMap<>();
        routes.forEach(route -> byPrefix.merge(route.prefix(), route, Route::toldToo));
        return List.copyOf(byPrefix.values());
    }

    private Route toldToo(Route other) {
        return new Route(
                prefix,
                nextHop,
                Stream.concat(peers.stream(), other.peers.stream())
                        .distinct()
                        .sorted()
                        .toList(),
                communities,
                localPref);
    }
}
