package dev.berth.announce;

/** Whether a node that a BGPPeer selects has a session with the router. */
public sealed interface PeerVerdict {
    /**
     * It is to have one.
     *
     * @param password empty: none
     */
    record Session(BgpPeer peer, String password) implements PeerVerdict {
        @Override
        public String toString() {
            return "Session[peer=" + peer + "]";
        }
    }

    /**
     * It cannot have one.
     *
     * @param why a sentence without an end
     */
    record Unusable(String why) implements PeerVerdict {}
}
