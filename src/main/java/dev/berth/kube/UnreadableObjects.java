package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The objects of which something cannot be read. What it is stands on each, as a condition or an event, or in the log. */
public final class UnreadableObjects {
    private UnreadableObjects() {}

    /** How many there are of each kind. Each count reads all objects of the kind: it is meant for once a minute. */
    public static Map<String, Supplier<Number>> counts(Caches caches) {
        Map<String, Supplier<Number>> counts = new TreeMap<>();
        counts.put(
                "Address",
                () -> count(
                        caches.addresses().list(),
                        address -> Claims.unreadable(address).isEmpty()));
        counts.put(
                "AddressPool",
                () -> count(
                        caches.pools().list(),
                        pool -> Pools.declaration(pool).faults().isEmpty()));
        counts.put(
                "ClusterIPReservation",
                () -> count(
                        caches.reservations().list(),
                        object -> ClusterIpReservations.faults(object).isEmpty()));
        counts.put(
                "LoadBalancerClass",
                () -> count(
                        caches.classes().list(),
                        object -> Classes.declaration(object).unreadable().isEmpty()));
        counts.put("Node", () -> count(caches.nodes().list(), node -> Nodes.state(node) != null));
        counts.put("Service", () -> count(caches.services().list(), ServiceStates::canBeRead));
        counts.put(
                "ServiceCIDR",
                () -> count(
                        caches.serviceCidrs().list(),
                        cidr -> ServiceCidrs.of(cidr).unreadable().isEmpty()));
        return counts;
    }

    private static <O extends HasMetadata> long count(Stream<O> objects, Predicate<O> canBeRead) {
        return objects.filter(object -> {
                    try {
                        return !canBeRead.test(object);
                    } catch (RuntimeException unreadable) {
                        return true;
                    }
                })
                .count();
    }
}
