package dev.berth.agent.bgp;

import dev.berth.announce.PeerVerdict.Session;
import dev.berth.announce.Route;
import dev.berth.ip.Ip;
import java.util.List;

/**
 * What the speaker of a node is to do.
 *
 * @param routerId an IPv4 address that no other speaker has
 */
public record Wanted(Ip routerId, List<Session> sessions, List<Route> routes) {
    public Wanted {
        sessions = List.copyOf(sessions);
        routes = List.copyOf(routes);
    }
}
