package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.pool.PoolSet;
import dev.berth.reason.Reason;

/** Why an address of a Service is no longer in any pool. Pure. */
final class StrandedAddress {
    private StrandedAddress() {}

    /** In words, with what becomes of it. */
    static WaitReason why(Holding holding, PoolSet pools) {
        String name = String.valueOf(holding.spec().pool());
        String pool = "AddressPool \"" + name + "\"";
        String kept = "; the Service keeps the address until the Service is deleted or ";
        return pools.named(name).isPresent()
                ? new WaitReason(
                        Reason.NotInAnyPool, holding.ip() + " is no longer in " + pool + kept + "the pool reclaims it")
                : new WaitReason(
                        Reason.PoolDeleted,
                        pool + ", which had " + holding.ip() + ", was deleted" + kept
                                + "a new AddressPool with the same name reclaims it");
    }
}
