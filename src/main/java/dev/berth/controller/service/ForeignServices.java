package dev.berth.controller.service;

import dev.berth.address.ServiceKey;
import dev.berth.plan.ServiceState;
import dev.berth.plan.StandBack;
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
     * @return whether there came to be a first sign, or none any more
     */
    synchronized boolean note(ServiceState service, boolean ours) {
        Optional<String> mark = service.typeLoadBalancer() && service.loadBalancerClass() == null && !ours
                ? service.foreignIngress()
                : Optional.empty();
        boolean before = marks.isEmpty();
        mark.ifPresentOrElse(found -> marks.put(service.key(), found), () -> marks.remove(service.key()));
        return before != marks.isEmpty();
    }

    /** The Service is gone. Returns as {@link #note}. */
    synchronized boolean forget(ServiceKey service) {
        return marks.remove(service) != null && marks.isEmpty();
    }

    /** One of them, for people; absent: there is none. */
    synchronized Optional<StandBack> sign() {
        return Optional.ofNullable(marks.firstEntry()).map(ForeignServices::sign);
    }

    private static StandBack sign(Map.Entry<ServiceKey, String> entry) {
        return new StandBack("Service " + entry.getKey() + " has " + entry.getValue());
    }
}
