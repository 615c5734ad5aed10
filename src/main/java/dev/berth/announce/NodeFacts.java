package dev.berth.announce;

import java.util.Optional;

/**
 * What a Node object says that bears on announcing.
 *
 * @param excluded it is labelled {@code node.kubernetes.io/exclude-from-external-load-balancers}
 * @param deleting it has a deletionTimestamp
 * @param outOfService it is tainted {@code node.kubernetes.io/out-of-service}
 * @param networkUnavailable its condition NetworkUnavailable is True
 * @param leaving it is cordoned, or the cluster autoscaler is about to remove it: it announces what no other node does
 */
public record NodeFacts(
        boolean excluded, boolean deleting, boolean outOfService, boolean networkUnavailable, boolean leaving) {
    /** Of a node of which nothing special is said. */
    public static final NodeFacts FIT = new NodeFacts(false, false, false, false, false);

    /** Why it announces nothing at all; absent: it may. */
    Optional<NotAnnouncedReason> objection() {
        if (excluded) {
            return Optional.of(NotAnnouncedReason.NODE_EXCLUDED);
        }
        if (deleting) {
            return Optional.of(NotAnnouncedReason.NODE_DELETED);
        }
        if (outOfService) {
            return Optional.of(NotAnnouncedReason.NODE_OUT_OF_SERVICE);
        }
        return networkUnavailable ? Optional.of(NotAnnouncedReason.NODE_NETWORK_UNAVAILABLE) : Optional.empty();
    }
}
