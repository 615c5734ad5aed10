package dev.berth.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an {@code Address} object says.
 *
 * @param uid the object's {@code metadata.uid}
 * @param resourceVersion of the object as read
 * @param pool the pool it was taken from; null: made by hand
 * @param loadBalancerClass the class value it was claimed for; null: any
 * @param owners empty: kept from everyone
 */
public record Claim(
        Ip ip,
        String uid,
        String resourceVersion,
        @Nullable String pool,
        @Nullable String loadBalancerClass,
        List<Owner> owners) {
    public Claim {
        owners = List.copyOf(owners);
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
