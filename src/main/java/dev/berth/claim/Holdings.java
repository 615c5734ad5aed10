package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.ip.IpSet;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Every address that is held, and what is found and counted by it. For one thread at a time. */
final class Holdings {
    private final Map<Ip, Holding> byIp = new HashMap<>();
    private final Map<ServiceKey, NavigableSet<Ip>> byService = new HashMap<>();
    private final Map<SharedBy, NavigableSet<Ip>> byShare = new HashMap<>();
    private final IpSet used = new IpSet();
    private final PoolCounts counts = new PoolCounts();
    private final StrandedByPool stranded = new StrandedByPool();
    private final RecentlyReleased recentlyReleased = new RecentlyReleased();
    private PoolSet pools = PoolSet.empty();

    PoolSet pools() {
        return pools;
    }

    PoolCounts counts() {
        return counts;
    }

    StrandedByPool stranded() {
        return stranded;
    }

    Collection<Holding> all() {
        return byIp.values();
    }

    @Nullable Holding get(Ip ip) {
        return byIp.get(ip);
    }

    boolean contains(Ip ip) {
        return byIp.containsKey(ip);
    }

    /** What is held for the Service of this name, ascending. */
    List<Holding> of(ServiceKey service) {
        return found(byService.getOrDefault(service, Collections.emptyNavigableSet()));
    }

    /** What Services of one namespace share by one key, ascending. */
    List<Holding> of(SharedBy share) {
        return found(byShare.getOrDefault(share, Collections.emptyNavigableSet()));
    }

    private List<Holding> found(Collection<Ip> ips) {
        List<Holding> found = new ArrayList<>(ips.size());
        for (Ip ip : ips) {
            Holding holding = byIp.get(ip);
            if (holding != null) {
                found.add(holding);
            }
        }
        return Collections.unmodifiableList(found);
    }

    /** By which keys it is shared, in which namespaces. */
    static List<SharedBy> sharesOf(Holding holding) {
        Sharing sharing = holding.spec().sharing();
        return sharing == null
                ? List.of()
                : PoolCounts.namespaces(holding).stream()
                        .map(namespace -> new SharedBy(namespace, sharing.key()))
                        .toList();
    }

    BigInteger free(Pool pool, IpFamily family) {
        return pool.capacity(family).subtract(counts.held(pool.name(), family));
    }

    /** The free address of a pool that is allocated next. */
    Optional<Ip> next(Pool pool, IpFamily family) {
        if (pool.policy().strategy() == PoolPolicy.Strategy.LEAST_RECENTLY_USED) {
            return recentlyReleased.next(pool, family, ip -> true);
        }
        for (IpRange range : pool.ranges(family)) {
            Optional<Ip> lowest = used.lowestMissing(range);
            if (lowest.isPresent()) {
                return lowest;
            }
        }
        return Optional.empty();
    }

    /** The next of those that may be given. */
    Optional<Ip> next(Pool pool, IpFamily family, Predicate<Ip> may) {
        return pool.policy().strategy() == PoolPolicy.Strategy.LEAST_RECENTLY_USED
                ? recentlyReleased.next(pool, family, may)
                : used.missing(pool.ranges(family)).filter(may).findFirst();
    }

    /**
     * Notes who holds an address by now.
     *
     * @return whether nobody held it before
     */
    boolean put(Holding holding) {
        Ip ip = holding.ip();
        Optional<Pool> pool = pools.poolOf(ip);
        Holding old = byIp.put(ip, holding);
        if (old == null) {
            used.add(ip);
            pool.ifPresent(found -> recentlyReleased.taken(found, ip));
        } else {
            unlink(old);
        }
        pool.ifPresentOrElse(found -> counts.replace(found.name(), old, holding), () -> stranded.add(holding));
        for (Owner owner : holding.owners()) {
            byService.computeIfAbsent(owner.service(), none -> new TreeSet<>()).add(ip);
        }
        for (SharedBy by : sharesOf(holding)) {
            byShare.computeIfAbsent(by, none -> new TreeSet<>()).add(ip);
        }
        return old == null;
    }

    /** Nobody holds it any more. Returns who did; null: nobody. */
    @Nullable Holding remove(Ip ip) {
        Holding old = byIp.remove(ip);
        if (old != null) {
            used.remove(ip);
            unlink(old);
            pools.poolOf(ip).ifPresent(pool -> {
                recentlyReleased.released(pool, ip);
                counts.replace(pool.name(), old, null);
            });
        }
        return old;
    }

    private void unlink(Holding holding) {
        stranded.remove(holding);
        for (Owner owner : holding.owners()) {
            unlink(byService, owner.service(), holding.ip());
        }
        for (SharedBy by : sharesOf(holding)) {
            unlink(byShare, by, holding.ip());
        }
    }

    private static <K> void unlink(Map<K, NavigableSet<Ip>> index, K key, Ip ip) {
        index.computeIfPresent(key, (same, ips) -> {
            ips.remove(ip);
            return ips.isEmpty() ? null : ips;
        });
    }

    /** Throws IllegalStateException if anything that is found or counted by what is held does not agree with it. */
    void checkInvariants() {
        Map<ServiceKey, NavigableSet<Ip>> services = new HashMap<>();
        Map<SharedBy, NavigableSet<Ip>> shares = new HashMap<>();
        IpSet ips = new IpSet();
        PoolCounts counted = new PoolCounts();
        StrandedByPool inNoPool = new StrandedByPool();
        byIp.forEach((ip, holding) -> {
            Agreement.check(holding.ip().equals(ip), () -> "under " + ip + " is kept " + holding);
            ips.add(ip);
            for (Owner owner : holding.owners()) {
                services.computeIfAbsent(owner.service(), none -> new TreeSet<>())
                        .add(ip);
            }
            for (SharedBy by : sharesOf(holding)) {
                shares.computeIfAbsent(by, none -> new TreeSet<>()).add(ip);
            }
            pools.poolOf(ip)
                    .ifPresentOrElse(pool -> counted.replace(pool.name(), null, holding), () -> inNoPool.add(holding));
        });
        Agreement.check("index by Service", byService, services);
        Agreement.check("index by sharing key", byShare, shares);
        Agreement.check("set of addresses in use", used.runs(), ips.runs());
        counts.checkInvariants(counted);
        stranded.checkInvariants(inNoPool);
        recentlyReleased.checkInvariants(pools, byIp.keySet());
    }

    /** Goes by other pools from now on; what is held stays so. */
    void use(PoolSet poolSet) {
        pools = poolSet;
        counts.clear();
        stranded.clear();
        for (Holding holding : byIp.values()) {
            pools.poolOf(holding.ip())
                    .ifPresentOrElse(pool -> counts.replace(pool.name(), null, holding), () -> stranded.add(holding));
        }
        recentlyReleased.use(poolSet, byIp.keySet());
    }

    /** Holds these and nothing else; which was released when is forgotten. */
    void replaceAll(Collection<Holding> all) {
        byIp.clear();
        byService.clear();
        byShare.clear();
        used.clear();
        recentlyReleased.forget();
        all.forEach(this::put);
        use(pools);
    }
}
