package dev.berth.controller.service;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.LoopParts;
import dev.berth.controller.StartGate;
import dev.berth.controller.address.AddressControl;
import dev.berth.controller.loadbalancerclass.ClassControl;
import dev.berth.controller.pool.PoolControl;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.Cluster;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.pool.ExcludedRange;
import dev.berth.pool.Pool;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The control loops of one operator that work on one ledger, and what one of them tells the others: those of
 * LoadBalancerClasses, AddressPools, Services and Addresses. Nothing is looked at before its first events.
 */
public final class ControlLoops {
    /** Notified of what has to be looked at again, and of changes. */
    public interface Listener {
        /** These Services are to be reconciled. */
        void servicesDue(Collection<ServiceKey> services);

        /** These Addresses are to be reconciled. */
        void addressesDue(Collection<Ip> addresses);

        /** This LoadBalancerClass, which exists, is to be reconciled. */
        void classDue(String className);

        /** A class came, changed or went. */
        void classChanged();

        /** These addresses are stranded now, or no longer. */
        void strandedChanged(Collection<Ip> addresses);

        /** Other pools hold than before. */
        void poolsChanged();
    }

    /**
     * What classes and pools are judged by, and how their status is written. Suppliers and functions are asked again whenever
     * they are needed.
     *
     * @param controllerName which classes are served: those that name it
     * @param providers what is known of them, given all classes that there are
     * @param excludedRanges the addresses that no pool allocates, as Nodes have them
     * @param classStatuses writes a status onto the class as it was read; false: it has to be tried again
     * @param poolStatuses the same for a pool
     */
    public record Judging(
            Caches caches,
            String controllerName,
            Function<List<ClassDeclaration>, KnownProviders> providers,
            Supplier<List<ExcludedRange>> excludedRanges,
            BiPredicate<LoadBalancerClass, LoadBalancerClass.Status> classStatuses,
            BiPredicate<AddressPool, AddressPool.Status> poolStatuses) {}

    private final Cluster cluster;
    private final Ledger ledger;
    private final StartGate gate;
    private final Caches caches;
    private final Listener listener;
    private final ClassControl classes;
    private final PoolControl pools;
    private final ServiceLoops ofServices;

    /** Why Services without a class were left to another when that was last looked at; absent: they were not. */
    private Optional<Deference> lastDeference = Optional.empty();

    /** Of {@code parts} whose classes are {@code classes().classSet()}. */
    public ControlLoops(ServiceParts parts, Judging judging, Listener listener) {
        this(parts, judging, listener, CallLimits.byDefault());
    }

    /** The same, with other limits of calls to providers. */
    ControlLoops(ServiceParts parts, Judging judging, Listener listener, CallLimits limits) {
        this.listener = listener;
        cluster = parts.cluster();
        ledger = parts.ledger();
        gate = parts.gate();
        caches = judging.caches();
        LoopParts loop = new LoopParts(caches, gate, parts.events(), parts.timing());
        classes = new ClassControl(
                loop,
                judging.controllerName(),
                new ClassControl.Inputs(
                        judging.providers(),
                        parts.environment().certificates(),
                        () -> ledger.pools().pools().stream().map(Pool::name).toList()),
                judging.classStatuses(),
                new ClassControl.Listener() {
                    @Override
                    public void classChanged(String value) {
                        happened(new EventMapper.Event.ClassChanged(value));
                        List<Ip> were = addresses().classChanged(value);
                        listener.addressesDue(were);
                        // A Service of another class has to release what it was left to another Berth to release.
                        listener.servicesDue(owners(were));
                        listener.classChanged();
                    }

                    @Override
                    public void judgedAgain() {
                        if (gate.isOpen()) {
                            deferenceChanged();
                        }
                    }

                    @Override
                    public void verdictChanged(String name) {
                        classDue(name);
                    }
                });
        ofServices = ServiceLoops.of(
                parts,
                new ServiceLoops.Listener() {
                    @Override
                    public void due(Collection<ServiceKey> services) {
                        listener.servicesDue(services);
                    }

                    @Override
                    public void addressDue(Ip ip) {
                        listener.addressesDue(List.of(ip));
                    }

                    @Override
                    public void deferenceChanged() {
                        ControlLoops.this.deferenceChanged();
                    }

                    @Override
                    public void classChanged(String className) {
                        classDue(className);
                    }
                },
                limits);
        pools = new PoolControl(
                loop,
                ledger,
                judging.excludedRanges(),
                ofServices.services()::replacements,
                judging.poolStatuses(),
                new PoolControl.Listener() {
                    @Override
                    public void due(Collection<ServiceKey> services) {
                        listener.servicesDue(services);
                    }

                    @Override
                    public void strandedChanged(Collection<Ip> addresses) {
                        listener.strandedChanged(addresses);
                    }

                    @Override
                    public void reuseAfterChanged(Collection<Ip> addresses) {
                        listener.addressesDue(addresses);
                    }

                    @Override
                    public void poolsChanged() {
                        listener.poolsChanged();
                        services().poolsChanged();
                        classes.namingPools().forEach(ControlLoops.this::classDue);
                    }
                });
    }

    /** The Services that have these addresses. */
    private List<ServiceKey> owners(List<Ip> ips) {
        return ips.stream()
                .flatMap(ip -> ledger.holding(ip).stream())
                .flatMap(held -> held.spec().services().stream())
                .distinct()
                .toList();
    }

    public ClassControl classes() {
        return classes;
    }

    public PoolControl pools() {
        return pools;
    }

    public ServiceControl services() {
        return ofServices.services();
    }

    public AddressControl addresses() {
        return ofServices.addresses();
    }

    /** What the loop of classes is to say of Services. */
    public ClassControl.Services ofClasses() {
        return ofServices.ofClasses();
    }

    /**
     * Before the gate opens: {@link ServiceControl#adopt}. Each Service and each class is reconciled once it is open, by what is
     * known then; so that is no change.
     */
    public synchronized void adopt() {
        services().adopt();
        lastDeference = ofClasses().deference(classes.classSet());
    }

    /** Those that {@code event} concerns are due; before the start is over, all are anyway. */
    public void happened(EventMapper.Event event) {
        if (gate.isOpen()) {
            boolean needsAll = !(event instanceof EventMapper.Event.NamespaceChanged);
            listener.servicesDue(EventMapper.keys(event, needsAll ? cluster.services() : List.of(), ledger.waiting()));
        }
    }

    /** Nodes came, went, or have other addresses. */
    public void clusterStateChanged() {
        pools.refresh();
        deferenceChanged();
    }

    /** Notified of what may be a change; does something about a real one only. */
    private synchronized void deferenceChanged() {
        Optional<Deference> now = ofClasses().deference(classes.classSet());
        Optional<Deference> before = lastDeference;
        if (now.isEmpty()) {
            // Also where it was too short to be seen here: a Service may have been planned by it.
            services().endDeference();
        }
        if (!before.equals(now)) {
            if (before.isPresent() != now.isPresent()) {
                happened(new EventMapper.Event.DeferenceChanged());
            }
            lastDeference = now;
            caches.classes()
                    .list()
                    .forEach(object -> classDue(object.getMetadata().getName()));
        }
    }

    /** This class is to be reconciled, if it exists. */
    public void classDue(String name) {
        if (caches.classes().get(null, name).isPresent()) {
            listener.classDue(name);
        }
    }
}
