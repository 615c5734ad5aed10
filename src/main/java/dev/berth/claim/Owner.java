package dev.berth.claim;

import org.jspecify.annotations.Nullable;

/**
 * Who an address is claimed for.
 *
 * @param uid the Service's {@code metadata.uid}; null: a reservation for whichever Service has the name
 */
public record Owner(ServiceKey service, @Nullable String uid) {
    public boolean isReservation() {
        return uid == null;
    }
}
