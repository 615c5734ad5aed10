package dev.berth.controller.service;

import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.RetrySchedule;
import dev.berth.controller.address.Orphans;
import dev.berth.kube.Read;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Ownership;
import dev.berth.loadbalancer.PredecessorDeletion;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what providers still have for Services that are gone: after a restore from a backup, or because somebody took
 * our finalizer off. Reports it, and deletes it only if it is told to, and a live read says the same as the cache.
 */
final class OrphanedLoadBalancers implements Orphans {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedLoadBalancers.class);

    /** After which time a provider that was busy is asked again; it was waited for before that. */
    private static final Duration BUSY = Duration.ofSeconds(5);

    private final ServiceParts parts;
    private final ProviderGuard guard;
    private final ServiceMemories memories;
    private final Consumer<Collection<ServiceKey>> due;

    /** What is being deleted until it is done. */
    private final Set<ServiceIdentity> deleting = ConcurrentHashMap.newKeySet();

    private final RetrySchedule<ServiceIdentity> retries;

    /** The providers that are just being looked at. */
    private final Set<String> looking = ConcurrentHashMap.newKeySet();

    /**
     * Looks at nothing yet.
     *
     * @param due notified which Services to reconcile
     */
    OrphanedLoadBalancers(
            ServiceParts parts, ProviderGuard guard, ServiceMemories memories, Consumer<Collection<ServiceKey>> due) {
        this.parts = parts;
        this.guard = guard;
        this.memories = memories;
        this.due = due;
        retries = new RetrySchedule<>(parts.timing().backoff(), parts.timing().steady());
    }

    private ClassSet classes() {
        return parts.environment().classes().get();
    }

    /** Has all providers looked at that list what they have, soon; one that lists without end keeps nobody waiting. */
    void look() {
        parts.providers().known().capabilities().forEach((name, capabilities) -> {
            if (capabilities.has(Feature.LISTING)) {
                look(name, Duration.ZERO);
            }
        });
    }

    private void look(String name, Duration delay) {
        if (looking.add(name)) {
            parts.timing().later().after(delay, () -> {
                boolean isDone = true;
                try {
                    isDone = look(name, parts.providers().named(name));
                } finally {
                    looking.remove(name);
                }
                if (!isDone) {
                    look(name, BUSY);
                }
            });
        }
    }

    /** Returns false if the provider is busy with other calls. */
    private boolean look(String name, LoadBalancerProvider provider) {
        List<ListedLoadBalancer> orphaned = new ArrayList<>();
        try {
            Optional<List<ListedLoadBalancer>> all = guard.list(
                    CallLine.ofProvider(name, provider.capabilities()),
                    provider,
                    parts.settings().clusterName());
            if (all.isEmpty()) {
                return false;
            }
            for (ListedLoadBalancer listed : all.get()) {
                if (isGone(name, listed.service())) {
                    Settled settled = settle(name, provider, listed);
                    if (settled == Settled.BUSY) {
                        return false;
                    }
                    if (settled == Settled.ORPHANED) {
                        orphaned.add(listed);
                    }
                }
            }
        } catch (ProviderException failure) {
            LOG.warn("listing what provider \"{}\" has: {}", name, failure.getMessage());
            return true;
        }
        parts.metrics().orphaned(name, orphaned.size());
        if (!orphaned.isEmpty()) {
            LOG.warn(
                    "provider \"{}\" has {} load balancers of Services that no longer exist: {}{}; delete them, or"
                            + " start with --delete-orphaned-load-balancers",
                    name,
                    orphaned.size(),
                    orphaned.stream()
                            .limit(10)
                            .map(listed -> listed.name() + " of Service " + listed.service())
                            .collect(Collectors.joining(", ")),
                    orphaned.size() > 10 ? " ..." : "");
        }
        return true;
    }

    /**
     * Whether its Service is gone. One that is there and cannot be read is not; one that is there without our marks is
     * remembered as ours.
     */
    private boolean isGone(String name, ServiceIdentity service) {
        try {
            Optional<ServiceState> living = living(service);
            living.ifPresent(
                    found -> Ownership.ofListed(name, found, classes()).ifPresent(value -> remember(found, value)));
            return living.isEmpty();
        } catch (Unreadable there) {
            LOG.warn("Service {} cannot be read, and counts as there: {}", service, there.getMessage());
            return false;
        }
    }

    /** By the cache: a provider may list more than the API server would like to be asked for. */
    private Optional<ServiceState> living(ServiceIdentity service) {
        return parts.cluster()
                .service(new ServiceKey(service.namespace(), service.name()))
                .filter(found -> found.uid().equals(service.uid()));
    }

    /** A provider's list outlives our marks, and our memory: nobody who writes Services can write it. */
    private void remember(ServiceState service, String classValue) {
        ServiceMemory memory = memories.of(service.key());
        if (memory.provider.state().bringsItsOwn(service.uid()).isEmpty()) {
            LOG.info(
                    "Service {} lost Berth's finalizer and conditions, but its provider has a load balancer for it:"
                            + " Berth serves it again",
                    service.key());
            memory.provider.change(state -> state.listed(service.uid(), classValue));
            due.accept(List.of(service.key()));
        }
    }

    /** What a live read says. */
    private enum Presence {
        THERE,
        GONE,
        UNKNOWN
    }

    private Presence presence(ServiceIdentity service) {
        return switch (parts.cluster().readService(new ServiceKey(service.namespace(), service.name()))) {
            case Read.Found<ServiceState>(ServiceState found) ->
                found.uid().equals(service.uid()) ? Presence.THERE : Presence.GONE;
            case Read.Absent<ServiceState> gone -> Presence.GONE;
            case Read.Failed<ServiceState>(String message) -> {
                LOG.warn("cannot determine whether Service {} still exists: {}", service, message);
                yield Presence.UNKNOWN;
            }
        };
    }

    /** What became of something that is listed. */
    private enum Settled {
        /** There is nothing to report: it could be deleted, or was not to be. */
        SETTLED,
        ORPHANED,
        /** Its provider is busy with other calls. */
        BUSY
    }

    private Settled settle(String name, LoadBalancerProvider provider, ListedLoadBalancer listed) {
        if (!parts.settings().deleteOrphaned()) {
            return Settled.ORPHANED;
        }
        if (presence(listed.service()) != Presence.GONE) {
            return Settled.SETTLED;
        }
        IpMode ipMode = provider.capabilities().ipModes().getFirst();
        try {
            for (Map<String, String> parameters : parametersFor(name)) {
                CallLine line = CallLine.ofProvider(name, provider.capabilities());
                if (!delete(line, provider, listed.service(), ipMode, parameters)) {
                    return Settled.BUSY;
                }
            }
            LOG.info("deleted load balancer {} of Service {}, which no longer exists", listed.name(), listed.service());
            return Settled.SETTLED;
        } catch (ProviderException failure) {
            LOG.warn(
                    "deleting load balancer {} of Service {}, which no longer exists: {}",
                    listed.name(),
                    listed.service(),
                    failure.getMessage());
            return Settled.ORPHANED;
        }
    }

    /** By which class it was made nobody knows any more; a delete where it is not finds nothing, and succeeds. */
    private List<Map<String, String>> parametersFor(String provider) {
        List<Map<String, String>> all = classes().served().stream()
                .filter(served -> served.provider().equals(provider))
                .map(ServedClass::parameters)
                .distinct()
                .toList();
        return all.isEmpty() ? List.of(Map.of()) : all;
    }

    /** Deletes what was made for a Service that is gone, unless an Address of it is released: that has it deleted first. */
    void deleteOfGone(ServiceKey key, ProviderState provider) {
        PredecessorDeletion.ofGone(provider, parts.heldFor(key))
                .ifPresent(made -> deleteUntilDone(made.by(), made.request().service()));
    }

    /**
     * Deletes what the provider of {@code served} may have made for a Service that seems to be gone, now or later: no
     * event comes for it any more. Should the Service be there after all, nothing is deleted.
     */
    void deleteUntilDone(ServedClass served, ServiceIdentity service) {
        if (!served.capabilities().immediate() && deleting.add(service)) {
            tryToDelete(served, service);
        }
    }

    private void tryToDelete(ServedClass served, ServiceIdentity service) {
        switch (presence(service)) {
            case THERE -> lingersNoLonger(service);
            case UNKNOWN -> parts.timing().later().after(retries.failed(service), () -> tryToDelete(served, service));
            case GONE -> {
                try {
                    if (!deleteFor(served, service)) {
                        parts.timing().later().after(BUSY, () -> tryToDelete(served, service));
                        return;
                    }
                    lingersNoLonger(service);
                    LOG.info(
                            "deleted what was left of the load balancer of Service {}, which no longer exists",
                            service);
                } catch (ProviderException failure) {
                    Duration delay = retries.failed(service);
                    Duration wait = failure.retryAfter().orElse(delay);
                    LOG.warn(
                            "deleting the load balancer of Service {}, which no longer exists: {}; trying again"
                                    + " in {} s",
                            service,
                            failure.getMessage(),
                            wait.toSeconds());
                    parts.timing().later().after(wait, () -> tryToDelete(served, service));
                }
            }
        }
    }

    private void lingersNoLonger(ServiceIdentity service) {
        retries.done(service);
        deleting.remove(service);
    }

    @Override
    public boolean delete(Owner owner, @Nullable String className) {
        ClassSet classSet = classes();
        if (className != null && classSet.isAwaited(className)) {
            return false;
        }
        Optional<ServedClass> served = Optional.ofNullable(className)
                .flatMap(classSet::byValue)
                .filter(found -> !found.capabilities().immediate());
        String uid = owner.uid();
        return served.isEmpty()
                || uid == null
                || delete(
                        served.get(),
                        new ServiceIdentity(
                                owner.service().namespace(), owner.service().name(), uid));
    }

    /**
     * Deletes what the provider of {@code served} may have made for a Service that is known to be gone.
     *
     * @return false if it could not be done: try again later
     */
    boolean delete(ServedClass served, ServiceIdentity service) {
        try {
            return deleteFor(served, service);
        } catch (ProviderException failure) {
            LOG.warn(
                    "deleting what is left of the load balancer of Service {}, which no longer exists: {}",
                    service,
                    failure.getMessage());
            return false;
        }
    }

    /** Returns false if the provider is busy with other calls. */
    private boolean deleteFor(ServedClass served, ServiceIdentity service) {
        return delete(
                CallLine.of(served),
                parts.providers().named(served.provider()),
                service,
                served.ipMode(),
                served.parameters());
    }

    private boolean delete(
            CallLine line,
            LoadBalancerProvider provider,
            ServiceIdentity service,
            IpMode ipMode,
            Map<String, String> parameters) {
        return guard.delete(
                line,
                provider,
                LoadBalancerRequest.builder(parts.settings().clusterName(), service, ipMode)
                        .fencingToken(parts.settings().fencingToken().getAsLong())
                        .parameters(parameters)
                        .build());
    }
}
