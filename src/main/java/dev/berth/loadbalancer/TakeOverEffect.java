package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;

/** The next thing to do for a Service that another controller gave its addresses, complete. */
public sealed interface TakeOverEffect permits TakeOverEffect.Hold, TakeOverEffect.Join, SkippingEffect {
    /** Hold all that it publishes, or nothing. */
    record Hold(AddressRequest request) implements TakeOverEffect {}

    /**
     * Join those who share an address.
     *
     * @param index of the claim among those that it has to join
     * @param joined what its Address says then
     * @param request what is not tried again before its time, if it fails
     */
    record Join(int index, Claim shared, ClaimSpec joined, AddressRequest request) implements TakeOverEffect {}
}
