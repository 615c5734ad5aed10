package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.pool.PoolBook;

/** Why no pool has an address any more that a Service has. Pure. */
final class StrandedAddress {
    /** As conditions and events name it. */
    enum Reason {
        PoolDeleted,
        OutsideOfPools
    }

    private StrandedAddress() {}

    /** In words, with what becomes of it. */
    static WaitReason why(Holding holding, PoolBook pools) {
        String name = String.valueOf(holding.spec().pool());
        String pool = "AddressPool \"" + name + "\"";
        String kept = "; the Service keeps the address until it is deleted or ";
        return pools.named(name).isPresent()
                ? new WaitReason(
                        Reason.OutsideOfPools.name(),
                        pool + " does not have " + holding.ip() + " any more" + kept + "the pool takes it back")
                : new WaitReason(
                        Reason.PoolDeleted.name(),
                        pool + ", which had " + holding.ip() + ", does not exist any more" + kept
                                + "a pool of that name, created again, takes it back");
    }
}
