package dev.berth.controller.pool;

import dev.berth.address.IpFamily;
import dev.berth.address.Ledger;
import dev.berth.address.NeverGiven;
import dev.berth.address.PoolBook;
import dev.berth.address.PoolDeclaration;
import dev.berth.address.PoolUse;
import dev.berth.address.ServiceKey;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.kube.Caches;
import dev.berth.kube.Conditions;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.kube.Pools;
import dev.berth.kube.StatusWriter;
import dev.berth.plan.Condition;
import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Judges all pools together, and shows each one how full it is. Free of the operator SDK. */
public final class PoolControl {
    private static final Logger LOG = LoggerFactory.getLogger(PoolControl.class);
    private static final String VALID = "Valid";

    /** How often a pool's numbers are looked at: 2,000 allocations are not 2,000 writes. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Caches caches;
    private final Supplier<List<NeverGiven>> neverGiven;
    private final Ledger ledger;
    private final StartGate gate;
    private final StatusWriter statuses;
    private final Events events;
    private final InstantSource clock;
    private final Consumer<Collection<ServiceKey>> due;

    private final Runnable changed;

    /**
     * What the pools are judged by.
     *
     * @param pools uid and generation of each: the spec is the same while these are
     */
    private record Inputs(List<String> pools, List<NeverGiven> around) {}

    private List<NeverGiven> around = List.of();

    private @Nullable Inputs last;

    /**
     * Wires it.
     *
     * @param due told which Services to reconcile
     * @param changed told when other pools hold than before
     */
    public PoolControl(
            Caches caches,
            Supplier<List<NeverGiven>> neverGiven,
            Ledger ledger,
            StartGate gate,
            StatusWriter statuses,
            Events events,
            InstantSource clock,
            Consumer<Collection<ServiceKey>> due,
            Runnable changed) {
        this.caches = caches;
        this.neverGiven = neverGiven;
        this.ledger = ledger;
        this.gate = gate;
        this.statuses = statuses;
        this.events = events;
        this.clock = clock;
        this.due = due;
        this.changed = changed;
    }

    /** Judges the pools anew, if they or what is around them changed; every Service that waits tries again then. */
    public synchronized void refresh() {
        around = neverGiven.get();
        judge();
    }

    /** Cheap where nothing changed: it is called every second for every pool. */
    private synchronized void judge() {
        Inputs now = new Inputs(
                caches.pools()
                        .list()
                        .map(pool -> pool.getMetadata().getUid() + "/"
                                + pool.getMetadata().getGeneration() + "/"
                                + Pools.declaration(pool).releasesStranded())
                        .sorted()
                        .toList(),
                around);
        if (!now.equals(last)) {
            last = now;
            List<PoolDeclaration> pools =
                    caches.pools().list().map(Pools::declaration).toList();
            due.accept(ledger.usePools(PoolBook.of(pools, around)));
            changed.run();
        }
    }

    /** Brings the status of the pool of this name up to date. */
    public Next reconcile(String name) {
        gate.await();
        judge();
        Optional<AddressPool> found = caches.pools().get(null, name);
        if (found.isEmpty()) {
            return Next.ON_EVENT;
        }
        AddressPool pool = found.get();
        AddressPool.Status wanted = status(pool);
        if (!Objects.equals(wanted, pool.getStatus())) {
            tell(pool, wanted);
            statuses.write(pool, wanted);
        }
        return Next.after(LOOK);
    }

    private AddressPool.Status status(AddressPool pool) {
        String name = pool.getMetadata().getName();
        PoolUse ipv4 = ledger.use(name, IpFamily.IPV4);
        PoolUse ipv6 = ledger.use(name, IpFamily.IPV6);
        List<String> faults = ledger.pools().faults(name);
        AddressPool.Status old = pool.getStatus();
        io.fabric8.kubernetes.api.model.Condition valid = Conditions.of(
                old == null ? null : old.conditions(),
                VALID,
                Condition.Status.of(faults.isEmpty()),
                faults.isEmpty() ? "Valid" : "InvalidAddresses",
                faults.isEmpty() ? "all ranges can be given out" : String.join("; ", faults),
                pool.getMetadata().getGeneration(),
                clock.instant());
        return new AddressPool.Status(
                pool.getMetadata().getGeneration(),
                ipv4.allocated().add(ipv6.allocated()).longValue(),
                family(ipv4),
                family(ipv6),
                List.of(valid));
    }

    private static AddressPool.@Nullable Family family(PoolUse use) {
        return use.capacity().equals(BigInteger.ZERO)
                ? null
                : new AddressPool.Family(
                        use.capacity().toString(),
                        use.allocated().toString(),
                        use.available().toString(),
                        use.reserved().toString(),
                        use.cooling().toString());
    }

    private void tell(AddressPool pool, AddressPool.Status wanted) {
        for (String fault : ledger.pools().faults(pool.getMetadata().getName())) {
            boolean known = Optional.ofNullable(pool.getStatus()).map(AddressPool.Status::conditions).stream()
                    .flatMap(List::stream)
                    .anyMatch(
                            condition -> String.valueOf(condition.getMessage()).contains(fault));
            if (!known) {
                LOG.warn("AddressPool \"{}\": {}", pool.getMetadata().getName(), fault);
                events.warning(About.object(pool), "InvalidAddresses", fault);
            }
        }
        LOG.debug("AddressPool \"{}\": {}", pool.getMetadata().getName(), wanted);
    }
}
