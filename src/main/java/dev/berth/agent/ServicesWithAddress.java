package dev.berth.agent;

import dev.berth.agent.KeptObjects.Claim;
import dev.berth.claim.ServiceKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Which Services have an Address. Most have none, and what happens to them is of no concern. Thread-safe. */
final class ServicesWithAddress {
    /** How often each is named. */
    private final Map<ServiceKey, Integer> counts = new ConcurrentHashMap<>();

    /** The claims of one Address are others than before. */
    void change(List<Claim> before, List<Claim> now) {
        now.forEach(claim -> counts.merge(claim.service(), 1, Integer::sum));
        before.forEach(claim -> counts.computeIfPresent(claim.service(), (key, count) -> count > 1 ? count - 1 : null));
    }

    boolean has(ServiceKey service) {
        return counts.containsKey(service);
    }
}
