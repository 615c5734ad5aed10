package dev.berth.controller.service;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.Replacement;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.Planner;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.loadbalancer.Step;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.pool.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** What would become of the Services that have stranded addresses, if these were taken back now. Changes nothing. */
final class LookAhead {
    private final Ledger ahead;
    private final BiFunction<ServiceKey, Ledger, ServiceSnapshot> snapshots;

    /**
     * Begins with nothing taken back.
     *
     * @param ahead a copy that it may change
     * @param snapshots of a Service, by what a ledger holds
     */
    LookAhead(Ledger ahead, BiFunction<ServiceKey, Ledger, ServiceSnapshot> snapshots) {
        this.ahead = ahead;
        this.snapshots = snapshots;
    }

    /** For each Service that has one of these addresses, in their order: who comes first gets first. */
    List<Replacement> replacements(List<Holding> stranded) {
        List<Replacement> all = new ArrayList<>();
        for (Holding holding : stranded) {
            for (Owner owner : holding.owners()) {
                if (!owner.isReservation()) {
                    all.add(replacement(owner.service(), holding.ip()));
                }
            }
        }
        return all;
    }

    private Replacement replacement(ServiceKey service, Ip lost) {
        ServicePlan plan;
        try {
            plan = Planner.plan(snapshots.apply(service, ahead));
        } catch (Unreadable left) {
            // It is left as it is.
            return new Replacement(service, lost, Optional.empty(), "");
        }
        Optional<Ip> reserved = plan.steps().stream()
                .flatMap(step -> step instanceof Step.ConfirmClaim(Holding holding, ServedClass none)
                        ? Stream.of(holding.ip())
                        : Stream.empty())
                .filter(ip -> ip.family() == lost.family())
                .findFirst()
                .or(() -> alreadyAssumed(service, lost));
        if (reserved.isPresent()) {
            return new Replacement(service, lost, reserved, "");
        }
        return plan.requests().stream()
                .findFirst()
                .map(request -> chosen(request, lost))
                .orElseGet(() -> new Replacement(service, lost, Optional.empty(), refused(plan)));
    }

    /** Why it would not even ask: what it asks for cannot be understood. Empty: for another reason. */
    private static String refused(ServicePlan plan) {
        return plan.steps().stream()
                .flatMap(step -> step instanceof Step.Refuse(WaitReason why)
                        ? Stream.of(why.reason().name())
                        : Stream.empty())
                .findFirst()
                .orElse("");
    }

    /** Of a Service that loses both families, the second was chosen with the first. */
    private Optional<Ip> alreadyAssumed(ServiceKey service, Ip lost) {
        return ahead.heldFor(service).stream()
                .filter(holding -> holding.owners().stream()
                        .anyMatch(owner -> owner.service().equals(service) && !owner.isReservation()))
                .map(Holding::ip)
                .filter(ip ->
                        ip.family() == lost.family() && ahead.pools().poolOf(ip).isPresent())
                .findFirst();
    }

    private Replacement chosen(AddressRequest request, Ip lost) {
        return switch (ahead.choose(request)) {
            case Choice.Assigned assigned -> {
                ahead.assume(assigned);
                Optional<Ip> by = assigned.picks().stream()
                        .map(Choice.Pick::ip)
                        .filter(ip -> ip.family() == lost.family())
                        .findFirst();
                yield new Replacement(
                        request.service(), lost, by, by.isPresent() ? "" : reason(request, assigned.missing()));
            }
            case Choice.Refused refused ->
                new Replacement(request.service(), lost, Optional.empty(), reason(request, refused.refusals()));
        };
    }

    private static String reason(AddressRequest request, List<Refusal> refusals) {
        return WaitReason.of(request, refusals).reason().name();
    }
}
