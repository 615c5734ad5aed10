package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.ServiceState;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The Services without a class that another controller serves: a sign that it serves all such. What it has
 * published counts, and nothing else: a finalizer is what any user may write, and concerns that Service alone.
 */
final class ForeignServices {
    private final TreeMap<ServiceKey, String> marks = new TreeMap<>();

    /**
     * Takes note of a Service as it is now.
     *
     * @param ours whether it is ours already
     * @return whether there came to be a sign, another one, or none any more
     */
    synchronized boolean note(ServiceState service, boolean ours) {
        Optional<Deference> before = sign();
        Optional<String> mark = service.typeLoadBalancer() && service.loadBalancerClass() == null && !ours
                ? service.foreignIngress()
                : Optional.empty();
        mark.ifPresentOrElse(found -> marks.put(service.key(), found), () -> marks.remove(service.key()));
        return !before.equals(sign());
    }

    /**
     * Takes note of a Service after a pass: what Berth writes itself causes no event.
     *
     * @param served whether an address is claimed for it, or its provider was asked
     * @return as {@link #note}
     */
    boolean noteAfter(ServiceState service, boolean served) {
        return (served || service.foreignIngress().isEmpty()) && note(service, true);
    }

    /** The Service is gone. Returns as {@link #note}. */
    synchronized boolean forget(ServiceKey service) {
        Optional<Deference> before = sign();
        marks.remove(service);
        return !before.equals(sign());
    }

    /** One of them, human-readable; absent: there is none. */
    synchronized Optional<Deference> sign() {
        return Optional.ofNullable(marks.firstEntry()).map(ForeignServices::sign);
    }

    private static Deference sign(Map.Entry<ServiceKey, String> entry) {
        return new Deference("Service " + entry.getKey() + " has " + entry.getValue());
    }
}
