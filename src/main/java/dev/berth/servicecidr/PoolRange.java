package dev.berth.servicecidr;

import dev.berth.ip.IpRange;

/** Some addresses of an AddressPool. */
public record PoolRange(String pool, IpRange range) {}
