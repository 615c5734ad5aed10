package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.Optional;

/** Whether a node that a BGPPeer selects has a session with the router. */
public sealed interface PeerVerdict {
    /**
     * It is to have one.
     *
     * @param password empty: none
     * @param own the node's link-local address on the router's link, which is the next hop of all routes; absent: the
     *     router has an address, and each route its own next hop
     */
    record Session(BgpPeer peer, String password, Neighbour router, Optional<Ip> own) implements PeerVerdict {
        @Override
        public String toString() {
            return "Session[peer=" + peer + ", router=" + router + "]";
        }
    }

    /**
     * It is to have one, and the router is not known yet.
     *
     * @param why a sentence without an end
     */
    record Unheard(String why) implements PeerVerdict {}

    /**
     * It cannot have one.
     *
     * @param why a sentence without an end
     */
    record Unusable(String why) implements PeerVerdict {}
}
