package dev.berth.pool;

import java.time.Duration;

/**
 * Who may have addresses of a pool, and how they are allocated.
 *
 * @param autoAssign whether a request that names neither pool nor address may have one of it
 * @param priority lower first
 * @param suspended nothing new is allocated
 * @param reuseAfter how long an address is withheld from others after its release; zero: not at all
 */
public record PoolPolicy(
        boolean autoAssign,
        int priority,
        Selector namespaces,
        Selector services,
        boolean suspended,
        Strategy strategy,
        Duration reuseAfter,
        Quota quota) {
    /** Everyone may have one, the lowest, at once. */
    public static final PoolPolicy OPEN = new PoolPolicy(
            true,
            100,
            Selector.EVERYTHING,
            Selector.EVERYTHING,
            false,
            Strategy.LOWEST_FREE,
            Duration.ZERO,
            Quota.NONE);

    /** Which of the free addresses is allocated next. */
    public enum Strategy {
        LOWEST_FREE,
        /** The lowest that was never used; else the one whose release is longest ago, as far as is remembered. */
        LEAST_RECENTLY_USED
    }

    /** The same with another {@link #priority}. */
    public PoolPolicy withPriority(int other) {
        return new PoolPolicy(autoAssign, other, namespaces, services, suspended, strategy, reuseAfter, quota);
    }

    /** The same with another {@link #autoAssign}. */
    public PoolPolicy withAutoAssign(boolean other) {
        return new PoolPolicy(other, priority, namespaces, services, suspended, strategy, reuseAfter, quota);
    }

    /** The same with another {@link #suspended}. */
    public PoolPolicy withSuspended(boolean other) {
        return new PoolPolicy(autoAssign, priority, namespaces, services, other, strategy, reuseAfter, quota);
    }

    /** The same for other namespaces and Services. */
    public PoolPolicy withSelectors(Selector ofNamespaces, Selector ofServices) {
        return new PoolPolicy(autoAssign, priority, ofNamespaces, ofServices, suspended, strategy, reuseAfter, quota);
    }

    /** The same with another {@link #strategy}. */
    public PoolPolicy withStrategy(Strategy other) {
        return new PoolPolicy(autoAssign, priority, namespaces, services, suspended, other, reuseAfter, quota);
    }

    /** The same with another {@link #reuseAfter}. */
    public PoolPolicy withReuseAfter(Duration other) {
        return new PoolPolicy(autoAssign, priority, namespaces, services, suspended, strategy, other, quota);
    }

    /** The same with another {@link #quota}. */
    public PoolPolicy withQuota(Quota other) {
        return new PoolPolicy(autoAssign, priority, namespaces, services, suspended, strategy, reuseAfter, other);
    }
}
