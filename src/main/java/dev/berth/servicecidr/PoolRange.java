package dev.berth.servicecidr;

import dev.berth.address.IpRange;

/** Some addresses of an AddressPool. */
public record PoolRange(String pool, IpRange range) {}
