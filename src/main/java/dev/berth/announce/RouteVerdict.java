package dev.berth.announce;

/** Whether a node announces an address by BGP, and why. */
public sealed interface RouteVerdict {
    /** Human-readable: one sentence without an end. */
    String sentence();

    /** It does. */
    record Announces(Route route) implements RouteVerdict {
        @Override
        public String sentence() {
            return "announced by BGP to %s; next hop %s%s"
                    .formatted(
                            String.join(", ", route.peers()),
                            route.nextHop(),
                            route.prefix().isAggregate() ? ", as " + route.prefix() : "");
        }
    }

    /** It does not. */
    record Silent(NotAnnouncedReason reason) implements RouteVerdict {
        @Override
        public String sentence() {
            return reason.sentence();
        }
    }
}
