package dev.berth.loadbalancer;

import java.util.List;
import java.util.Map;

/**
 * A Node as it was read.
 *
 * @param providerId {@code spec.providerID}; empty: none
 * @param labels those that {@link NodeRules#isRead reads}
 * @param taints their keys
 * @param deleting whether it has a deletionTimestamp
 * @param addresses its internal addresses, or its external ones if it has no internal ones; in its order
 */
public record NodeState(
        String name,
        String providerId,
        Map<String, String> labels,
        List<String> taints,
        boolean deleting,
        List<String> addresses) {
    public NodeState {
        taints = List.copyOf(taints);
        addresses = List.copyOf(addresses);
    }
}
