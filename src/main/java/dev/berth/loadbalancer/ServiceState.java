package dev.berth.loadbalancer;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.provider.LoadBalancerRequest.Port;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Service as it was read.
 *
 * @param deleting whether it has a deletionTimestamp
 * @param typeLoadBalancer whether {@code spec.type} is LoadBalancer
 * @param loadBalancerClass null: none is named
 * @param families {@code spec.ipFamilies}, in order
 * @param ingress {@code status.loadBalancer.ingress}
 */
public record ServiceState(
        ServiceKey key,
        String uid,
        String resourceVersion,
        Instant created,
        boolean deleting,
        boolean typeLoadBalancer,
        @Nullable String loadBalancerClass,
        List<IpFamily> families,
        FamilyPolicy familyPolicy,
        List<Port> ports,
        Map<String, String> labels,
        Asked asked,
        Delivery delivery,
        List<String> finalizers,
        List<Published> ingress,
        List<Condition> conditions) {
    public ServiceState {
        families = List.copyOf(families);
        ports = List.copyOf(ports);
        finalizers = List.copyOf(finalizers);
        ingress = List.copyOf(ingress);
        conditions = List.copyOf(conditions);
    }

    /**
     * What bears on the addresses it gets.
     *
     * @param annotations all of the Service
     * @param loadBalancerIp {@code spec.loadBalancerIP}; null: none
     * @param localTraffic whether {@code spec.externalTrafficPolicy} is Local
     * @param selector {@code spec.selector}
     */
    public record Asked(
            Map<String, String> annotations,
            @Nullable String loadBalancerIp,
            boolean localTraffic,
            Map<String, String> selector) {
        public static final Asked NOTHING = new Asked(Map.of(), null, false, Map.of());
    }

    /**
     * How its packets are to be delivered.
     *
     * @param sourceRanges {@code spec.loadBalancerSourceRanges}; empty: from everywhere
     * @param sessionAffinity for how long a client's packets go to one endpoint; null: no affinity
     * @param healthCheckNodePort {@code spec.healthCheckNodePort}; 0: none
     */
    public record Delivery(
            List<String> sourceRanges, @Nullable Duration sessionAffinity, int healthCheckNodePort) {
        public static final Delivery PLAIN = new Delivery(List.of(), null, 0);

        public Delivery {
            sourceRanges = List.copyOf(sourceRanges);
        }
    }

    /** {@code spec.ipFamilyPolicy}. */
    public enum FamilyPolicy {
        SINGLE_STACK,
        PREFER_DUAL_STACK,
        REQUIRE_DUAL_STACK
    }

    /** Whether its owner gives {@code ip} up, should the Service ask for one of another pool. */
    boolean givesUp(Ip ip) {
        String text = asked.annotations().get(WellKnownNames.REPLACE_ADDRESS);
        return text != null
                && Stream.of(text.split(",", -1))
                        .anyMatch(part -> Ip.find(part.trim()).equals(Optional.of(ip)));
    }

    /** Whether it asks for a load balancer now. */
    public boolean wantsLoadBalancer() {
        return typeLoadBalancer && !deleting;
    }

    public boolean hasOurFinalizer() {
        return finalizers.contains(WellKnownNames.FINALIZER);
    }

    /**
     * Whether Berth has served it: our finalizer, and our word on its addresses in the status. The finalizer
     * alone tells nothing, for metadata is what users write; a status is written by those only who may.
     */
    public boolean isMarkedOurs() {
        return hasOurFinalizer() && condition(WellKnownNames.ADDRESS_ASSIGNED).isPresent();
    }

    /** The class value that stands beside our finalizer; absent: none does, for what users write alone tells nothing. */
    public Optional<String> servedByClass() {
        return hasOurFinalizer()
                ? Optional.ofNullable(asked.annotations().get(WellKnownNames.SERVED_BY_CLASS))
                : Optional.empty();
    }

    /** Whether a condition of ours is on it: one that waits has no finalizer of ours, but this. */
    public boolean hasOurConditions() {
        for (Condition condition : conditions) {
            if (WellKnownNames.CONDITIONS.contains(condition.type())) {
                return true;
            }
        }
        return false;
    }

    public Optional<Condition> condition(String type) {
        for (Condition condition : conditions) {
            if (condition.type().equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /**
     * Since when it waits for an address, by its condition. Absent: it does not say so, or what it says cannot be, for it was
     * before the Service itself, or is still to come. Anyone who may write a status can date it, and a clock may have been wrong.
     */
    public Optional<Instant> waitsSince(Instant now) {
        return condition(WellKnownNames.ADDRESS_ASSIGNED)
                .filter(condition -> condition.status() == Condition.Status.FALSE)
                .map(Condition::since)
                .filter(since -> !since.isBefore(created) && !since.isAfter(now));
    }

    /** The families that it is to have an address of. */
    public List<IpFamily> wantedFamilies() {
        return familyPolicy == FamilyPolicy.SINGLE_STACK && families.size() > 1 ? families.subList(0, 1) : families;
    }

    /** Whether its status names {@code ip}. */
    public boolean publishes(Ip ip) {
        return publishedAddresses().contains(ip);
    }

    /** The IP addresses in its status, in order; no matter who wrote them. */
    public List<Ip> publishedAddresses() {
        return Published.addresses(ingress);
    }

    /** A finalizer of another load balancer controller; absent: there is none. */
    Optional<String> foreignFinalizer() {
        for (String finalizer : finalizers) {
            if (WellKnownNames.isForeignLoadBalancer(finalizer)) {
                return Optional.of(finalizer);
            }
        }
        return Optional.empty();
    }

    /** What another load balancer controller left on it, human-readable; absent: nothing. */
    public Optional<String> foreignMark() {
        return foreignFinalizer().map(finalizer -> "finalizer " + finalizer).or(this::foreignIngress);
    }

    /** What somebody published for it, while it is not ours, human-readable; absent: nothing. */
    public Optional<String> foreignIngress() {
        return ingress.isEmpty() ? Optional.empty() : Optional.of("ingress " + ingress.getFirst());
    }
}
