package dev.berth.announce;

/** Whether a node announces an address, and why. */
public sealed interface Verdict {
    /** Human-readable: one sentence without an end. */
    String sentence();

    /**
     * It does.
     *
     * @param link the interface
     * @param others how many others could, were it not there
     * @param isOfNetwork whether a network of the interface has the address
     */
    record Announces(String link, int others, boolean isOfNetwork) implements Verdict {
        @Override
        public String sentence() {
            return "announced on interface %s%s; %s"
                    .formatted(
                            link,
                            isOfNetwork
                                    ? ""
                                    : ", of which no network has the address: a router must send there what is for it",
                            switch (others) {
                                case 0 -> "no other node can deliver it";
                                case 1 -> "one more node can deliver it";
                                default -> others + " more nodes can deliver it";
                            });
        }
    }

    /**
     * It does not.
     *
     * @param owner the node that does; empty: none
     */
    record Silent(NotAnnouncedReason reason, String owner) implements Verdict {
        @Override
        public String sentence() {
            return reason == NotAnnouncedReason.ANOTHER_NODE ? "node " + owner + " announces it" : reason.sentence();
        }
    }
}
