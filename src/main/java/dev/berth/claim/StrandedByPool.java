package dev.berth.claim;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What is stranded, by the pool that it came from. Not safe for use by several threads. */
final class StrandedByPool {
    private final NavigableMap<String, NavigableMap<Ip, Holding>> byPool = new TreeMap<>();

    void clear() {
        byPool.clear();
    }

    /** Notes a holding that no pool has; only what a Service has, and what came from a pool, is stranded. */
    void add(Holding holding) {
        origin(holding)
                .ifPresent(pool ->
                        byPool.computeIfAbsent(pool, none -> new TreeMap<>()).put(holding.ip(), holding));
    }

    /** Forgets it, if it was there. */
    void remove(Holding holding) {
        origin(holding)
                .ifPresent(pool -> byPool.computeIfPresent(pool, (same, holdings) -> {
                    holdings.remove(holding.ip());
                    return holdings.isEmpty() ? null : holdings;
                }));
    }

    private static Optional<String> origin(Holding holding) {
        return Optional.ofNullable(holding.spec().pool())
                .filter(pool -> holding.spec().phase() == ClaimSpec.Phase.BOUND);
    }

    boolean contains(Holding holding) {
        return origin(holding)
                .map(byPool::get)
                .filter(holdings -> holdings.containsKey(holding.ip()))
                .isPresent();
    }

    /** The pools that something stranded came from, by name. */
    List<String> pools() {
        return List.copyOf(byPool.keySet());
    }

    Stranded of(String pool, int most) {
        NavigableMap<Ip, Holding> holdings = byPool.get(pool);
        return holdings == null
                ? Stranded.NONE
                : new Stranded(
                        holdings.size(), holdings.values().stream().limit(most).toList());
    }

    /** Throws IllegalStateException if it is not the same. */
    void checkInvariants(StrandedByPool expected) {
        Agreement.check("stranded addresses", byPool, expected.byPool);
    }

    Stream<Holding> all() {
        return byPool.values().stream().flatMap(holdings -> holdings.values().stream());
    }
}
