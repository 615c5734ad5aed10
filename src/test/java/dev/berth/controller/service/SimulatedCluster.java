package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.CachedServices;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Unreadable;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.testing.cluster.ClusterInMemory;
import dev.berth.testing.cluster.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The Services and Addresses of a cluster in memory, and what is so of them alone. Each operator looks at them through a
 * {@link Client} of its own. What goes wrong is up to the {@link Line}.
 */
final class SimulatedCluster {
    private final ClusterInMemory store;
    private final ClusterInMemory.Kind<ServiceKey, ServiceState> serviceObjects;
    private final ClusterInMemory.Kind<Ip, Claim> addressObjects;

    /** The truth. */
    final NavigableMap<ServiceKey, ServiceState> services;

    final NavigableMap<Ip, Claim> claims;

    /** Who wrote the ingress that stands; those absent have it from a stranger, or have none. */
    final NavigableMap<ServiceKey, String> publishedByUs = new TreeMap<>();

    /** Whose Addresses are refused, by a quota or a webhook, say. */
    final Set<ServiceKey> refused = new TreeSet<>();

    /** How many Address objects of each address were deleted. */
    private final Map<Ip, Integer> removals = new TreeMap<>();

    /** The uids of the Address objects whose create was on its way while another of the same address was deleted. */
    private final Set<String> underWayAtADeletion = new TreeSet<>();

    private boolean dropsIpMode;
    private final Line line;
    private int writes;

    /** A cluster of its own. */
    SimulatedCluster(boolean dropsIpMode, Line line) {
        this(new ClusterInMemory(), dropsIpMode, line);
    }

    SimulatedCluster(ClusterInMemory store, boolean dropsIpMode, Line line) {
        this.store = store;
        this.dropsIpMode = dropsIpMode;
        this.line = line;
        serviceObjects = store.kind(new ClusterInMemory.Metadata<>(
                ServiceState::uid,
                ServiceState::resourceVersion,
                (service, version) ->
                        SampleService.from(service).resourceVersion(version).build(),
                service -> service.deleting() && service.finalizers().isEmpty()));
        addressObjects = store.kind(new ClusterInMemory.Metadata<>(
                Claim::uid,
                Claim::resourceVersion,
                (claim, version) -> new Claim(claim.ip(), claim.uid(), version, claim.spec()),
                claim -> false));
        services = serviceObjects.objects();
        claims = addressObjects.objects();
    }

    /** Switches the gate LoadBalancerIPMode of the API server. */
    void dropIpMode(boolean drops) {
        dropsIpMode = drops;
    }

    boolean dropsIpMode() {
        return dropsIpMode;
    }

    int writes() {
        return writes;
    }

    /** Grows with each change of a Service or an Address. */
    long revision() {
        return Math.max(serviceObjects.revision(), addressObjects.revision());
    }

    /** A way in for one more operator, with caches of its own. */
    Client client() {
        return new Client();
    }

    // ---- what others do

    String newUid() {
        return store.newUid();
    }

    /** Stores a Service as a user, or the API server, wants it. */
    ServiceState put(ServiceKey key, SampleService wanted) {
        ServiceState before = services.get(key);
        ServiceState stored = serviceObjects.put(key, wanted.build());
        if (before == null || !before.uid().equals(stored.uid()) || !services.containsKey(key)) {
            publishedByUs.remove(key);
        }
        return stored;
    }

    void deleteService(ServiceKey key) {
        ServiceState before = services.get(key);
        if (before != null) {
            put(key, SampleService.from(before).deleting(true));
        }
    }

    /** Ends a Service, whatever its finalizers. */
    void endService(ServiceKey key) {
        serviceObjects.remove(key);
        publishedByUs.remove(key);
    }

    void writeIngressAsStranger(ServiceKey key, List<Published> ingress) {
        ServiceState before = services.get(key);
        if (before != null && !Publication.sameIngress(ingress, before.ingress())) {
            put(key, SampleService.from(before).ingress(ingress));
            publishedByUs.remove(key);
        }
    }

    Claim putClaim(Claim wanted) {
        List<ServiceKey> names = wanted.owners().stream().map(Owner::service).toList();
        if (names.size() != Set.copyOf(names).size()) {
            throw new AssertionError("the API server refuses a list of claims that has a name twice: " + wanted);
        }
        // Without a version it is never the same as before: what confirms it is a change, too.
        return addressObjects.put(wanted.ip(), new Claim(wanted.ip(), wanted.uid(), "", wanted.spec()));
    }

    void removeClaim(Ip ip) {
        addressObjects.remove(ip);
        removals.merge(ip, 1, Integer::sum);
    }

    /** Whether it was on its way already when another Address object of the same address was deleted. */
    boolean wasUnderWayAtADeletion(Claim claim) {
        return underWayAtADeletion.contains(claim.uid());
    }

    /** One operator's way in: its caches, which lag behind until it is notified of the next change, and its writes. */
    final class Client implements Cluster {
        final ClusterInMemory.Kind<ServiceKey, ServiceState>.Watch serviceCache = serviceObjects.watch();
        final ClusterInMemory.Kind<Ip, Claim>.Watch addressCache = addressObjects.watch();
        private final NavigableMap<ServiceKey, ServiceState> cachedServices = serviceCache.cached();
        private final NavigableMap<Ip, Claim> cachedClaims = addressCache.cached();
        private final Map<String, Map<String, String>> cachedNamespaces = new TreeMap<>();

        private Client() {}

        /** The caches are filled again, as at a start. */
        void relist() {
            serviceCache.relist();
            addressCache.relist();
        }

        /** Its watches broke. */
        void missHistory() {
            serviceCache.missHistory();
            addressCache.missHistory();
        }

        void namespaces(Map<String, Map<String, String>> all) {
            cachedNamespaces.clear();
            cachedNamespaces.putAll(all);
        }

        void namespace(String namespace, Map<String, String> labels) {
            cachedNamespaces.put(namespace, labels);
        }

        @Override
        public Optional<ServiceState> service(ServiceKey key) {
            ServiceState cached = cachedServices.get(key);
            if (cached != null && UnknownWords.has(cached)) {
                throw new Unreadable("simulated");
            }
            return Optional.ofNullable(cached);
        }

        @Override
        public boolean hasService(ServiceKey key) {
            return cachedServices.containsKey(key);
        }

        @Override
        public CachedServices allServices() {
            SequencedMap<ServiceKey, List<Published>> unreadable = new TreeMap<>();
            cachedServices.values().stream()
                    .filter(UnknownWords::has)
                    .forEach(service -> unreadable.put(service.key(), service.ingress()));
            return new CachedServices(
                    cachedServices.values().stream()
                            .filter(service -> !UnknownWords.has(service))
                            .toList(),
                    unreadable);
        }

        @Override
        public Map<String, String> namespaceLabels(String namespace) {
            return cachedNamespaces.getOrDefault(namespace, Map.of());
        }

        @Override
        public Optional<Claim> claim(Ip ip) {
            return Optional.ofNullable(cachedClaims.get(ip));
        }

        @Override
        public List<Claim> claims() {
            return List.copyOf(cachedClaims.values());
        }

        @Override
        public Read<ServiceState> readService(ServiceKey key) {
            Read<ServiceState> answer =
                    line.read(line.call("read Service ", key), () -> Optional.ofNullable(services.get(key)));
            return answer instanceof Read.Found<ServiceState>(ServiceState found) && UnknownWords.has(found)
                    ? new Read.Failed<>("cannot be read")
                    : answer;
        }

        @Override
        public Read<Claim> readClaim(Ip ip) {
            return line.read(line.call("read Address ", ip), () -> Optional.ofNullable(claims.get(ip)));
        }

        private <T> Write<T> write(String call, Supplier<Write<T>> effect) {
            writes++;
            return line.write(call, effect);
        }

        @Override
        public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
            int removed = removals.getOrDefault(ip, 0);
            return write(line.call("create Address ", ip, " for ", spec.owners()), () -> {
                if (spec.owners().stream().anyMatch(owner -> refused.contains(owner.service()))) {
                    return new Write.Refused<>("denied by a webhook");
                }
                Write<Claim> answer = addressObjects.create(ip, () -> new Claim(ip, newUid(), "", spec));
                if (answer instanceof Write.Done<Claim>(Claim made) && removals.getOrDefault(ip, 0) != removed) {
                    underWayAtADeletion.add(made.uid());
                }
                return answer;
            });
        }

        @Override
        public Write<Claim> updateClaim(Claim seen, ClaimSpec spec) {
            return write(
                    line.call("update Address ", seen.ip(), " to ", spec),
                    () -> ifSame(seen, () -> new Write.Done<>(putClaim(new Claim(seen.ip(), seen.uid(), "", spec)))));
        }

        @Override
        public Write<Claim> confirmClaim(Claim seen) {
            return write(
                    line.call("confirm Address ", seen.ip(), " of ", seen.owners()),
                    () -> ifSame(seen, () -> new Write.Done<>(putClaim(seen))));
        }

        @Override
        public Write<Claim> deleteClaim(Claim seen) {
            return write(
                    line.call("delete Address ", seen.ip(), " of ", seen.owners()),
                    () -> ifSame(seen, () -> {
                        removeClaim(seen.ip());
                        return new Write.Done<>(seen);
                    }));
        }

        /** A write to what is as it was seen, and of Services. */
        private Write<Claim> ifSame(Claim seen, Supplier<Write<Claim>> effect) {
            return addressObjects.ifSame(seen.ip(), seen, () -> {
                if (seen.spec().otherKind() != null) {
                    throw new AssertionError("it is of something else than a Service, and not to be written: " + seen);
                }
                return effect.get();
            });
        }

        @Override
        public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
            if (dryRun) {
                return serviceObjects.ifSame(
                        seen.key(),
                        seen,
                        () -> new Write.Done<>(published(seen, difference).build()));
            }
            return write(
                    line.call("publish ", seen.key(), " ", seen.uid(), " ", difference),
                    () -> serviceObjects.ifSame(seen.key(), seen, () -> {
                        boolean addsFinalizer = difference.finalizer() && !seen.hasOurFinalizer();
                        if (addsFinalizer && seen.deleting()) {
                            return new Write.Refused<>("no new finalizers can be added if the object is being deleted");
                        }
                        List<Published> entries = difference.ingress();
                        if (entries != null && !entries.isEmpty() && !seen.typeLoadBalancer()) {
                            return new Write.Refused<>("status.loadBalancer needs spec.type LoadBalancer");
                        }
                        ServiceState stored = put(seen.key(), published(seen, difference));
                        if (entries != null && services.containsKey(seen.key())) {
                            publishedByUs.put(seen.key(), seen.uid());
                        }
                        return new Write.Done<>(stored);
                    }));
        }

        @Override
        public Write<ServiceState> releaseNodePorts(ServiceState seen, String ports) {
            return write(
                    line.call("release node ports ", seen.key(), " ", seen.uid()),
                    () -> serviceObjects.ifSame(
                            seen.key(),
                            seen,
                            () -> new Write.Done<>(put(
                                    seen.key(),
                                    SampleService.from(seen)
                                            .annotation(WellKnownNames.NODE_PORTS_RELEASED, ports)
                                            .ports(seen.ports().stream()
                                                    .map(port -> new Port(
                                                            port.name(),
                                                            port.protocol(),
                                                            port.port(),
                                                            0,
                                                            port.appProtocol()))
                                                    .toList())))));
        }

        @Override
        public Write<ServiceState> clear(ServiceState seen, List<Published> others) {
            return write(
                    line.call("clear ", seen.key(), " ", seen.uid(), " but ", others),
                    () -> serviceObjects.ifSame(seen.key(), seen, () -> {
                        List<String> finalizers = new ArrayList<>(seen.finalizers());
                        finalizers.remove(WellKnownNames.FINALIZER);
                        return new Write.Done<>(put(
                                seen.key(),
                                SampleService.from(seen)
                                        .finalizers(finalizers)
                                        .annotation(WellKnownNames.SERVED_BY_CLASS, null)
                                        .annotation(WellKnownNames.NODE_PORTS_RELEASED, null)
                                        .ingress(others)
                                        .conditions(seen.conditions().stream()
                                                .filter(condition ->
                                                        !WellKnownNames.CONDITIONS.contains(condition.type()))
                                                .toList())));
                    }));
        }

        /** As upstream: with its gate off, an API server goes on keeping the field where it is in use. */
        private boolean usesIpMode(ServiceState stored) {
            return stored.ingress().stream().anyMatch(entry -> entry.ipMode() != null);
        }

        private SampleService published(ServiceState seen, Publication.Difference difference) {
            SampleService wanted = SampleService.from(seen);
            if (difference.finalizer() && !seen.hasOurFinalizer()) {
                wanted.finalizer(WellKnownNames.FINALIZER);
            }
            if (difference.servedByClass() != null) {
                wanted.annotation(WellKnownNames.SERVED_BY_CLASS, difference.servedByClass());
            }
            List<Published> entries = difference.ingress();
            if (entries != null) {
                wanted.ingress(
                        dropsIpMode && !usesIpMode(seen)
                                ? entries.stream().map(Published::withoutIpMode).toList()
                                : entries);
            }
            List<Condition> conditions = new ArrayList<>(seen.conditions());
            conditions.removeIf(old -> difference.removedConditions().contains(old.type())
                    || difference.conditions().stream()
                            .anyMatch(changed -> changed.type().equals(old.type())));
            conditions.addAll(difference.conditions());
            return wanted.conditions(conditions);
        }
    }
}
