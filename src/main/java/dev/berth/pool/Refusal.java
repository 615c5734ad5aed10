package dev.berth.pool;

import dev.berth.ip.IpFamily;
import java.math.BigInteger;

/**
 * Why one pool gives no address of one family.
 *
 * @param reason the first rule that refused
 * @param detail what a reader needs to know besides, as a phrase: who has the address, or why it is in no pool, which
 *     port clashes, how much of the quota is used; empty: nothing
 * @param free addresses of the family that were left
 * @param capacity addresses of the family in all
 */
public record Refusal(
        String pool, IpFamily family, RefusalReason reason, String detail, BigInteger free, BigInteger capacity) {
    /** The pool, and why, as a clause: {@code AddressPool "edge" (0 of 14 free)}. */
    public String clause() {
        return "AddressPool \"" + pool + "\" " + reason.sentence(this);
    }
}
