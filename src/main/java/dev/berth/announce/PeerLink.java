package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;

/**
 * An interface of a node, as far as a peer on it needs it.
 *
 * @param own its link-local address; absent: it has none
 * @param routers the link-local addresses of the routers that were heard there
 */
public record PeerLink(Optional<Ip> own, List<Ip> routers) {
    public PeerLink {
        routers = List.copyOf(routers);
    }
}
