package dev.berth.announce;

import dev.berth.claim.ServiceKey;
import java.util.List;

/**
 * A Service that holds an address.
 *
 * @param isLocal its {@code externalTrafficPolicy} is Local
 * @param ready the nodes that have ready endpoints of the address' family, each once
 * @param terminating the nodes that have endpoints that serve and terminate
 */
public record AddressHolder(ServiceKey key, boolean isLocal, List<String> ready, List<String> terminating) {
    public AddressHolder {
        ready = List.copyOf(ready);
        terminating = List.copyOf(terminating);
    }

    /** Whether any endpoint of it could answer. */
    boolean isServed() {
        return !ready.isEmpty() || !terminating.isEmpty();
    }

    /**
     * Whether a packet that arrives at the node gets to an endpoint. Terminating endpoints count while no node has a ready
     * one: what else is there is worse.
     */
    boolean isDeliveredBy(String node) {
        if (!isLocal) {
            return isServed();
        }
        return ready.isEmpty() ? terminating.contains(node) : ready.contains(node);
    }
}
