package dev.berth.pool;

import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes pools for tests. */
public final class SamplePools {
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private SamplePools() {}

    public static PoolDeclaration pool(String name, String... addresses) {
        return pool(name, 0, 100, addresses);
    }

    public static PoolDeclaration pool(String name, int age, int priority, String... addresses) {
        return new PoolDeclaration(
                name,
                START.plusSeconds(age),
                List.of(addresses),
                List.of(),
                false,
                PoolPolicy.OPEN.withPriority(priority),
                false);
    }

    /** The same pool by another policy. */
    public static PoolDeclaration with(PoolDeclaration pool, UnaryOperator<PoolPolicy> change) {
        return new PoolDeclaration(
                pool.name(),
                pool.created(),
                pool.addresses(),
                pool.excluded(),
                pool.withoutEnds(),
                change.apply(pool.policy()),
                pool.releasesStranded());
    }

    /** The same pool with this quota. */
    public static PoolDeclaration limited(PoolDeclaration pool, Quota quota) {
        return with(pool, policy -> policy.withQuota(quota));
    }

    public static PoolSet poolSet(PoolDeclaration... pools) {
        return PoolSet.of(List.of(pools), List.of());
    }
}
