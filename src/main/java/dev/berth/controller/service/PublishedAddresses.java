package dev.berth.controller.service;

import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Adoption;
import dev.berth.loadbalancer.Planner;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Withholding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** What Services publish without holding it: held again where they may have it, and else withheld from all others. */
final class PublishedAddresses {
    private final Ledger ledger;
    private final Consumer<Collection<ServiceKey>> due;
    private final ServiceSnapshots snapshots;
    private final ServiceMemories memories;
    private final boolean takesOver;

    /**
     * The uids of those that had our marks at the start. Marks that come later are no reason to be served ahead of
     * others: what a Service has since then the ledger knows, also where its Address object was deleted.
     */
    private final Set<String> markedAtStart = ConcurrentHashMap.newKeySet();

    /**
     * Nothing is known yet.
     *
     * @param due notified which other Services to reconcile
     * @param takesOver whether there are controllers whose Services are taken over
     */
    PublishedAddresses(
            Ledger ledger,
            Consumer<Collection<ServiceKey>> due,
            ServiceSnapshots snapshots,
            ServiceMemories memories,
            boolean takesOver) {
        this.ledger = ledger;
        this.due = due;
        this.snapshots = snapshots;
        this.memories = memories;
        this.takesOver = takesOver;
    }

    /** This replica begins to lead. */
    void begin() {
        markedAtStart.clear();
    }

    /**
     * What it may have by all rules of the pools it gets again. Anyone who may write a status could take any address
     * otherwise; so all else that it publishes is held for nobody, and given to nobody until it is published no
     * longer.
     */
    void holdAtStart(ServiceState service) {
        if (!notItsOwn(service).isEmpty()) {
            holdAgain(service);
        }
        if (service.isMarkedOurs()) {
            markedAtStart.add(service.uid());
        }
        withholdForeign(service);
    }

    /**
     * Holds what another controller published for a Service for the Service itself, where it can be taken over.
     *
     * @return whether it is the Service's own, or will be: then it is no sign of another controller
     */
    boolean adopt(ServiceState service) {
        return takesOver
                && service.typeLoadBalancer()
                && Planner.plan(snapshots.of(service.key(), Optional.of(service))) instanceof ServicePlan.Adopt adopt
                && Adoption.canProceed(ledger.adopt(adopt.request()));
    }

    /** Gives nobody else {@code what} of that which it publishes; {@code service} empty: it is gone. */
    void withhold(ServiceKey key, Optional<ServiceState> service, Withholding what) {
        switch (what) {
            case ALL -> service.ifPresent(this::withhold);
            case FOREIGN -> service.ifPresent(this::withholdForeign);
            case AS_BEFORE -> release(key, service);
        }
    }

    /**
     * The same before {@code plan} is carried out. Gives nobody else what a provider brought either, because a pool may name it
     * later.
     */
    void withhold(ServiceKey key, Optional<ServiceState> service, ServicePlan plan) {
        withhold(key, service, Withholding.before(plan, service));
        if (plan instanceof ServicePlan.Serve serve) {
            due.accept(ledger.withholdAlso(key, serve.servedClass().brought(serve.service())));
        }
    }

    /** Gives nobody else what it publishes, or may publish by now. */
    void withhold(ServiceState service) {
        withhold(service, Adoption.withheld(service));
    }

    private void withhold(ServiceState service, List<Ip> published) {
        List<Ip> all = new ArrayList<>(published);
        all.addAll(mayBePublished(service.key(), Optional.of(service)));
        due.accept(ledger.withhold(service.key(), all));
    }

    /** The same of a Service of which nothing else can be read. */
    void withhold(ServiceKey service, List<Published> published) {
        due.accept(ledger.withhold(service, Adoption.withheld(published)));
    }

    /** The same of what it publishes, and does not hold. */
    private void withholdForeign(ServiceState service) {
        withhold(service, notItsOwn(service));
    }

    /** Of what is withheld for it, what it may have now: its class, or a pool, may be there only since the start. */
    void holdWithheld(ServiceKey key, Optional<ServiceState> service) {
        if (ledger.withholdsFor(key)) {
            service.filter(state -> markedAtStart.contains(state.uid())).ifPresent(this::holdAgain);
        }
    }

    /** What is published no longer, and will not be by a write under way, is not kept from others any more. */
    private void release(ServiceKey key, Optional<ServiceState> service) {
        if (service.isEmpty() && isUnheardOf(key)) {
            return;
        }
        List<Ip> published = new ArrayList<>(mayBePublished(key, service));
        due.accept(ledger.withholdAlso(key, published));
        if (ledger.withholdsFor(key)) {
            service.ifPresent(state -> published.addAll(state.publishedAddresses()));
            due.accept(ledger.withholdOnly(key, published));
        }
    }

    /** Whether it is there, though the cache does not have it. */
    private boolean isUnheardOf(ServiceKey key) {
        return memories.find(key).filter(memory -> memory.version.isUnheardOf()).isPresent();
    }

    /** What a write of which there is no answer may have published, or may publish yet. */
    private List<Ip> mayBePublished(ServiceKey key, Optional<ServiceState> service) {
        return service.flatMap(state -> memories.find(key).map(memory -> memory.status.mayBePublished(state)))
                .orElse(List.of());
    }

    private List<Ip> notItsOwn(ServiceState service) {
        List<Ip> others = new ArrayList<>(Adoption.withheld(service));
        others.removeIf(ip -> ledger.holding(ip)
                .filter(held -> held.isFor(service.key(), service.uid()))
                .isPresent());
        return others;
    }

    private void holdAgain(ServiceState service) {
        if (service.isMarkedOurs()) {
            Planner.plan(snapshots.of(service.key(), Optional.of(service)).withoutReservations())
                    .requests()
                    .forEach(ledger::holdAgain);
        }
    }
}
