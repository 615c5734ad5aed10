package dev.berth.agent.bgp;

import dev.berth.announce.Route;
import dev.berth.ip.IpFamily;
import java.util.List;

/**
 * How a session does.
 *
 * @param ending why there is none, or why the one before ended; empty: not known, or there was none before
 * @param families of which routes are told: both sides have them; empty if there is no session
 */
public record SessionState(boolean isEstablished, String ending, List<IpFamily> families) {
    public SessionState {
        families = List.copyOf(families);
    }

    /** There is none, and this is why. */
    public static SessionState none(String ending) {
        return new SessionState(false, ending, List.of());
    }

    /** Whether a route that is for its peer is announced to the router. */
    public boolean tells(Route route) {
        return families.contains(route.address().family());
    }
}
