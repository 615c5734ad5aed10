package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.Optional;

/**
 * The address of a router.
 *
 * @param link the interface of a link-local address; empty: the address needs none
 */
public record Neighbour(Ip address, String link) {
    private static final char ZONE = '%';

    /** As {@link #toString} writes it; absent: it is none. */
    public static Optional<Neighbour> find(String text) {
        int zone = text.indexOf(ZONE);
        return zone < 0
                ? Ip.find(text).map(address -> new Neighbour(address, ""))
                : Ip.find(text.substring(0, zone)).map(address -> new Neighbour(address, text.substring(zone + 1)));
    }

    /** Like 192.0.2.254, or fe80::1%eth1 (RFC 4007, section 11). */
    @Override
    public String toString() {
        return link.isEmpty() ? address.toString() : address.toString() + ZONE + link;
    }
}
