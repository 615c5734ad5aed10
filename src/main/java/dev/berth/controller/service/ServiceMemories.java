package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.Timing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiPredicate;

/** What is remembered of each Service between two passes. */
final class ServiceMemories {
    private final Timing timing;
    private final ConcurrentMap<ServiceKey, ServiceMemory> byService = new ConcurrentHashMap<>();

    /** @param timing by which what failed is tried again */
    ServiceMemories(Timing timing) {
        this.timing = timing;
    }

    /** What is remembered of it; begins with nothing. */
    ServiceMemory of(ServiceKey key) {
        return byService.computeIfAbsent(key, none -> new ServiceMemory(timing));
    }

    /** The same; absent: nothing is. */
    Optional<ServiceMemory> find(ServiceKey key) {
        return Optional.ofNullable(byService.get(key));
    }

    void forget(ServiceKey key) {
        byService.remove(key);
    }

    /** The Services of which this is so, in their order. */
    List<ServiceKey> matching(BiPredicate<ServiceKey, ServiceMemory> which) {
        return byService.entrySet().stream()
                .filter(entry -> which.test(entry.getKey(), entry.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }
}
