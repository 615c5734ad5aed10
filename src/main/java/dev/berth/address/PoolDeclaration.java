package dev.berth.address;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A pool as its administrator wrote it.
 *
 * @param addresses CIDRs, ranges and addresses, unchecked
 * @param excluded the same, to be left out
 * @param withoutEnds whether the first and the last address of each IPv4 CIDR, and the first of each IPv6
 *     CIDR, are left out: those of the network, of its broadcast, and of any of its routers (RFC 4291)
 * @param releasesStranded whether addresses that came from it and that no pool has any more are taken back
 */
public record PoolDeclaration(
        String name,
        Instant created,
        List<String> addresses,
        List<String> excluded,
        boolean withoutEnds,
        PoolPolicy policy,
        boolean releasesStranded) {
    static final Comparator<PoolDeclaration> BY_AGE =
            Comparator.comparing(PoolDeclaration::created).thenComparing(PoolDeclaration::name);

    public PoolDeclaration {
        addresses = List.copyOf(addresses);
        excluded = List.copyOf(excluded);
    }
}
