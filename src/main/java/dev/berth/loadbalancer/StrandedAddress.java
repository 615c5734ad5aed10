package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.pool.PoolSet;

/** Why an address of a Service is no longer in any pool. Pure. */
final class StrandedAddress {
    /** As conditions and events name it. */
    enum Reason {
        PoolDeleted,
        NotInAnyPool
    }

    private StrandedAddress() {}

    /** In words, with what becomes of it. */
    static WaitReason why(Holding holding, PoolSet pools) {
        String name = String.valueOf(holding.spec().pool());
        String pool = "AddressPool \"" + name + "\"";
        String kept = "; the Service keeps the address until the Service is deleted or ";
        return pools.named(name).isPresent()
                ? new WaitReason(
                        Reason.NotInAnyPool.name(),
                        holding.ip() + " is no longer in " + pool + kept + "the pool reclaims it")
                : new WaitReason(
                        Reason.PoolDeleted.name(),
                        pool + ", which had " + holding.ip() + ", was deleted" + kept
                                + "a new AddressPool with the same name reclaims it");
    }
}
