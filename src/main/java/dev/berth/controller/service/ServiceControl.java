package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.Ledger;
import dev.berth.claim.Replacement;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.Unheard;
import dev.berth.controller.address.AddressControl;
import dev.berth.kube.CachedServices;
import dev.berth.kube.Read;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.Facts;
import dev.berth.loadbalancer.Planner;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Skipping;
import dev.berth.loadbalancer.Withholding;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Brings one Service at a time to where it should be: read, plan, execute, answer. Free of the operator
 * SDK: the caller of {@link #reconcile} makes sure that no two calls for one Service overlap, and calls
 * again after the delay that it answers.
 */
public final class ServiceControl {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceControl.class);

    /** How often a pass may be overtaken by others' writes before it is postponed. */
    private static final int PASSES = 5;

    private final ServiceParts parts;
    private final AddressControl addresses;
    private final OrphanedLoadBalancers orphans;
    private final ServicesOfClasses classes;
    private final ServiceMemories memories;
    private final ServiceTurns turns;
    private final PoolDependencies dependencies = new PoolDependencies();
    private final ServiceLoops.Listener listener;
    private final ServiceSnapshots snapshots;
    private final PublishedAddresses published;
    private final Unheard<ServiceKey> unheard;

    /** Made by {@link ServiceLoops}. */
    ServiceControl(
            ServiceParts parts,
            AddressControl addresses,
            OrphanedLoadBalancers orphans,
            ServicesOfClasses classes,
            ServiceMemories memories,
            ServiceLoops.Listener listener) {
        this.parts = parts;
        this.addresses = addresses;
        this.orphans = orphans;
        this.classes = classes;
        this.memories = memories;
        this.listener = listener;
        turns = new ServiceTurns(parts.ledger(), parts.gate(), parts.timing().steady());
        snapshots = new ServiceSnapshots(parts, classes::deference, memories, turns);
        boolean migrates = !parts.settings().migrateFrom().isEmpty();
        published = new PublishedAddresses(parts.ledger(), listener::due, snapshots, memories, migrates);
        unheard = new Unheard<>(
                parts.timing().later(), parts.cluster()::hasService, parts.cluster()::readService, this::endUnheard);
    }

    /**
     * Before the gate opens: holds again what Services of ours publish and may have although its Address vanished while nobody
     * looked; learns who else serves Services, and holds what can be taken over; keeps from all what is published otherwise, also
     * by a Service that cannot be read; and queues those that were waiting. What is left to another is known from then on.
     */
    void adopt() {
        published.begin();
        CachedServices all = parts.cluster().allServices();
        List<ServiceState> services = all.states().stream()
                .sorted(Comparator.comparing(ServiceState::created).thenComparing(ServiceState::key))
                .toList();
        each(services, turns::note);
        each(services, published::holdAtStart);
        all.unreadable().forEach(published::withhold);
        each(services, service -> {
            boolean isOurs = isOurs(service);
            published.withhold(service.key(), Optional.of(service), Withholding.onSight(isOurs));
            classes.foreign().note(service, isOurs || published.adopt(service));
        });
        each(services, service -> {
            ServicePlan plan = Planner.plan(snapshots.of(service.key(), Optional.of(service)));
            // What is said of a class must not change for a moment with each start.
            noteSkipped(service.key(), Skipping.skipped(plan, Facts.NONE));
            plan.requests().forEach(parts.ledger()::await);
        });
    }

    /** A defect that one of them meets must not end the start: what that one publishes is nobody else's. */
    private void each(List<ServiceState> services, Consumer<ServiceState> look) {
        services.forEach(service -> {
            try {
                look.accept(service);
            } catch (RuntimeException defect) {
                LOG.error("Service {} cannot be read, and is left as it is", service.key(), defect);
                published.withhold(service);
            }
        });
    }

    /** Takes the event with the answer to our own last write, once: no reason to look again. False: it is something else. */
    boolean takeEchoOfOurWrite(ServiceKey key, String uid, String resourceVersion) {
        return memories.find(key)
                .map(memory -> memory.version.takeEcho(uid, resourceVersion))
                .orElse(false);
    }

    /**
     * Compares what providers have with what they should: each Service's load balancer is looked at and repaired in its next pass,
     * all of them within {@code period}; and what is there for Services that are gone is reported, or deleted.
     */
    public void resync(Duration period) {
        List<ServiceKey> all =
                memories.matching((key, memory) -> memory.provider.state().isAskedOutside());
        int slices = (int) Math.clamp(period.toSeconds(), 1, Math.max(1, all.size()));
        resync(all, period.dividedBy(slices), (all.size() + slices - 1) / slices);
        orphans.look();
    }

    /** The first of these now, and the others after {@code pause}. */
    private void resync(List<ServiceKey> all, Duration pause, int atOnce) {
        List<ServiceKey> now = all.subList(0, Math.min(atOnce, all.size()));
        List<ServiceKey> rest = all.subList(now.size(), all.size());
        now.forEach(key -> memories.find(key).ifPresent(memory -> memory.provider.change(ProviderState::doubted)));
        listener.due(now);
        if (!rest.isEmpty()) {
            parts.timing().later().after(pause, () -> resync(rest, pause, atOnce));
        }
    }

    private void makeDue(BiPredicate<ServiceKey, ServiceMemory> which) {
        listener.due(memories.matching(which));
    }

    /**
     * Load balancers are to be notified of other nodes: makes those Services due whose provider was last notified of others than
     * there are now. One whose provider is just being notified looks again itself, when it is done.
     */
    public void nodesChanged() {
        makeDue((key, memory) -> memory.provider.state().targetsNodes() && knowsOthers(key, memory));
    }

    /** The same for one Service, whose endpoints changed. */
    public void endpointsChanged(ServiceKey key) {
        memories.find(key).filter(memory -> knowsOthers(key, memory)).ifPresent(_ -> listener.due(List.of(key)));
    }

    private boolean knowsOthers(ServiceKey key, ServiceMemory memory) {
        return memory.provider.state().knowsOther(parts.environment().backends().apply(key));
    }

    /** The nodes have a kube-proxy now, or none any more: load balancers may need other health checks. */
    public void kubeProxiesChanged() {
        makeDue((key, memory) -> memory.provider.state().isCheckedByWhatNodesHave());
    }

    /** A provider is there again: what failed with it is tried again at once. */
    public void providerReturned(String provider) {
        List<ServiceKey> its =
                memories.matching((key, memory) -> memory.provider.state().isAskedOf(provider));
        its.forEach(key -> memories.find(key).ifPresent(memory -> memory.retries.providerReturned()));
        listener.due(its);
    }

    /** Has providers report, from now on, which load balancers were changed without Berth. Called once. */
    public void listenToProviders() {
        parts.providers().onChange(this::loadBalancerChanged);
    }

    /** What a provider has for this Service is no longer what it answered: it is looked at soon, and not at the resync. */
    void loadBalancerChanged(String provider, ServiceIdentity service) {
        ServiceKey key = new ServiceKey(service.namespace(), service.name());
        memories.find(key)
                .flatMap(memory -> memory.provider.reported(
                        provider, service, parts.timing().steady().instant()))
                .ifPresent(delay -> parts.timing().later().after(delay, () -> listener.due(List.of(key))));
    }

    /** Brings the Service of this name to where it should be, as far as can be done now. */
    Next reconcile(ServiceKey key) {
        parts.gate().await();
        MDC.put("service", key.toString());
        // One that cannot be looked at at all must not hold up all others.
        try {
            ServiceMemory memory = memories.of(key);
            Next next;
            try (ProviderGuard.Visit visit = classes.stuck().guard().visit(key, () -> listener.due(List.of(key)))) {
                next = look(key, memory, visit);
            }
            if (!parts.cluster().hasService(key)) {
                if (memory.version.isUnheardOf()) {
                    unheard.found(key);
                } else {
                    forget(key);
                }
                orphans.deleteOfGone(key, memory.provider.state());
            }
            return next;
        } catch (Unreadable left) {
            // What it wrote was not looked at, for the cache still has one that cannot be read.
            memories.find(key).ifPresent(memory -> memory.version.forgetWritten());
            // It is given nothing, so nobody waits behind it.
            stopWaiting(key);
            noteSkipped(key, Optional.empty());
            throw left;
        } finally {
            MDC.remove("service");
        }
    }

    /** It is gone, and no pass will come. One that is there again by now looks once more. */
    private void endUnheard(ServiceKey key) {
        memories.find(key).ifPresent(memory -> orphans.deleteOfGone(key, memory.provider.state()));
        forget(key);
        noteForeign(key, Optional.empty());
        noteSkipped(key, Optional.empty());
        addresses.releaseIfGone(key);
        listener.due(List.of(key));
    }

    private void forget(ServiceKey key) {
        memories.forget(key);
        turns.forget(key);
        dependencies.forget(key);
        // No timer of it comes, should its last pass have postponed what was left to do.
        stopWaiting(key);
    }

    private void stopWaiting(ServiceKey key) {
        parts.metrics().waits(key, Optional.empty());
        listener.due(parts.ledger().stopWaiting(key));
    }

    private Next look(ServiceKey key, ServiceMemory memory, ProviderGuard.Visit visit) {
        memory.retries.begin();
        boolean isAsked = false;
        OwnWrites writes = new OwnWrites();
        for (int pass = 1; ; pass++) {
            // While it is unheard of, the cache does not tell whether it is there.
            boolean live =
                    isAsked || (memory.version.isUnheardOf() && !parts.cluster().hasService(key));
            Optional<ServiceState> service;
            List<Claim> beforeReading = live ? ReconcileContext.claims(parts.ledger(), key) : List.of();
            if (live) {
                Read<ServiceState> read = parts.cluster().readService(key);
                if (read instanceof Read.Failed<ServiceState>(String message)) {
                    LOG.warn("reading Service {}: {}", key, message);
                    if (!parts.cluster().hasService(key)) {
                        stopWaiting(key);
                        addresses.releaseIfGone(key);
                    }
                    return Next.after(memory.retries.notRead());
                }
                memory.retries.read();
                service = read instanceof Read.Found<ServiceState>(ServiceState found)
                        ? Optional.of(found)
                        : Optional.empty();
                memory.version.read(service, () -> parts.cluster().service(key));
            } else {
                service = newest(memory, () -> parts.cluster().service(key));
            }
            service.ifPresent(turns::note);
            noteForeign(key, service);
            List<Claim> claims = ReconcileContext.claims(parts.ledger(), key);
            ServiceSnapshot snapshot = snapshots.of(key, service);
            ServicePlan plan = Planner.plan(snapshot);
            noteDependency(snapshot, plan);
            if (plan.isAnothers()) {
                turns.forget(key);
                service.ifPresent(published::withhold);
                listener.due(parts.ledger().freeUnclaimed(key));
            }
            published.withhold(key, service, plan);
            writes.begin(service);
            ReconcileContext work = new ReconcileContext(
                    parts,
                    addresses,
                    visit,
                    listener::due,
                    memory,
                    turns,
                    key,
                    service,
                    plan,
                    live,
                    beforeReading,
                    claims,
                    writes);
            EffectExecutor.Passed passed = new EffectExecutor(work).run();
            Optional<ServicePlan.Skip> skipped = Skipping.skipped(plan, passed.facts());
            noteSkipped(key, skipped);
            if (skipped.filter(skip -> skip.reason() == Reason.DeferredToOther).isPresent()
                    && classes.deference().isEmpty()) {
                // It ended before this was noted.
                listener.due(List.of(key));
            }
            // No event will report what this pass has done itself.
            Optional<ServiceState> read = service;
            Optional<ServiceState> now = newest(memory, () -> parts.cluster().service(key, read));
            published.withhold(key, now, Withholding.after(skipped));
            if (passed.end() instanceof EffectResult.Finished && snapshots.isOutdated(snapshot)) {
                listener.due(List.of(key));
            }
            if (now.filter(state -> classes.foreign().noteAfter(state, isServed(state)))
                    .isPresent()) {
                listener.deferenceChanged();
            }
            boolean isEnough = pass == PASSES && passed.end() instanceof EffectResult.Again;
            switch (isEnough ? work.overtaken(PASSES) : passed.end()) {
                case EffectResult.Finished(Next next) -> {
                    return next;
                }
                case EffectResult.Again(boolean readLive) -> isAsked = readLive;
            }
        }
    }

    private static Optional<ServiceState> newest(ServiceMemory memory, Supplier<Optional<ServiceState>> cache) {
        NewestVersion.Newest newest = memory.version.of(cache);
        if (newest.isCached()) {
            memory.version.cacheHas(newest.service());
        }
        return newest.service();
    }

    private void noteDependency(ServiceSnapshot snapshot, ServicePlan plan) {
        dependencies.note(snapshot, plan);
        if (dependencies.isOutdated(snapshot.key(), parts.ledger().pools())) {
            // They changed before it was noted.
            listener.due(List.of(snapshot.key()));
        }
    }

    /** There are other pools: what is said by them of Services that do not wait may be untrue. */
    void poolsChanged() {
        listener.due(dependencies.outdated(parts.ledger().pools()));
    }

    private void noteForeign(ServiceKey key, Optional<ServiceState> service) {
        boolean isOurs = service.filter(this::isOurs).isPresent();
        published.withhold(key, service, Withholding.onSight(isOurs || service.isEmpty()));
        boolean changed = service.map(state -> classes.foreign().note(state, isOurs || published.adopt(state)))
                .orElseGet(() -> classes.foreign().forget(key));
        published.holdWithheld(key, service);
        if (changed) {
            listener.deferenceChanged();
        }
    }

    /** Berth defers to nobody: what was skipped for that is looked at. */
    void endDeference() {
        listener.due(classes.skipped().deferred());
    }

    private void noteSkipped(ServiceKey key, Optional<ServicePlan.Skip> skipped) {
        classes.skipped().note(key, skipped, parts.metrics()::skipped).forEach(listener::classChanged);
    }

    private boolean isOurs(ServiceState service) {
        return service.isMarkedOurs() || isServed(service);
    }

    /** Whether an address is claimed for it, or its provider was asked: anyone who writes its status can do neither. */
    private boolean isServed(ServiceState service) {
        return parts.ledger().heldFor(service.key()).stream()
                        .anyMatch(holding -> holding.isFor(service.key(), service.uid()))
                || memories.find(service.key())
                        .flatMap(memory -> memory.provider.state().bringsItsOwn(service.uid()))
                        .isPresent();
    }

    /**
     * What the Services that have stranded addresses of a pool would get, if it took these back now.
     *
     * @param most so many addresses are looked at, the lowest ones
     */
    List<Replacement> replacements(String pool, int most) {
        Ledger ahead = parts.ledger().copy(parts.ledger().pools().releasing(pool));
        return new LookAhead(ahead, snapshots::ahead)
                .replacements(ahead.stranded(pool, most).first());
    }
}
