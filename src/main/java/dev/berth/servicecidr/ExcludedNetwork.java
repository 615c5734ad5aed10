package dev.berth.servicecidr;

import dev.berth.ip.IpRange;

/**
 * Addresses that no new range may have.
 *
 * @param what whose they are, as the start of a sentence: {@code Node "a" (podCIDR)}
 */
public record ExcludedNetwork(String what, IpRange range) {
    @Override
    public String toString() {
        return what + " " + range;
    }
}
