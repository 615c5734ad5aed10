package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Claim;

/** The next thing to do for a Service that another controller gave its addresses, complete. */
public sealed interface TakeOverEffect permits TakeOverEffect.Hold, TakeOverEffect.Join, SkippingEffect {
    /** Hold all that it publishes, or nothing. */
    record Hold(AddressRequest request) implements TakeOverEffect {}

    /**
     * Join those who share an address.
     *
     * @param index of the claim among those that it has to join
     */
    record Join(int index, Claim shared, AddressRequest request) implements TakeOverEffect {}
}
