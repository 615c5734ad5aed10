package dev.berth.controller.service;

import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.StartGate;
import dev.berth.controller.address.AddressControl;
import dev.berth.controller.loadbalancerclass.ClassControl;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.Ip;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeMap;

/** One operator with one class and one pool of four IPv4 addresses, on a cluster that others may work on, too. */
class PoolOperator {
    static final String CLASS = "berth.dev/pool";
    static final String POOL = "edge";

    final SimulatedCluster cluster;
    final SimulatedCluster.Client client;
    final Ledger ledger = new Ledger();
    final AddressControl addresses;
    final ServiceControl control;

    /** What it says of its class. */
    final ClassControl.Services ofClasses;

    /** Which Services it wants to reconcile, the earliest first. */
    final SequencedSet<ServiceKey> due = new LinkedHashSet<>();

    /** Which Addresses it wants to look at again, though no event says so. */
    final List<Ip> addressesDue = new ArrayList<>();

    /** Why which Services wait, as its metrics show it. */
    final Map<ServiceKey, String> waits = new TreeMap<>();

    private ClassSet classes;

    /** What is to be done to Addresses after a while. */
    final List<Runnable> later = new ArrayList<>();

    /** How far its clock was set forward. */
    Duration ahead = Duration.ZERO;

    PoolOperator(SimulatedCluster cluster, InstantSource clock) {
        this(cluster, clock, new PoolProvider());
    }

    PoolOperator(SimulatedCluster cluster, InstantSource clock, LoadBalancerProvider provider) {
        this(cluster, clock, provider, PoolPolicy.OPEN, "192.0.2.0/30");
    }

    PoolOperator(
            SimulatedCluster cluster,
            InstantSource clock,
            LoadBalancerProvider provider,
            PoolPolicy policy,
            String... ranges) {
        this.cluster = cluster;
        client = cluster.client();
        StartGate gate = new StartGate();
        classes = SampleClasses.one(CLASS, "theirs", provider.capabilities(), IpMode.PROXY, Classless.ALWAYS);
        ServiceLoops loops = new SampleLoops(client, ledger, gate, clock)
                .clock(() -> clock.instant().plus(ahead))
                .later((delay, what) -> {
                    later.add(what);
                    return () -> later.remove(what);
                })
                .classes(() -> classes)
                .provider("theirs", provider)
                .metrics(new NoOpRecorder() {
                    @Override
                    public void waits(ServiceKey service, Optional<String> reason) {
                        waits.compute(service, (_, _) -> reason.orElse(null));
                    }
                })
                .due(due::addAll)
                .addressDue(addressesDue::add)
                .build();
        addresses = loops.addresses();
        control = loops.services();
        ofClasses = loops.ofClasses();
        client.claims().forEach(ledger::observe);
        usePool(policy, ranges);
        control.adopt();
        gate.open();
    }

    /** Its one pool is this one from now on. */
    final void usePool(PoolPolicy policy, String... addresses) {
        due.addAll(ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(POOL, Instant.EPOCH, List.of(addresses), List.of(), false, policy, false)),
                List.of())));
    }

    /** {@code what} happens while its one class is not accepted. */
    final void withoutClass(Runnable what) {
        ClassSet before = classes;
        classes = SampleClasses.awaited(CLASS, "theirs");
        what.run();
        classes = before;
    }

    /** Beside its one class there is another Berth's from now on. */
    final void useAnotherBerthsClass(String value) {
        classes = SampleClasses.besideAnotherBerth(CLASS, "theirs", new PoolProvider().capabilities(), value);
    }

    /** Which Services of its one class it skips because of another controller, as it says; absent: none. */
    final Optional<String> skipped() {
        return ofClasses.servedByAnother(classes.served().getFirst().name());
    }

    /** Another Berth serves its one class from now on. */
    final void giveItsClassToAnotherBerth() {
        classes = SampleClasses.ofAnotherBerth(CLASS);
    }

    final ClassSet classes() {
        return classes;
    }

    /** As the operator does: what is due is reconciled, until nothing is. */
    final void reconcileDue() {
        reconcileUnchecked();
        ledger.checkInvariants();
    }

    /** The same, for who measures it: the check walks all that is held. */
    final void reconcileUnchecked() {
        while (!due.isEmpty()) {
            ServiceKey next = due.removeFirst();
            hear();
            try {
                control.reconcile(next);
            } catch (Unreadable left) {
                // As the operator does: it is left as it is.
            }
        }
    }

    /** The caches see everything. */
    final void hear() {
        client.relist();
        client.claims().forEach(ledger::observe);
    }
}
