package dev.berth.kube;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * All Services in the cache at one time: each is either here or there.
 *
 * @param states of those that can be read
 * @param unreadable what those publish that cannot be read otherwise
 */
public record CachedServices(List<ServiceState> states, SequencedMap<ServiceKey, List<Published>> unreadable) {
    public CachedServices {
        states = List.copyOf(states);
        unreadable = Collections.unmodifiableSequencedMap(new TreeMap<>(unreadable));
    }
}
