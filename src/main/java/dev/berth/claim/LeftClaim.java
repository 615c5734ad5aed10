package dev.berth.claim;

import dev.berth.pool.PoolSet;

/** What becomes of an Address object that one of its owners needs no longer. */
public sealed interface LeftClaim {
    /** It is deleted: nobody needs it, and others may have the address at once. */
    record Deleted() implements LeftClaim {}

    /**
     * It stays: other Services have it, it is kept for those that left it, or it is not reused yet.
     *
     * @param spec what it says now
     */
    record Kept(ClaimSpec spec) implements LeftClaim {}

    /**
     * Decides it.
     *
     * @param pools those that say how long addresses are not reused, and whether what is in none of them is taken back
     */
    static LeftClaim of(Claim claim, Ledger.Leaving leaving, PoolSet pools) {
        ClaimSpec left = leaving.from(claim.spec());
        boolean waits = left.retain()
                || Cooling.left(left, pools.poolOf(claim.ip()), leaving.at()).isPositive();
        boolean stays = left.phase() == ClaimSpec.Phase.BOUND || (waits && !pools.takesBack(claim.ip(), left.pool()));
        return stays ? new Kept(left) : new Deleted();
    }
}
