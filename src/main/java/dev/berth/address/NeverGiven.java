package dev.berth.address;

import java.util.List;

/**
 * Addresses that are in use in the cluster itself, and so no pool's to give.
 *
 * @param what of whom, as a message has it: {@code ServiceCIDR "kubernetes" (10.96.0.0/16)}
 */
public record NeverGiven(String what, List<IpRange> ranges) {
    public NeverGiven {
        ranges = List.copyOf(ranges);
    }
}
