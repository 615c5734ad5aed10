package dev.berth.agent.bgp;

import dev.berth.announce.PeerVerdict.Session;
import dev.berth.announce.Route;
import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;

/**
 * What the speaker of a node is to do.
 *
 * @param routerId an IPv4 address that no other speaker has
 * @param ipv6 the next hop of IPv4 routes for routers that are to have it; absent: the node has no IPv6 address
 */
public record Wanted(Ip routerId, List<Session> sessions, List<Route> routes, Optional<Ip> ipv6) {
    public Wanted {
        sessions = List.copyOf(sessions);
        routes = List.copyOf(routes);
    }

    /** Of a node that has no IPv6 address. */
    Wanted(Ip routerId, List<Session> sessions, List<Route> routes) {
        this(routerId, sessions, routes, Optional.empty());
    }
}
