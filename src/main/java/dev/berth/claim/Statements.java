package dev.berth.claim;

import dev.berth.claim.WaitingList.Queue;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/** What those who wait said of the queues for it, and who said it. Guarded by the ledger's lock. */
final class Statements {
    private final Map<ServiceKey, List<Queue>> byService = new HashMap<>();
    private final Map<Queue, SequencedSet<ServiceKey>> byQueue = new HashMap<>();

    /** The Service says this of these, and no longer what it said before; empty: of nothing. */
    void says(ServiceKey service, Collection<Queue> queues) {
        List<Queue> before = byService.remove(service);
        if (before != null) {
            for (Queue queue : before) {
                byQueue.computeIfPresent(queue, (same, services) -> {
                    services.remove(service);
                    return services.isEmpty() ? null : services;
                });
            }
        }
        if (!queues.isEmpty()) {
            byService.put(service, List.copyOf(queues));
            queues.forEach(queue -> byQueue.computeIfAbsent(queue, none -> new LinkedHashSet<>())
                    .add(service));
        }
    }

    /** Of what the Service says so; empty: of nothing. */
    List<Queue> of(ServiceKey service) {
        return byService.getOrDefault(service, List.of());
    }

    /** Who says so of this, in the order in which they said it; empty: nobody. */
    List<ServiceKey> by(Queue queue) {
        SequencedSet<ServiceKey> services = byQueue.get(queue);
        return services == null ? List.of() : List.copyOf(services);
    }

    boolean isEmpty() {
        return byService.isEmpty();
    }

    /** Throws IllegalStateException if the two do not agree. */
    void checkInvariants() {
        Map<Queue, SequencedSet<ServiceKey>> expected = new HashMap<>();
        byService.forEach((service, queues) -> queues.forEach(queue ->
                expected.computeIfAbsent(queue, none -> new LinkedHashSet<>()).add(service)));
        Agreement.check("set of those who say something of what others wait for", byQueue, expected);
    }

    void clear() {
        byService.clear();
        byQueue.clear();
    }
}
