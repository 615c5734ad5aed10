package dev.berth.announce;

import java.util.Optional;

/**
 * A BGPPeer object as it was read.
 *
 * @param created as Kubernetes writes it
 * @param peer absent: it cannot be read
 * @param fault why it cannot be read, a sentence without an end
 */
public record ReadPeer(String name, String created, Optional<BgpPeer> peer, String fault) {
    /** One that can be read. */
    public static ReadPeer of(BgpPeer peer) {
        return new ReadPeer(peer.name(), peer.created(), Optional.of(peer), "");
    }
}
