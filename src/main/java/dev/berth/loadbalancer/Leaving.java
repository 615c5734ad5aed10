package dev.berth.loadbalancer;

import dev.berth.claim.Owner;
import dev.berth.ip.Ip;

/**
 * An address that is released.
 *
 * @param owner who leaves it
 * @param itself whether that is the Service that there is; else one that bore its name before, or that is gone
 */
public record Leaving(Ip ip, Owner owner, boolean itself) {}
