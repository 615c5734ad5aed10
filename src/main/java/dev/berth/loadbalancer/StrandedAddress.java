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
        String pool = "AddressPool \"" + holding.spec().pool() + "\"";
        boolean isThere = pools.named(String.valueOf(holding.spec().pool())).isPresent();
        return new WaitReason(
                (isThere ? Reason.OutsideOfPools : Reason.PoolDeleted).name(),
                (isThere
                                ? pool + " does not have " + holding.ip() + " any more"
                                : pool + ", which had " + holding.ip() + ", does not exist any more")
                        + "; the Service keeps the address until it is deleted or the pool takes it back");
    }
}
