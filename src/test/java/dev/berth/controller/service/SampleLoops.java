package dev.berth.controller.service;

import dev.berth.announce.Announcements;
import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timer;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Events;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Deference;
import dev.berth.provider.LoadBalancerProvider;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Builds the control loops of Services and Addresses, put together as Berth does. What a test does not set does nothing,
 * or says that there is nothing.
 */
public final class SampleLoops {
    private static final NoOpRecorder NO_EVENTS = new NoOpRecorder();

    private final Cluster cluster;
    private final Ledger ledger;
    private final StartGate gate;
    private final SequencedMap<String, LoadBalancerProvider> providers = new LinkedHashMap<>();
    private InstantSource clock;
    private InstantSource steady;
    private Timer later = (delay, what) -> () -> {};
    private Random random = new Random(1);
    private Events events = NO_EVENTS;
    private ServiceMetrics metrics = NO_EVENTS;
    private Supplier<ClassSet> classes = ClassSet::empty;
    private Supplier<Optional<Deference>> cloudNode = Optional::empty;
    private Function<ServiceKey, Backends> backends = key -> Backends.NONE;
    private Predicate<Ip> isNodes = ip -> false;
    private String clusterName = "test";
    private long fencingToken = 1;
    private boolean deleteOrphaned;
    private CallLimits limits = CallLimits.byDefault();
    private Consumer<Collection<ServiceKey>> due = none -> {};
    private Consumer<Ip> addressDue = none -> {};
    private Runnable deferenceChanged = () -> {};
    private Consumer<String> classChanged = none -> {};

    /** On this cluster, by one clock. */
    public SampleLoops(Cluster cluster, Ledger ledger, StartGate gate, InstantSource clock) {
        this.cluster = cluster;
        this.ledger = ledger;
        this.gate = gate;
        this.clock = clock;
        steady = clock;
    }

    /** The clock for what others read is another one. */
    public SampleLoops clock(InstantSource clock) {
        this.clock = clock;
        return this;
    }

    public SampleLoops later(Timer later) {
        this.later = later;
        return this;
    }

    public SampleLoops classes(Supplier<ClassSet> classes) {
        this.classes = classes;
        return this;
    }

    SampleLoops random(Random random) {
        this.random = random;
        return this;
    }

    SampleLoops provider(String name, LoadBalancerProvider provider) {
        providers.put(name, provider);
        return this;
    }

    SampleLoops events(Events events) {
        this.events = events;
        return this;
    }

    SampleLoops cloudNode(Supplier<Optional<Deference>> cloudNode) {
        this.cloudNode = cloudNode;
        return this;
    }

    SampleLoops backends(Function<ServiceKey, Backends> backends) {
        this.backends = backends;
        return this;
    }

    SampleLoops isNodes(Predicate<Ip> isNodes) {
        this.isNodes = isNodes;
        return this;
    }

    SampleLoops clusterName(String clusterName) {
        this.clusterName = clusterName;
        return this;
    }

    SampleLoops fencingToken(long fencingToken) {
        this.fencingToken = fencingToken;
        return this;
    }

    SampleLoops deleteOrphaned(boolean deleteOrphaned) {
        this.deleteOrphaned = deleteOrphaned;
        return this;
    }

    SampleLoops limits(CallLimits limits) {
        this.limits = limits;
        return this;
    }

    public SampleLoops due(Consumer<Collection<ServiceKey>> due) {
        this.due = due;
        return this;
    }

    SampleLoops addressDue(Consumer<Ip> addressDue) {
        this.addressDue = addressDue;
        return this;
    }

    SampleLoops metrics(ServiceMetrics metrics) {
        this.metrics = metrics;
        return this;
    }

    SampleLoops deferenceChanged(Runnable deferenceChanged) {
        this.deferenceChanged = deferenceChanged;
        return this;
    }

    SampleLoops classChanged(Consumer<String> classChanged) {
        this.classChanged = classChanged;
        return this;
    }

    ServiceParts parts() {
        return new ServiceParts(
                cluster,
                ledger,
                gate,
                new Providers(providers),
                events,
                metrics,
                new IpModeSupport(true),
                new Timing(clock, steady, later, new Backoff(random)),
                new ServiceParts.Environment(
                        classes,
                        cloudNode,
                        backends,
                        isNodes,
                        secret -> ClassCertificate.NONE,
                        () -> Announcements.NONE),
                new ServiceParts.Settings(clusterName, () -> fencingToken, deleteOrphaned, List.of()));
    }

    /** The same with the loops of classes and pools, which say by what Services are judged. */
    ControlLoops build(ControlLoops.Judging judging, ControlLoops.Listener listener) {
        return new ControlLoops(parts(), judging, listener, limits);
    }

    public ServiceLoops build() {
        return ServiceLoops.of(
                parts(),
                new ServiceLoops.Listener() {
                    @Override
                    public void due(Collection<ServiceKey> services) {
                        due.accept(services);
                    }

                    @Override
                    public void addressDue(Ip ip) {
                        addressDue.accept(ip);
                    }

                    @Override
                    public void deferenceChanged() {
                        deferenceChanged.run();
                    }

                    @Override
                    public void classChanged(String className) {
                        classChanged.accept(className);
                    }
                },
                limits);
    }
}
