package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * An agent that lives, as it says of itself.
 *
 * @param willing whether it takes addresses; not before it knows who else lives, and not when it is about to end
 * @param contact how it hears from the API server; one that has lost it leaves addresses to those that reliably do
 * @param steady whether it has lived for a while; addresses stay where they are until it has
 * @param links the interfaces of its node
 * @param refused addresses that it cannot take, and why: others have to
 * @param sessions by the names of BGPPeers, the families of the routes that its node announces to their routers; at most
 *     {@value #MOST_SESSIONS}
 */
public record Agent(
        boolean willing,
        ApiContact contact,
        boolean steady,
        List<Link> links,
        SequencedMap<Ip, NotAnnouncedReason> refused,
        SequencedMap<String, List<IpFamily>> sessions) {
    /** More are not sent, for all other agents get each. */
    public static final int MOST_SESSIONS = 16;

    public Agent {
        links = List.copyOf(links);
        refused = Collections.unmodifiableSequencedMap(new TreeMap<>(refused));
        sessions = Collections.unmodifiableSequencedMap(new TreeMap<>(sessions));
    }

    /** The same, leaving all addresses to others. */
    public Agent unwilling() {
        return new Agent(false, contact, steady, links, refused, sessions);
    }

    /** One that can take any address, and has no sessions. */
    public Agent(boolean willing, ApiContact contact, boolean steady, List<Link> links) {
        this(willing, contact, steady, links, new TreeMap<>(), new TreeMap<>());
    }
}
