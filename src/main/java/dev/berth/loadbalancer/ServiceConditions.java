package dev.berth.loadbalancer;

import dev.berth.announce.Announcement;
import dev.berth.announce.Announcements;
import dev.berth.announce.Protocol;
import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.PortError;
import dev.berth.provider.TargetHealth;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the conditions of a Service that is served must say: one rule each, in one chain. Pure.
 *
 * @param service as it was read
 * @param addresses that are surely its own
 * @param stranded those of its own that no pool has any more
 * @param pools by which they are stranded
 * @param answer what its provider has answered to what it asks; absent: it was not asked, or did not answer
 * @param outOfSight whether its provider has not said for a while what has become of that
 * @param overwritten whether another controller keeps writing its status
 * @param announcements who announces which address, as the agents say
 * @param stays what its status shows while it is not known what to publish
 * @param now the lastTransitionTime of a condition whose status changes
 */
public record ServiceConditions(
        ServiceState service,
        ServedClass served,
        Facts facts,
        List<Ip> addresses,
        List<Holding> stranded,
        PoolSet pools,
        Optional<EnsureOutcome.Ready> answer,
        boolean outOfSight,
        boolean overwritten,
        Announcements announcements,
        List<Published> stays,
        Instant now) {
    /** For how long another controller's write to the status counts. */
    public static final Duration OVERWRITES_WITHIN = Duration.ofMinutes(10);

    /** Says what a rule has to say; nothing, where the condition must not be there. */
    private interface Rule {
        List<Condition> on(ServiceConditions given);
    }

    private static final List<Rule> RULES = List.of(
            ServiceConditions::addressAssigned,
            ServiceConditions::programmed,
            ServiceConditions::announced,
            ServiceConditions::targetsHealthy,
            ServiceConditions::ofDemand,
            ServiceConditions::sharingConflict,
            ServiceConditions::nodePortsConflict,
            ServiceConditions::annotationsIgnored,
            ServiceConditions::addressStranded,
            ServiceConditions::statusConflict);

    public ServiceConditions {
        addresses = List.copyOf(addresses);
        stranded = List.copyOf(stranded);
        stays = List.copyOf(stays);
    }

    /** All that must be there; those of ours that are not among them must go. */
    List<Condition> all() {
        List<Condition> all = new ArrayList<>();
        for (Rule rule : RULES) {
            all.addAll(rule.on(this));
        }
        return all;
    }

    /** Whether it has its addresses. With the finalizer it is the mark that Berth serves the Service. */
    Condition assigned() {
        return served.capabilities().addresses() == AddressSource.POOLS ? ofPools() : ofItsProvider();
    }

    /**
     * Why it lacks an address, by {@link #assigned}, as metrics count it; absent: it has one of each family that it asks
     * for, be it another than it asks for.
     */
    public static Optional<String> waitsFor(Condition assigned) {
        return assigned.status() != Condition.Status.TRUE || assigned.isFor(Reason.PartiallyAssigned)
                ? Optional.of(assigned.reason())
                : Optional.empty();
    }

    /** Why it is not as it asks to be although it has its addresses, by {@link #assigned}; absent: it is, or it waits. */
    public static Optional<String> notAsRequested(Condition assigned) {
        return waitsFor(assigned).isPresent() || assigned.isFor(Reason.Assigned)
                ? Optional.empty()
                : Optional.of(assigned.reason());
    }

    /**
     * What the status of a Service must say that is left as it is, for {@code reason}: an event is gone after an hour,
     * this stays as long as it is so. All else that its conditions say stays.
     *
     * @param constraints what it asks for itself
     */
    static Publication whyItIsLeft(
            ServiceState service,
            AddressConstraints constraints,
            ObservedState situation,
            Reason reason,
            String message) {
        List<Ip> own = situation.addresses(service, constraints, null);
        String holds = own.stream().map(Ip::toString).collect(Collectors.joining(", "));
        // After a restart nothing else tells which provider made something for it.
        Optional<String> madeBy = situation.provider().bringsItsOwn(service.uid());
        boolean hasItsProviders = madeBy.or(service::servedByClass).isPresent()
                && !service.ingress().isEmpty()
                && situation.holdings().stream().noneMatch(held -> held.isFor(service.key(), service.uid()));
        Condition assigned = Publication.condition(
                service,
                WellKnownNames.ADDRESS_ASSIGNED,
                !own.isEmpty() || hasItsProviders,
                reason,
                own.isEmpty() ? message : "holds " + holds + "; " + message,
                situation.now());
        Stream<Condition> others = service.conditions().stream()
                .filter(other -> WellKnownNames.CONDITIONS.contains(other.type())
                        && !other.type().equals(WellKnownNames.ADDRESS_ASSIGNED)
                        && !other.type().equals(WellKnownNames.RELEASING));
        return new Publication(
                madeBy.isPresent(),
                madeBy.orElse(null),
                null,
                Stream.concat(Stream.of(assigned), others).toList());
    }

    /** That it releases {@code addresses} which it never published; not so any more, where it says so already. */
    static Publication.Difference releasing(ServiceState service, List<Ip> addresses, Instant now) {
        boolean saysSo = service.condition(WellKnownNames.RELEASING).isPresent();
        List<Condition> conditions = saysSo
                ? List.of()
                : List.of(Publication.condition(
                        service,
                        WellKnownNames.RELEASING,
                        true,
                        Reason.NotNeeded,
                        "releases " + addresses.stream().map(Ip::toString).collect(Collectors.joining(", ")),
                        now));
        return new Publication.Difference(
                false, null, null, conditions, saysSo ? List.of(WellKnownNames.RELEASING) : List.of());
    }

    private List<Condition> addressAssigned() {
        return List.of(assigned());
    }

    private Condition ofPools() {
        Optional<WaitReason> waiting = facts.waiting();
        if (!addresses.isEmpty()) {
            String holds = "holds " + addresses.stream().map(Ip::toString).collect(Collectors.joining(", "));
            return condition(
                    WellKnownNames.ADDRESS_ASSIGNED,
                    true,
                    waiting.map(why -> lacking()).orElse(Reason.Assigned),
                    waiting.map(why -> holds + "; " + why.message()).orElse(holds));
        }
        return condition(
                WellKnownNames.ADDRESS_ASSIGNED,
                false,
                waiting.map(WaitReason::reason)
                        .or(() -> facts.trouble().map(ServiceFailure::reason))
                        .orElse(Reason.ClaimFailed),
                waiting.map(WaitReason::message)
                        .or(() -> facts.trouble().map(ServiceFailure::message))
                        .orElse("no address could be claimed"));
    }

    private Reason lacking() {
        return addresses.size() < service.wantedFamilies().size()
                ? Reason.PartiallyAssigned
                : facts.fault().map(WaitReason::reason).orElse(Reason.ReplacementPending);
    }

    private Condition ofItsProvider() {
        List<Published> entries = facts.ingress().orElse(stays);
        String provider = "provider \"" + served.provider() + "\"";
        if (!entries.isEmpty()) {
            return condition(
                    WellKnownNames.ADDRESS_ASSIGNED,
                    true,
                    Reason.Assigned,
                    provider + " gave "
                            + entries.stream()
                                    .map(entry -> entry.withoutIpMode().toString())
                                    .collect(Collectors.joining(", ")));
        }
        Optional<Demand.Unmet> unmet = nothingCanBeDone();
        return condition(
                WellKnownNames.ADDRESS_ASSIGNED,
                false,
                facts.trouble()
                        .map(ServiceFailure::reason)
                        .or(() -> unmet.map(Demand.Unmet::reason))
                        .orElse(Reason.Pending),
                facts.trouble()
                        .map(ServiceFailure::message)
                        .or(() -> unmet.map(Demand.Unmet::message))
                        .or(facts::pending)
                        .orElse("waiting for " + provider));
    }

    /** Why its provider is not even asked; absent: it is. */
    private Optional<Demand.Unmet> nothingCanBeDone() {
        return facts.demand().filter(demand -> !demand.isServable()).flatMap(Demand::unsupported);
    }

    private List<Condition> programmed() {
        List<Condition> programmed = new ArrayList<>();
        facts.trouble()
                .filter(ServiceFailure::isOfEnsuring)
                .ifPresent(what ->
                        programmed.add(condition(WellKnownNames.PROGRAMMED, false, what.reason(), what.message())));
        facts.pending()
                .ifPresent(message ->
                        programmed.add(condition(WellKnownNames.PROGRAMMED, false, Reason.Pending, message)));
        return programmed;
    }

    /** Of the addresses that agents announce; the worst of them counts. */
    private List<Condition> announced() {
        List<Announcement> all = Protocol.find(served.provider())
                .map(protocol -> addresses.stream()
                        .map(ip -> announcements.of(protocol, ip))
                        .toList())
                .orElse(List.of());
        return all.isEmpty() ? List.of() : List.of(announced(all));
    }

    private Condition announced(List<Announcement> all) {
        Announcement worst = Collections.max(
                all, Comparator.comparing(Announcement::state).thenComparing(Announcement::isDisturbed));
        return Publication.said(
                service,
                WellKnownNames.ANNOUNCED,
                switch (worst.state()) {
                    case ANNOUNCED -> Condition.Status.TRUE;
                    case UNKNOWN -> Condition.Status.UNKNOWN;
                    case NOBODY -> Condition.Status.FALSE;
                },
                worst.reason(),
                all.stream().map(Announcement::sentence).collect(Collectors.joining("; ")),
                now);
    }

    private List<Condition> targetsHealthy() {
        return answer.flatMap(ready -> Optional.ofNullable(ready.status().targets()))
                .map(targets -> List.of(targetsHealthy(targets)))
                .orElse(List.of());
    }

    /** That some of them fail is no fault: with policy Local those do that have no endpoint. */
    private Condition targetsHealthy(TargetHealth targets) {
        String numbers = targets.healthy() + " of " + targets.total() + " targets pass the health check";
        if (outOfSight) {
            return targetsHealthy(
                    Condition.Status.UNKNOWN,
                    Reason.ProviderNotResponding,
                    "provider \"" + served.provider() + "\" is not responding; last reported: " + numbers);
        }
        if (targets.total() == 0) {
            return targetsHealthy(Condition.Status.FALSE, Reason.NoTargets, "there is no target");
        }
        if (targets.healthy() == 0) {
            return targetsHealthy(
                    Condition.Status.FALSE,
                    Reason.AllTargetsUnhealthy,
                    numbers
                            + (service.asked().localTraffic()
                                    ? "; with externalTrafficPolicy: Local no connection is served"
                                    : "; connections go to all of them"));
        }
        return targetsHealthy(
                Condition.Status.TRUE,
                targets.healthy() == targets.total() ? Reason.AllTargetsHealthy : Reason.SomeTargetsHealthy,
                numbers);
    }

    private Condition targetsHealthy(Condition.Status status, Reason reason, String message) {
        return Publication.condition(service, WellKnownNames.TARGETS_HEALTHY, status, reason, message, now);
    }

    /** What of it cannot be done, and which ports are not served. */
    private List<Condition> ofDemand() {
        Optional<Demand> demand = facts.demand();
        if (demand.isEmpty()) {
            return List.of();
        }
        List<PortError> portErrors = portErrors(demand.get());
        List<Condition> wanted = new ArrayList<>(demand.get().conditions(service, portErrors, now));
        if (facts.ingress().isEmpty() && portErrors.isEmpty()) {
            // What is published says so still.
            service.condition(WellKnownNames.PORTS_ERROR).ifPresent(wanted::add);
        }
        return wanted;
    }

    /** Of the request, and of what the provider answered to it. */
    private List<PortError> portErrors(Demand demand) {
        List<PortError> errors = new ArrayList<>(demand.portErrors());
        answer.ifPresent(ready -> errors.addAll(ready.status().portErrors()));
        return errors;
    }

    private List<Condition> sharingConflict() {
        return facts.sharingConflict()
                .map(why -> List.of(condition(WellKnownNames.SHARING_CONFLICT, true, why.reason(), why.message())))
                .orElse(List.of());
    }

    private List<Condition> nodePortsConflict() {
        return NodePortRules.of(service, served) == NodePortRules.Verdict.REALLOCATED
                ? List.of(condition(
                        WellKnownNames.NODE_PORTS_CONFLICT,
                        true,
                        Reason.NodePortsReallocated,
                        "released node ports were allocated again; set spec.allocateLoadBalancerNodePorts: false in"
                                + " the Service's manifest, or nodePorts: Keep on LoadBalancerClass"
                                + " \"" + served.name() + "\""))
                : List.of();
    }

    private List<Condition> annotationsIgnored() {
        return facts.ignored()
                .map(why -> List.of(condition(WellKnownNames.ANNOTATIONS_IGNORED, true, why.reason(), why.message())))
                .orElse(List.of());
    }

    private List<Condition> addressStranded() {
        if (stranded.isEmpty()) {
            return List.of();
        }
        List<WaitReason> all = stranded.stream()
                .map(holding -> StrandedAddress.why(holding, pools))
                .toList();
        return List.of(condition(
                WellKnownNames.ADDRESS_STRANDED,
                true,
                all.getFirst().reason(),
                all.stream().map(WaitReason::message).collect(Collectors.joining("; "))));
    }

    private List<Condition> statusConflict() {
        return overwritten
                ? List.of(condition(
                        WellKnownNames.STATUS_CONFLICT,
                        true,
                        Reason.StatusOverwritten,
                        "another controller keeps overwriting status.loadBalancer; stop that controller"))
                : List.of();
    }

    private Condition condition(String type, boolean holds, Reason reason, String message) {
        return Publication.condition(service, type, holds, reason, message, now);
    }
}
