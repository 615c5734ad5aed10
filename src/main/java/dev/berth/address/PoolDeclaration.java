package dev.berth.address;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A pool as its administrator wrote it.
 *
 * @param addresses CIDRs, ranges and addresses, unchecked
 * @param excluded the same, to be left out
 */
public record PoolDeclaration(
        String name,
        Instant created,
        List<String> addresses,
        List<String> excluded,
        boolean autoAssign,
        int priority,
        Selector namespaces,
        Selector services,
        boolean suspended) {
    static final Comparator<PoolDeclaration> BY_AGE =
            Comparator.comparing(PoolDeclaration::created).thenComparing(PoolDeclaration::name);

    public PoolDeclaration {
        addresses = List.copyOf(addresses);
        excluded = List.copyOf(excluded);
    }
}
