package dev.berth.loadbalancer;

import dev.berth.loadbalancer.Published.PortStatus;
import dev.berth.provider.Ingress;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a Service's status must say.
 *
 * @param finalizer whether ours has to be on; it is never taken off by this
 * @param servedByClass what {@link WellKnownNames#SERVED_BY_CLASS} must say beside the finalizer; null: leave it as it is
 * @param ingress null: leave it as it is
 * @param conditions ours that must be there; those of ours that are not here must go
 */
public record Publication(
        boolean finalizer,
        @Nullable String servedByClass,
        @Nullable List<Published> ingress,
        List<Condition> conditions) {
    public Publication {
        conditions = List.copyOf(conditions);
    }

    /** Of one that needs no mark of its class. */
    public Publication(boolean finalizer, @Nullable List<Published> ingress, List<Condition> conditions) {
        this(finalizer, null, ingress, conditions);
    }

    /** The same, with these addresses. */
    Publication publishing(List<Published> other) {
        return new Publication(finalizer, servedByClass, other, conditions);
    }

    /**
     * What to publish of a provider's answer; {@code withIpMode} false leaves the mode out. Where a port is not
     * served, every port of the Service is named, as Kubernetes wants it.
     *
     * @param ports of the Service
     * @param errors of ports that the provider was not asked for
     */
    public static List<Published> ingressOf(
            LoadBalancerStatus status, boolean withIpMode, List<Port> ports, List<PortError> errors) {
        List<PortError> all = new ArrayList<>(status.portErrors());
        all.addAll(errors);
        List<PortStatus> statuses = all.isEmpty()
                ? List.of()
                : ports.stream()
                        .map(port -> new PortStatus(
                                port.port(),
                                port.protocol().name(),
                                all.stream()
                                        .filter(error ->
                                                error.port() == port.port() && error.protocol() == port.protocol())
                                        .map(PortError::error)
                                        .findFirst()
                                        .orElse(null)))
                        .toList();
        List<Published> published = new ArrayList<>();
        for (Ingress ingress : status.ingress()) {
            published.add(Published.of(ingress, withIpMode, statuses));
        }
        return published;
    }

    /** A condition; {@code since} is kept if {@code service} has it with the same status already. */
    public static Condition condition(
            ServiceState service, String type, boolean holds, Reason reason, String message, Instant now) {
        return condition(service, type, Condition.Status.of(holds), reason, message, now);
    }

    /** The same, also of what is unknown. */
    static Condition condition(
            ServiceState service, String type, Condition.Status status, Reason reason, String message, Instant now) {
        return said(service, type, status, reason.name(), message, now);
    }

    /** The same for a reason that an agent gave, which may be newer than this operator. */
    static Condition said(
            ServiceState service, String type, Condition.Status status, String reason, String message, Instant now) {
        Instant since = service.condition(type)
                .filter(old -> old.status() == status)
                .map(Condition::since)
                .orElse(now);
        return new Condition(type, status, reason, message, since);
    }

    /** What of it is not so yet; absent: nothing, and nothing need be written. */
    Optional<Difference> differenceFrom(ServiceState service) {
        boolean addFinalizer = finalizer && !service.hasOurFinalizer();
        boolean marksClass = finalizer
                && servedByClass != null
                && !Optional.of(servedByClass).equals(service.servedByClass());
        boolean ingressDiffers = ingress != null && !sameIngress(ingress, service.ingress());
        List<Condition> changed = new ArrayList<>(conditions);
        changed.removeIf(wanted ->
                service.condition(wanted.type()).filter(wanted::sameContent).isPresent());
        List<String> removed = removedFrom(service);
        return addFinalizer || marksClass || ingressDiffers || !changed.isEmpty() || !removed.isEmpty()
                ? Optional.of(new Difference(
                        addFinalizer,
                        marksClass ? servedByClass : null,
                        ingressDiffers ? ingress : null,
                        changed,
                        removed))
                : Optional.empty();
    }

    private List<String> removedFrom(ServiceState service) {
        List<String> ours = new ArrayList<>(WellKnownNames.CONDITIONS);
        if (service.isMarkedOurs()) {
            ours.add(WellKnownNames.PORTS_ERROR);
        }
        // In one order, whatever that of the status is: by it a patch is found to be one that failed before.
        ours.removeIf(type -> service.condition(type).isEmpty() || says(type));
        return ours;
    }

    private boolean says(String type) {
        for (Condition wanted : conditions) {
            if (wanted.type().equals(type)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the two say the same to Kubernetes: an IP without a mode is VIP. */
    public static boolean sameIngress(List<Published> a, List<Published> b) {
        return a.equals(b) || read(a).equals(read(b));
    }

    /** Whether the two say the same but for the mode. */
    static boolean differsInIpModeOnly(List<Published> a, List<Published> b) {
        return !sameIngress(a, b) && withoutIpMode(a).equals(withoutIpMode(b));
    }

    /** Whether one of them has an ipMode. */
    static boolean usesIpMode(List<Published> ingress) {
        for (Published entry : ingress) {
            if (entry.ipMode() != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether each that can have an ipMode has one. */
    static boolean hasModes(List<Published> ingress) {
        for (Published entry : ingress) {
            if (entry.ip() != null && entry.ipMode() == null) {
                return false;
            }
        }
        return true;
    }

    private static List<Published> read(List<Published> ingress) {
        List<Published> read = new ArrayList<>(ingress);
        read.replaceAll(Published::read);
        return read;
    }

    private static List<Published> withoutIpMode(List<Published> ingress) {
        return ingress.stream().map(Published::withoutIpMode).toList();
    }

    /**
     * What one patch has to change.
     *
     * @param finalizer whether ours is to be added
     * @param servedByClass what {@link WellKnownNames#SERVED_BY_CLASS} is to say; null: not changed
     * @param ingress null: not changed; empty: taken away
     * @param conditions to be set
     * @param removedConditions types of ours to be taken away
     */
    public record Difference(
            boolean finalizer,
            @Nullable String servedByClass,
            @Nullable List<Published> ingress,
            List<Condition> conditions,
            List<String> removedConditions)
            implements Attempt {
        /** ServiceConditions whose messages have numbers, or names of nodes. */
        private static final List<String> IN_NUMBERS =
                List.of(WellKnownNames.TARGETS_HEALTHY, WellKnownNames.ANNOUNCED);

        public Difference {
            conditions = new ArrayList<>(conditions);
            removedConditions = new ArrayList<>(removedConditions);
        }

        /** Whether nothing is new but the words in which conditions of {@code service} say the same. */
        boolean isInWordsOnly(ServiceState service) {
            return !finalizer
                    && servedByClass == null
                    && ingress == null
                    && removedConditions.isEmpty()
                    && conditions.stream()
                            .allMatch(wanted -> service.condition(wanted.type())
                                    .filter(old -> old.status() == wanted.status()
                                            && old.reason().equals(wanted.reason()))
                                    .isPresent());
        }

        /**
         * Whether nothing is new but how many targets pass, or which nodes announce its addresses, and for {@code service} it is
         * as good as before.
         */
        boolean isInNumbersOnly(ServiceState service) {
            return !finalizer
                    && servedByClass == null
                    && ingress == null
                    && removedConditions.isEmpty()
                    && conditions.stream()
                            .allMatch(wanted -> IN_NUMBERS.contains(wanted.type())
                                    && service.condition(wanted.type())
                                            .filter(old -> old.status() == wanted.status())
                                            .isPresent());
        }

        /** The same whenever it is asked for: what tells that a patch was tried before. */
        public Difference timeless() {
            List<Condition> timeless = new ArrayList<>(conditions);
            timeless.replaceAll(condition -> new Condition(
                    condition.type(), condition.status(), condition.reason(), condition.message(), Instant.EPOCH));
            return new Difference(finalizer, servedByClass, ingress, timeless, removedConditions);
        }
    }
}
