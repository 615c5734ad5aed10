package dev.berth.loadbalancer;

import dev.berth.claim.Claim;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import java.util.Optional;

/** An address that is released. */
public sealed interface Leaving {
    Ip ip();

    /** Who leaves it. */
    Owner owner();

    /**
     * The Service that there is releases it.
     *
     * @param before the Address as it was known before the Service was written: only as such it is released. Absent: it
     *     was not known, or nothing written
     */
    record Itself(Ip ip, Owner owner, Optional<Claim> before) implements Leaving {}

    /** It was held for a Service that had the name before, or for one that is gone: a live read has to show it. */
    record Former(Ip ip, Owner owner) implements Leaving {}
}
