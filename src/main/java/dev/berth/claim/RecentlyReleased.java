package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpSet;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Predicate;

/**
 * The free addresses of pools that allocate the least recently used one, in the order of their release.
 * The memory is of this process, and bounded: what must rest for sure has a cool-down. Not safe for use by
 * several threads.
 */
final class RecentlyReleased {
    private static final int REMEMBERED = 100_000;

    private final Map<String, SequencedSet<Ip>> byPool = new HashMap<>();

    /** All that are remembered, and all that are held in such pools: what is not in it was never used. */
    private final IpSet touched = new IpSet();

    private static boolean concerns(Pool pool) {
        return pool.policy().strategy() == PoolPolicy.Strategy.LEAST_RECENTLY_USED;
    }

    /** Nobody holds {@code ip} of {@code pool} any more. */
    void released(Pool pool, Ip ip) {
        if (concerns(pool)) {
            SequencedSet<Ip> ips = byPool.computeIfAbsent(pool.name(), none -> new LinkedHashSet<>());
            ips.addLast(ip);
            if (ips.size() > REMEMBERED) {
                touched.remove(ips.removeFirst());
            }
        }
    }

    /** Somebody holds {@code ip} of {@code pool} now. */
    void taken(Pool pool, Ip ip) {
        if (concerns(pool)) {
            touched.add(ip);
            ips(pool.name()).remove(ip);
        }
    }

    /** The lowest address that was never used, else the one whose release is longest ago; absent: none is free. */
    Optional<Ip> next(Pool pool, IpFamily family, Predicate<Ip> may) {
        return touched.missing(pool.ranges(family))
                .filter(may)
                .findFirst()
                .or(() -> ips(pool.name()).stream()
                        .filter(ip -> ip.family() == family && pool.contains(ip))
                        .filter(may)
                        .findFirst());
    }

    /** Goes by other pools from now on, of which {@code held} are held; what was released of them is remembered. */
    void use(PoolSet poolSet, Collection<Ip> held) {
        touched.clear();
        byPool.keySet()
                .retainAll(poolSet.pools().stream()
                        .filter(RecentlyReleased::concerns)
                        .map(Pool::name)
                        .toList());
        byPool.forEach((name, ips) -> {
            ips.removeIf(ip ->
                    poolSet.poolOf(ip).filter(pool -> pool.name().equals(name)).isEmpty());
            ips.forEach(touched::add);
        });
        if (poolSet.pools().stream().anyMatch(RecentlyReleased::concerns)) {
            held.forEach(ip -> poolSet.poolOf(ip).ifPresent(pool -> taken(pool, ip)));
        }
    }

    /** Throws IllegalStateException if it is not in step with these pools, of which {@code held} are held. */
    void checkInvariants(PoolSet poolSet, Collection<Ip> held) {
        IpSet expected = new IpSet();
        byPool.forEach((name, ips) -> ips.forEach(ip -> {
            Agreement.check(
                    poolSet.poolOf(ip).filter(pool -> pool.name().equals(name)).isPresent(),
                    () -> ip + " is remembered as released of " + name + ", but is not of it");
            Agreement.check(!held.contains(ip), () -> ip + " is remembered as released, but is held");
            expected.add(ip);
        }));
        held.stream()
                .filter(ip ->
                        poolSet.poolOf(ip).filter(RecentlyReleased::concerns).isPresent())
                .forEach(expected::add);
        Agreement.check("addresses that were ever used", touched.runs(), expected.runs());
    }

    void forget() {
        byPool.clear();
    }

    private SequencedSet<Ip> ips(String pool) {
        return byPool.getOrDefault(pool, new LinkedHashSet<>());
    }
}
