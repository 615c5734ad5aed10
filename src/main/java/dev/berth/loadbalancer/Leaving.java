package dev.berth.loadbalancer;

import dev.berth.claim.Claim;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import java.util.Optional;

/**
 * An address that is released.
 *
 * @param owner who leaves it
 * @param itself whether that is the Service that there is; else one that bore its name before, or that is gone
 * @param before the Address as it was known before the Service was written: only as such the Service itself releases it.
 *     Absent: it was not known, or nothing written
 */
public record Leaving(Ip ip, Owner owner, boolean itself, Optional<Claim> before) {}
