package dev.berth.address;

import java.math.BigInteger;

/**
 * How full one family of a pool is; {@code capacity = allocated + available}.
 *
 * @param waiting Services that wait for an address of it
 */
public record PoolUse(BigInteger capacity, BigInteger allocated, int waiting) {
    public BigInteger available() {
        return capacity.subtract(allocated);
    }
}
