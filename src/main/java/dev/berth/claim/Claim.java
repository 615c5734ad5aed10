package dev.berth.claim;

import dev.berth.ip.Ip;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an {@code Address} object says.
 *
 * @param uid the object's {@code metadata.uid}
 * @param resourceVersion of the object as read
 */
public record Claim(Ip ip, String uid, String resourceVersion, ClaimSpec spec) {
    /** Who it is for; empty: kept from everyone. */
    public List<Owner> owners() {
        return spec.owners();
    }

    /** The class value that it was taken for; null: any. */
    public @Nullable String loadBalancerClass() {
        return spec.loadBalancerClass();
    }

    /**
     * Whether this was read of a later state of the API server. Resource versions of one kind are numbers
     * that grow; ones that are not numbers cannot be compared, and none is newer.
     */
    boolean isNewerThan(Claim other) {
        try {
            return Long.parseUnsignedLong(resourceVersion) > Long.parseUnsignedLong(other.resourceVersion);
        } catch (NumberFormatException opaque) {
            return false;
        }
    }
}
