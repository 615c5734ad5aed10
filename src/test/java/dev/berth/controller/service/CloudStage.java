package dev.berth.controller.service;

import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.loadbalancerclass.ClassControl;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.kube.Cluster;
import dev.berth.kube.Events;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.pool.ExcludedRange;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** One operator with a class whose provider targets node ports and brings its own addresses, and what it calls and tells. */
abstract class CloudStage {
    static final String CLASS = "test.dev/cloud";

    static final LoadBalancerStatus PUBLIC = LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.1", IpMode.PROXY)));

    /** The addresses of the cluster's Nodes. */
    final List<Ip> ofNodes = new ArrayList<>();

    Instant clock = Instant.parse("2026-03-01T12:00:00Z");

    /** How far the operator's clock was set forward. */
    Duration ahead = Duration.ZERO;

    /** A cloud whose load balancers are ready at once, unless it is told to fail. */
    static final class Cloud implements LoadBalancerProvider {
        final List<String> calls = new ArrayList<>();
        final List<LoadBalancerRequest> requests = new ArrayList<>();

        @Nullable ProviderException ensureFails;

        @Nullable ProviderException updateFails;

        @Nullable ProviderException deleteFails;

        boolean getFails;

        @Nullable EnsureOutcome answer;

        @Nullable LoadBalancerStatus has = PUBLIC;

        Targets targets = Targets.NODE_PORTS;

        boolean enforcesSourceRanges = true;

        /** Whether it takes its addresses from Berth. */
        boolean takesAddresses;

        boolean terminatesTls;

        /** How many calls it takes at once; 0: it does not say. */
        int callLimit;

        List<ListedLoadBalancer> listed = List.of();

        Runnable meanwhile = () -> {};

        Runnable whileListing = () -> {};

        /** Who is to be notified of what changes. */
        final BlockingQueue<Consumer<ServiceIdentity>> listeners = new LinkedBlockingQueue<>();

        @Override
        public Capabilities capabilities() {
            Capabilities base =
                    takesAddresses ? Capabilities.fromPools(IpMode.PROXY) : Capabilities.ofItsOwn(IpMode.PROXY);
            List<Feature> features = new ArrayList<>(List.of(Feature.LISTING, Feature.SESSION_AFFINITY));
            if (enforcesSourceRanges) {
                features.add(Feature.SOURCE_RANGES);
            }
            if (terminatesTls) {
                features.add(Feature.TLS_TERMINATION);
            }
            Capabilities all = base.withFeatures(features.toArray(Feature[]::new))
                    .withTargets(targets)
                    .withAnnotations("cloud.test.dev/");
            return callLimit == 0 ? all : all.withCallLimit(callLimit);
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            return service.uid();
        }

        @Override
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            called("get", request, getFails ? new ProviderException("no answer") : null);
            return Optional.ofNullable(has);
        }

        @Override
        public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
            whileListing.run();
            return listed;
        }

        @Override
        public void onChange(Consumer<ServiceIdentity> listener) {
            listeners.add(listener);
        }

        private void called(String call, LoadBalancerRequest request, @Nullable ProviderException failure) {
            calls.add(call + " " + request.service().name()
                    + Stream.concat(
                                    request.nodes().stream().map(Node::name),
                                    request.endpoints().stream().map(Endpoint::address))
                            .toList());
            requests.add(request);
            Runnable happens = meanwhile;
            meanwhile = () -> {};
            happens.run();
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            called("ensure", request, ensureFails);
            return answer != null ? answer : EnsureOutcome.ready(PUBLIC);
        }

        @Override
        public void updateLoadBalancer(LoadBalancerRequest request) {
            called("update", request, updateFails);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            called("delete", request, deleteFails);
        }
    }

    static final class RecordedEvents implements Events {
        final List<String> events = new ArrayList<>();

        @Override
        public void normal(About about, Reason reason, String message) {
            events.add(reason + ": " + message);
        }

        @Override
        public void warning(About about, Reason reason, String message) {
            events.add("Warning " + reason + ": " + message);
        }
    }

    /** What the API server was asked, past the cache. */
    final List<String> reads = new ArrayList<>();

    /** Whether it does not answer then. */
    boolean readsFail;

    /** What happens once, while the API server is asked past the cache. */
    Runnable whenRead = () -> {};

    /** What happens to each write. */
    Line.Fault writes = Line.Fault.NONE;

    /** How many writes were sent. */
    int sent;

    final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public boolean readFails(String call) {
            reads.add(call);
            Runnable happens = whenRead;
            whenRead = () -> {};
            happens.run();
            return readsFail;
        }

        @Override
        public Fault sending(String call, Runnable effect) {
            sent++;
            return writes;
        }
    });
    /** The Services that cannot be read. */
    final List<ServiceKey> unreadable = new ArrayList<>();

    /** The namespaces whose Services a defect keeps from being looked at. */
    final List<String> failing = new ArrayList<>();

    final SimulatedCluster.Client client = cluster.client();
    final Cloud cloud = new Cloud();
    final RecordedEvents recorded = new RecordedEvents();
    final List<ServiceKey> due = new ArrayList<>();
    List<Node> nodes = nodes("n1");
    boolean kubeProxy = true;

    /** A Node that speaks for another controller. */
    Optional<Deference> cloudNode = Optional.empty();

    int deferenceChanges;

    /** The classes that the operator has another word on. */
    final List<String> classesChanged = new CopyOnWriteArrayList<>();

    List<Endpoint> endpoints = List.of();
    Duration deadline = Duration.ofSeconds(60);
    boolean deleteOrphaned;
    boolean releasesNodePorts;

    /** What the operator wants to be done after a delay. */
    record Later(Duration delay, Runnable what) {}

    final List<Later> later = new ArrayList<>();
    ClassSet classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.ALWAYS);
    Ledger ledger = new Ledger();
    /** What the operator says of its classes. */
    private ClassControl.@Nullable Services ofClasses;

    ServiceControl control = operator();

    @AfterEach
    final void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    ServiceControl operator() {
        ledger = new Ledger();
        StartGate gate = new StartGate();
        ServiceLoops made = loops(gate).build();
        ofClasses = made.ofClasses();
        gate.open();
        return made.services();
    }

    ClassControl.Services ofClasses() {
        return Objects.requireNonNull(ofClasses);
    }

    /** Why the operator leaves Services without a class to another; absent: it does not. */
    Optional<Deference> deference() {
        return ofClasses().deference(classes);
    }

    SampleLoops loops(StartGate gate) {
        return new SampleLoops(api(), ledger, gate, () -> clock)
                .clock(() -> clock.plus(ahead))
                .later((delay, what) -> {
                    Later task = new Later(delay, what);
                    later.add(task);
                    return () -> later.remove(task);
                })
                .provider("cloud", cloud)
                .events(recorded)
                .classes(() -> classes)
                .cloudNode(() -> cloudNode)
                .backends(key -> backends())
                .isNodes(ofNodes::contains)
                .fencingToken(7)
                .deleteOrphaned(deleteOrphaned)
                .limits(new CallLimits(Duration.ZERO, deadline, ProviderGuard.ownThreads()))
                .due(this::wake)
                .deferenceChanged(() -> deferenceChanges++)
                .classChanged(classesChanged::add);
    }

    /** What looks after orphaned load balancers, by calls that {@code guard} makes. */
    OrphanedLoadBalancers orphans(ProviderGuard guard) {
        ServiceParts parts = loops(new StartGate()).parts();
        return new OrphanedLoadBalancers(parts, guard, new ServiceMemories(parts.timing()), this::wake);
    }

    /** The API server, as the operator sees it. */
    Cluster api() {
        return new ClusterAsIs(client) {
            @Override
            public Optional<ServiceState> service(ServiceKey key) {
                if (unreadable.contains(key)) {
                    throw new Unreadable("spec.type is \"Odd\"");
                }
                return super.service(key);
            }

            @Override
            public Map<String, String> namespaceLabels(String namespace) {
                if (failing.contains(namespace)) {
                    throw new IllegalStateException("a defect");
                }
                return super.namespaceLabels(namespace);
            }
        };
    }

    /** What may get the packets of each Service. */
    Backends backends() {
        return new Backends(nodes, kubeProxy, () -> endpoints);
    }

    private void wake(Collection<ServiceKey> keys) {
        due.addAll(keys);
    }

    static List<Node> nodes(String... names) {
        return List.of(names).stream()
                .map(name -> Node.named(name).withProviderId("cloud://" + name))
                .toList();
    }

    static ServiceKey key(String name) {
        return new ServiceKey("prod", name);
    }

    void put(SampleService service) {
        ServiceState state = service.build();
        cluster.put(state.key(), service);
    }

    void create(String... names) {
        for (String name : names) {
            put(SampleService.named(key(name), "uid-" + name));
        }
    }

    Next reconcile(String name) {
        client.relist();
        return control.reconcile(key(name));
    }

    ServiceState service(String name) {
        return Objects.requireNonNull(cluster.services.get(key(name)));
    }

    /** Serves these, and forgets how that went. */
    void served(String... names) {
        create(names);
        for (String name : names) {
            reconcile(name);
        }
        cloud.calls.clear();
        recorded.events.clear();
        due.clear();
    }

    /** This is the one pool. */
    void pool(List<String> addresses, String... excluded) {
        ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge", Instant.EPOCH, addresses, List.of(excluded), false, PoolPolicy.OPEN, false)),
                List.of(new ExcludedRange(
                        "ServiceCIDR \"kubernetes\"", List.of(IpRange.parse("10.96.0.0/16")), true))));
    }

    /** An operator whose provider takes its addresses from this pool. */
    void takeAddressesFrom(String... addresses) {
        cloud.takesAddresses = true;
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.ALWAYS);
        control = operator();
        pool(List.of(addresses));
    }

    /** An operator whose provider terminates TLS, with a certificate that there is none of. */
    void terminateTls() {
        cloud.terminatesTls = true;
        classes = SampleClasses.withTls(CLASS, "cloud", cloud.capabilities());
        control = operator();
    }

    /** An operator whose provider sends packets to endpoints. */
    void targetEndpoints() {
        cloud.targets = Targets.ENDPOINTS;
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.ALWAYS, releasesNodePorts);
        control = operator();
    }

    /** As the operator does: what a change of the Service's endpoints makes due is reconciled. */
    void endpointsBecome(String name, String... addresses) {
        endpoints = Stream.of(addresses)
                .map(address -> new Endpoint("", address, 8080, "n1"))
                .toList();
        control.endpointsChanged(key(name));
        reconcileDue();
    }

    /** As the operator does: what a change of nodes makes due is reconciled. */
    void nodesBecome(List<Node> now) {
        nodes = now;
        control.nodesChanged();
        reconcileDue();
    }

    void reconcileDue() {
        List<ServiceKey> woken = List.copyOf(due);
        due.clear();
        woken.forEach(key -> reconcile(key.name()));
    }

    /** As many as are called at once for a class; a Service more meets a full one. */
    void whileTheClassIsFull(Runnable happens) {
        whileFull(15, happens);
        put(inClass("full"));
        reconcile("full");
    }

    private void whileFull(int more, Runnable happens) {
        cloud.meanwhile = more == 0
                ? happens
                : () -> {
                    put(inClass("full-" + more));
                    whileFull(more - 1, happens);
                    reconcile("full-" + more);
                };
    }

    private static SampleService inClass(String name) {
        return SampleService.named(key(name), "uid-" + name).loadBalancerClass(CLASS);
    }

    void resync() {
        due.clear();
        control.resync(Duration.ofSeconds(1));
        List<ServiceKey> woken = List.copyOf(due);
        woken.forEach(key -> reconcile(key.name()));
    }
}
