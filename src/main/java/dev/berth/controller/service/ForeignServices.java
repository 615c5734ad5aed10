package dev.berth.controller.service;

import dev.berth.address.ServiceKey;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.ServiceState;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The Services without a class that another controller serves: a sign that it serves all such. What it has
 * published counts, and nothing else: a finalizer is what any user may write, and concerns that Service alone. And
 * where Berth serves some without a class, an address that it does not know concerns that Service alone, too: anyone
 * who could write one status would have all others left alone otherwise.
 */
final class ForeignServices {
    private final TreeMap<ServiceKey, String> marks = new TreeMap<>();

    /** Those without a class that Berth serves: while there are any, it is Berth that serves such. */
    private final Set<ServiceKey> served = new HashSet<>();

    /** Those without a class that are marked as served, which only their providers can confirm. */
    private final Set<ServiceKey> unconfirmed = new HashSet<>();

    private boolean becameSure;

    /**
     * Takes note of a Service as it is now.
     *
     * @param ours whether it is ours already
     * @param isServed whether more than its status tells so
     * @return whether there came to be a sign, another one, or none any more
     */
    synchronized boolean note(ServiceState service, boolean ours, boolean isServed) {
        Optional<String> mark = service.typeLoadBalancer() && service.loadBalancerClass() == null && !ours
                ? service.foreignIngress()
                : Optional.empty();
        return changesSign(() -> {
            mark.ifPresentOrElse(found -> marks.put(service.key(), found), () -> marks.remove(service.key()));
            if (isServed && service.loadBalancerClass() == null) {
                served.add(service.key());
            } else {
                served.remove(service.key());
            }
        });
    }

    /** The Service is marked as Berth's, and no claim tells so: its provider may, once it was asked. */
    synchronized void expect(ServiceKey service) {
        unconfirmed.add(service);
    }

    /** What can be known of the Service is known. Returns as {@link #note}. */
    synchronized boolean decided(ServiceKey service) {
        return unconfirmed.contains(service) && changesSign(() -> unconfirmed.remove(service));
    }

    /** Whether there are signs of another controller that an answer of a provider may yet contradict. */
    synchronized boolean isUnsure() {
        return !unconfirmed.isEmpty() && !marks.isEmpty() && served.isEmpty();
    }

    /** Whether it has become sure since this was asked last. */
    synchronized boolean takeBecameSure() {
        boolean became = becameSure;
        becameSure = false;
        return became;
    }

    /** Berth serves the Service no longer. Returns as {@link #note}. */
    synchronized boolean noteNotServed(ServiceKey service) {
        return changesSign(() -> served.remove(service));
    }

    /** The Service is gone. Returns as {@link #note}. */
    synchronized boolean forget(ServiceKey service) {
        return changesSign(() -> {
            marks.remove(service);
            served.remove(service);
            unconfirmed.remove(service);
        });
    }

    private boolean changesSign(Runnable change) {
        Optional<Deference> before = sign();
        boolean wasUnsure = isUnsure();
        change.run();
        becameSure |= wasUnsure && !isUnsure();
        return !before.equals(sign());
    }

    /** One of them, human-readable; absent: there is none, or it is not sure. */
    synchronized Optional<Deference> sign() {
        return Optional.ofNullable(marks.firstEntry())
                .filter(any -> served.isEmpty() && unconfirmed.isEmpty())
                .map(ForeignServices::sign);
    }

    private static Deference sign(Map.Entry<ServiceKey, String> entry) {
        return new Deference("Service " + entry.getKey() + " has " + entry.getValue());
    }
}
