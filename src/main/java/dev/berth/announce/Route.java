package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;

/**
 * What a node tells routers of an address, which is a route of its own: /32 or /128.
 *
 * @param nextHop the node, in the address' family
 * @param peers the names of the BGPPeers that are told
 */
public record Route(Ip address, Ip nextHop, List<String> peers, List<Community> communities, Optional<Long> localPref) {
    public Route {
        peers = List.copyOf(peers);
        communities = List.copyOf(communities);
    }
}
