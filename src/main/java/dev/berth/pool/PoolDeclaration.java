package dev.berth.pool;

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
 * @param faults what else is wrong with it, a sentence each
 * @param isWhole whether all of it could be read; else nothing is allocated from it, for what is missing may be a limit
 */
public record PoolDeclaration(
        String name,
        Instant created,
        List<String> addresses,
        List<String> excluded,
        boolean withoutEnds,
        PoolPolicy policy,
        boolean releasesStranded,
        List<String> faults,
        boolean isWhole) {
    static final Comparator<PoolDeclaration> BY_AGE =
            Comparator.comparing(PoolDeclaration::created).thenComparing(PoolDeclaration::name);

    public PoolDeclaration {
        addresses = List.copyOf(addresses);
        excluded = List.copyOf(excluded);
        faults = List.copyOf(faults);
    }

    /** One that is understood. */
    public PoolDeclaration(
            String name,
            Instant created,
            List<String> addresses,
            List<String> excluded,
            boolean withoutEnds,
            PoolPolicy policy,
            boolean releasesStranded) {
        this(name, created, addresses, excluded, withoutEnds, policy, releasesStranded, List.of(), true);
    }
}
