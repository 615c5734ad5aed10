package dev.berth.controller.pool;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.Replacement;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.LoopParts;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.kube.Caches;
import dev.berth.kube.Conditions;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.kube.Pools;
import dev.berth.kube.TakenNetworks;
import dev.berth.pool.ExcludedRange;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolSet;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.PoolRange;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Judges all pools together, and shows each one how full it is. Free of the operator SDK. */
public final class PoolControl {
    private static final Logger LOG = LoggerFactory.getLogger(PoolControl.class);

    /** How often a pool's numbers are looked at: 2,000 allocations are not 2,000 writes. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    /** So seldom two Berths at most write what they know otherwise. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final Caches caches;
    private final Supplier<List<ExcludedRange>> excludedRanges;
    private final Ledger ledger;
    private final StartGate gate;
    private final BiPredicate<AddressPool, AddressPool.Status> statuses;
    private final Events events;
    private final InstantSource steady;
    private final PoolStatus status;
    private final Listener listener;

    /** Notified of changes to the pools. */
    public interface Listener {
        /** These Services are to be reconciled. */
        void due(Collection<ServiceKey> services);

        /** These addresses are stranded now, or no longer. */
        void strandedChanged(Collection<Ip> addresses);

        /** These addresses rest for longer or shorter than before. */
        void reuseAfterChanged(Collection<Ip> addresses);

        /** Other pools hold than before. */
        void poolsChanged();
    }

    private volatile Map<String, PoolRevision> judged = Map.of();
    private List<ExcludedRange> around = List.of();

    /** The pools that are gone, and of which it was said that something of theirs is stranded. */
    private final Set<String> reportedAsDeleted = new HashSet<>();

    /** The edit after which it was said of each pool what is stranded. */
    private final Map<String, PoolRevision> reported = new ConcurrentHashMap<>();

    /**
     * What was written last.
     *
     * @param pause how long it stays at least, if only what another Berth knows otherwise differs
     */
    private record Written(PoolRevision edition, Instant at, AddressPool.Status status, Duration pause) {}

    private final Map<String, Written> written = new ConcurrentHashMap<>();

    /**
     * Reads nothing yet, and writes nothing before the gate opens.
     *
     * @param replacements what Services would get, if a pool took back so many of its stranded addresses now
     * @param statuses writes a status onto the pool as it was read: of an older one it could have the annotation that took effect
     *     take effect again; false: it has to be tried again
     */
    public PoolControl(
            LoopParts parts,
            Ledger ledger,
            Supplier<List<ExcludedRange>> excludedRanges,
            BiFunction<String, Integer, List<Replacement>> replacements,
            BiPredicate<AddressPool, AddressPool.Status> statuses,
            Listener listener) {
        this.caches = parts.caches();
        this.excludedRanges = excludedRanges;
        this.ledger = ledger;
        this.gate = parts.gate();
        this.statuses = statuses;
        this.events = parts.events();
        this.steady = parts.timing().steady();
        this.status = new PoolStatus(ledger, parts.timing().clock(), steady, replacements);
        this.listener = listener;
    }

    /** Judges the pools again, if they or what is around them changed; every Service that waits tries again then. */
    public synchronized void refresh() {
        List<ExcludedRange> now = ofConcern();
        Map<String, PoolRevision> editions = caches.pools()
                .list()
                .collect(Collectors.toMap(pool -> pool.getMetadata().getName(), PoolRevision::of));
        if (!now.equals(around) || !editions.equals(judged)) {
            around = now;
            judge(editions);
        }
    }

    /**
     * Of what is around, what lies in a pool: the other Nodes of a cluster come and go, and change nothing. The cluster's
     * own ranges always: no provider may bring an address of them.
     */
    private List<ExcludedRange> ofConcern() {
        List<IpRange> pools =
                TakenNetworks.pools(caches).stream().map(PoolRange::range).toList();
        return excludedRanges.get().stream()
                .filter(never -> never.fault()
                        || never.ranges().stream()
                                .anyMatch(range -> pools.stream().anyMatch(range::overlaps)))
                .toList();
    }

    /** Called every second for every pool: looks at this one alone, and at the others only if it changed. */
    private synchronized void refresh(String name, Optional<AddressPool> pool) {
        if (!Objects.equals(judged.get(name), pool.map(PoolRevision::of).orElse(null))) {
            refresh();
        }
    }

    private void judge(Map<String, PoolRevision> editions) {
        judged = editions;
        List<PoolDeclaration> pools = Pools.declarations(caches.pools().list());
        Set<Ip> before = new HashSet<>(ledger.stranded());
        PoolSet former = ledger.pools();
        PoolSet poolSet = PoolSet.of(pools, around);
        Collection<ServiceKey> due = ledger.usePools(poolSet);
        Set<Ip> after = new HashSet<>(ledger.stranded());
        List<Ip> changed = Stream.concat(
                        before.stream().filter(ip -> !after.contains(ip)),
                        after.stream().filter(ip -> !before.contains(ip)))
                .toList();
        listener.strandedChanged(changed);
        listener.due(due);
        listener.due(changed.stream()
                .flatMap(ip -> ledger.holding(ip).stream())
                .flatMap(holding -> holding.owners().stream())
                .map(Owner::service)
                .distinct()
                .toList());
        listener.reuseAfterChanged(ledger.holdings().stream()
                .filter(holding -> holding.spec().phase() == ClaimSpec.Phase.COOLING)
                .map(Holding::ip)
                .filter(ip -> !reuseAfter(former, ip).equals(reuseAfter(poolSet, ip)))
                .toList());
        listener.poolsChanged();
        reportDeletedPools();
    }

    private static Optional<Duration> reuseAfter(PoolSet poolSet, Ip ip) {
        return poolSet.poolOf(ip).map(pool -> pool.policy().reuseAfter());
    }

    /** There is no object to say it on. */
    private void reportDeletedPools() {
        reportedAsDeleted.removeIf(judged::containsKey);
        ledger.strandedPools().stream()
                .filter(pool -> !judged.containsKey(pool))
                .filter(reportedAsDeleted::add)
                .forEach(pool -> LOG.warn(
                        "AddressPool \"{}\" was deleted; {}; these addresses are freed when their Services are"
                                + " deleted; to reclaim them, create a pool with the same name",
                        pool,
                        status.stillHeld(pool)));
    }

    /** Brings the status of the pool of this name up to date. */
    public Next reconcile(String name) {
        gate.await();
        Optional<AddressPool> found = caches.pools().get(null, name);
        refresh(name, found);
        if (found.isEmpty()) {
            reported.remove(name);
            written.remove(name);
            status.forget(name);
            return Next.ON_EVENT;
        }
        AddressPool pool = found.get();
        AddressPool.Status wanted = status.of(pool);
        PoolRevision edition = PoolRevision.of(pool);
        Written before = Optional.ofNullable(written.get(name))
                .filter(last -> last.edition().equals(edition))
                .orElse(null);
        Instant now = steady.instant();
        if (!Objects.equals(wanted, pool.getStatus()) && isDue(pool, wanted, before, now)) {
            tell(pool, wanted);
            if (statuses.test(pool, wanted)) {
                written.put(name, new Written(edition, now, wanted, pause(pool, wanted, before)));
            }
        }
        return Next.after(LOOK);
    }

    /** The first after an edit at once; then one per second, for each write is itself an event on the pool. */
    private static boolean isDue(AddressPool pool, AddressPool.Status wanted, @Nullable Written before, Instant now) {
        if (before == null) {
            return true;
        }
        boolean isDisputed = !differsForAll(pool, wanted) && isOverwritten(pool, before);
        return !now.isBefore(before.at().plus(isDisputed ? before.pause() : LOOK));
    }

    /** Each time that another has written its own over it, twice as long. */
    private static Duration pause(AddressPool pool, AddressPool.Status wanted, @Nullable Written before) {
        if (before == null || !isOverwritten(pool, before)) {
            return LOOK;
        }
        if (differsForAll(pool, wanted)) {
            return before.pause();
        }
        Duration twice = before.pause().multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    /** Whether something is to be shown otherwise that another Berth knows as well. */
    private static boolean differsForAll(AddressPool pool, AddressPool.Status wanted) {
        return !PoolStatus.knownToAll(wanted).equals(PoolStatus.knownToAll(pool.getStatus()));
    }

    /** Whether another Berth has shown instead what it alone knows. */
    private static boolean isOverwritten(AddressPool pool, Written before) {
        return !PoolStatus.ofItsOwn(before.status()).equals(PoolStatus.ofItsOwn(pool.getStatus()));
    }

    private void tell(AddressPool pool, AddressPool.Status wanted) {
        for (String fault : ledger.pools().faults(pool.getMetadata().getName())) {
            boolean known = Optional.ofNullable(pool.getStatus()).map(AddressPool.Status::conditions).stream()
                    .flatMap(List::stream)
                    .filter(Objects::nonNull)
                    .anyMatch(
                            condition -> String.valueOf(condition.getMessage()).contains(fault));
            if (!known) {
                LOG.warn("AddressPool \"{}\": {}", pool.getMetadata().getName(), fault);
                events.warning(About.object(pool), PoolStatus.reason(Pools.declaration(pool)), fault);
            }
        }
        reportStranded(pool, wanted);
        LOG.debug("AddressPool \"{}\": {}", pool.getMetadata().getName(), wanted);
    }

    /** Once an edit: the numbers are in the status. */
    private void reportStranded(AddressPool pool, AddressPool.Status wanted) {
        Optional<Condition> now = Conditions.find(wanted.conditions(), PoolStatus.STRANDED);
        boolean known = Optional.ofNullable(pool.getStatus())
                .flatMap(old -> Conditions.find(old.conditions(), PoolStatus.STRANDED))
                .map(Condition::getObservedGeneration)
                .filter(pool.getMetadata().getGeneration()::equals)
                .isPresent();
        PoolRevision edition = PoolRevision.of(pool);
        if (now.isPresent()
                && !known
                && !edition.equals(reported.put(pool.getMetadata().getName(), edition))) {
            LOG.warn(
                    "AddressPool \"{}\": {}",
                    pool.getMetadata().getName(),
                    now.get().getMessage());
            events.warning(
                    About.object(pool), Reason.AddressesStranded, now.get().getMessage());
        }
    }
}
