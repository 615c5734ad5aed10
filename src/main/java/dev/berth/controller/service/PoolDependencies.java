package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.pool.PoolSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** By which pools something was said of a Service that other pools may make untrue. Used by several threads. */
final class PoolDependencies {
    private final Map<ServiceKey, PoolSet> byService = new ConcurrentHashMap<>();

    /** This is planned for it, and said of it. */
    void note(ServiceSnapshot snapshot, ServicePlan plan) {
        if (snapshot.dependsOnPools(plan)) {
            byService.put(snapshot.key(), snapshot.pools());
        } else {
            byService.remove(snapshot.key());
        }
    }

    /** Whether what is said of it goes by other pools than these. */
    boolean isOutdated(ServiceKey key, PoolSet now) {
        PoolSet then = byService.get(key);
        return then != null && then != now;
    }

    /** The Services of which this is so, in their order. */
    List<ServiceKey> outdated(PoolSet now) {
        return byService.keySet().stream()
                .filter(key -> isOutdated(key, now))
                .sorted()
                .toList();
    }

    void forget(ServiceKey key) {
        byService.remove(key);
    }
}
