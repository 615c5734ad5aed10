package dev.berth.controller.service;

import dev.berth.claim.Ledger;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.loadbalancer.ServiceState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Puts together what a plan for one Service is made from. */
final class ServiceSnapshots {
    private final ServiceParts parts;
    private final Supplier<Optional<Deference>> deference;
    private final ServiceMemories memories;
    private final ServiceTurns turns;

    ServiceSnapshots(
            ServiceParts parts, Supplier<Optional<Deference>> deference, ServiceMemories memories, ServiceTurns turns) {
        this.parts = parts;
        this.deference = deference;
        this.memories = memories;
        this.turns = turns;
    }

    /** As all is now. */
    ServiceSnapshot of(ServiceKey key, Optional<ServiceState> service) {
        return of(
                key,
                service,
                parts.ledger(),
                service.map(turns::of).orElseGet(() -> new QueuePosition(turns.now(), turns.now(), "")));
    }

    /** As it would be if this were held, and the Service began to wait now. */
    ServiceSnapshot ahead(ServiceKey key, Ledger ledger) {
        Optional<ServiceState> service = parts.cluster().service(key);
        return of(
                key,
                service,
                ledger,
                new QueuePosition(
                        turns.now(),
                        service.map(ServiceState::created).orElseGet(turns::now),
                        service.map(ServiceState::uid).orElse("")));
    }

    /**
     * Whether its Service waits by other pools, or other labels of its namespace, than there are now, or publishes what
     * others got since: those were notified who waited, or published it, at the time.
     */
    boolean isOutdated(ServiceSnapshot snapshot) {
        ServiceKey key = snapshot.key();
        boolean isRefusedByFormer = parts.ledger().turnOf(key).isPresent()
                && (snapshot.pools() != parts.ledger().pools()
                        || !snapshot.namespaceLabels().equals(parts.cluster().namespaceLabels(key.namespace())));
        return isRefusedByFormer
                || !snapshot.othersAddresses().equals(othersAddresses(key, snapshot.service(), parts.ledger()));
    }

    private static List<Ip> othersAddresses(ServiceKey key, Optional<ServiceState> service, Ledger ledger) {
        return service.map(state -> ledger.claimedForOthers(key, state.publishedAddresses()))
                .orElse(List.of());
    }

    private ServiceSnapshot of(ServiceKey key, Optional<ServiceState> service, Ledger ledger, QueuePosition turn) {
        return new ServiceSnapshot(
                key,
                service,
                ledger.heldFor(key),
                ledger.pools(),
                parts.environment().classes().get(),
                deference.get(),
                parts.cluster().namespaceLabels(key.namespace()),
                turn,
                parts.settings().migrateFrom(),
                service.flatMap(state -> memories.find(key)
                        .flatMap(memory -> memory.provider.state().bringsItsOwn(state.uid()))),
                service.map(state ->
                        Duration.between(state.created(), parts.timing().clock().instant())),
                othersAddresses(key, service, ledger));
    }
}
