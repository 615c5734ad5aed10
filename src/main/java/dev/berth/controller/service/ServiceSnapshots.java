package dev.berth.controller.service;

import dev.berth.claim.Ledger;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.StartGate;
import dev.berth.loadbalancer.ClassBook;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Supplier;

/** Puts together what a plan for one Service is made from. */
final class ServiceSnapshots {
    private final ServiceParts parts;
    private final StartGate gate;
    private final Supplier<ClassBook> classes;
    private final Supplier<Optional<Deference>> deference;
    private final ServiceMemories memories;

    ServiceSnapshots(
            ServiceParts parts,
            StartGate gate,
            Supplier<ClassBook> classes,
            Supplier<Optional<Deference>> deference,
            ServiceMemories memories) {
        this.parts = parts;
        this.gate = gate;
        this.classes = classes;
        this.deference = deference;
        this.memories = memories;
    }

    /** As all is now. */
    ServiceSnapshot of(ServiceKey key, Optional<ServiceState> service) {
        return of(
                key,
                service,
                parts.ledger(),
                service.map(this::turn).orElseGet(() -> new QueuePosition(now(), now(), "")));
    }

    /** As it would be if this were held, and the Service began to wait now. */
    ServiceSnapshot ahead(ServiceKey key, Ledger ledger) {
        Optional<ServiceState> service = parts.cluster().service(key);
        return of(
                key,
                service,
                ledger,
                new QueuePosition(
                        now(),
                        service.map(ServiceState::created).orElseGet(this::now),
                        service.map(ServiceState::uid).orElse("")));
    }

    private ServiceSnapshot of(ServiceKey key, Optional<ServiceState> service, Ledger ledger, QueuePosition turn) {
        return new ServiceSnapshot(
                key,
                service,
                ledger.heldFor(key),
                ledger.pools(),
                classes.get(),
                deference.get(),
                parts.cluster().namespaceLabels(key.namespace()),
                turn,
                parts.migrateFrom(),
                service.flatMap(state ->
                        memories.find(key).flatMap(memory -> memory.provider().bringsItsOwn(state.uid()))),
                service.map(
                        state -> Duration.between(state.created(), parts.clock().instant())));
    }

    /** The place among those that wait that it has, or gets should it have to. One that asks for nothing has none. */
    private QueuePosition turn(ServiceState service) {
        if (!service.wantsLoadBalancer()) {
            memories.find(service.key()).ifPresent(ServiceMemory::forgetTurn);
            return new QueuePosition(now(), service.created(), service.uid());
        }
        return parts.ledger()
                .turnOf(service.key())
                .filter(turn -> turn.uid().equals(service.uid()))
                .orElseGet(() -> memories.of(service.key())
                        .turn(
                                service.uid(),
                                () -> new QueuePosition(waitsSince(service), service.created(), service.uid())));
    }

    /**
     * At a start, its condition says since when it waits. Anyone who may write a status can date it, and a clock may
     * have been wrong: so what was before the Service itself, or is still to come, is not believed, and one that comes
     * later is not asked.
     */
    private Instant waitsSince(ServiceState service) {
        return gate.isOpen()
                ? now()
                : service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                        .filter(condition -> condition.status() == Condition.Status.FALSE)
                        .map(Condition::since)
                        .filter(since -> !since.isBefore(service.created()) && !since.isAfter(now()))
                        .orElseGet(this::now);
    }

    private Instant now() {
        return parts.steady().instant().truncatedTo(ChronoUnit.SECONDS);
    }
}
