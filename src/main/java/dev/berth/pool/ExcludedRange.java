package dev.berth.pool;

import dev.berth.ip.IpRange;
import java.util.List;

/**
 * Addresses that are in use in the cluster itself, and so no pool's to give.
 *
 * @param what of whom, as a message has it: {@code ServiceCIDR "kubernetes"}
 * @param fault whether a pool that has some of them is wrong, or they are just left out
 */
public record ExcludedRange(String what, List<IpRange> ranges, boolean fault) {
    public ExcludedRange {
        ranges = List.copyOf(ranges);
    }
}
