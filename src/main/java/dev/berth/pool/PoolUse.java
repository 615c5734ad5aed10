package dev.berth.pool;

import java.math.BigInteger;

/**
 * How full one family of a pool is; {@code capacity = allocated + reserved + cooling + available}, always.
 *
 * @param allocated held by Services, or about to be
 * @param reserved for future Services, or not allocated at all
 * @param cooling released, and may not be reused yet
 * @param waiting Services that wait for an address of it: it is full, or they wait for their turn, for their
 *     quota, or for one very address of it; who waits for one of several pools counts in each
 */
public record PoolUse(BigInteger capacity, BigInteger allocated, BigInteger reserved, BigInteger cooling, int waiting) {
    public BigInteger available() {
        return capacity.subtract(allocated).subtract(reserved).subtract(cooling);
    }
}
