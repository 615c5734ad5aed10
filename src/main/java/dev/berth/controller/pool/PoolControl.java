package dev.berth.controller.pool;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.Replacement;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Stranded;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.kube.Caches;
import dev.berth.kube.Conditions;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.kube.Pools;
import dev.berth.kube.TakenNetworks;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.ExcludedRange;
import dev.berth.pool.PoolBook;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolUse;
import dev.berth.servicecidr.PoolRange;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
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
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Judges all pools together, and shows each one how full it is. Free of the operator SDK. */
public final class PoolControl {
    private static final Logger LOG = LoggerFactory.getLogger(PoolControl.class);
    private static final String VALID = "Valid";

    private static final String STRANDED = "Stranded";

    /** How many stranded addresses are named in a status; in a sentence fewer. */
    private static final int LISTED = 10;

    private static final int NAMED = 3;

    /** How many of its addresses a pool shows in one line. */
    private static final int SHOWN = 3;

    /** Of how many stranded addresses it is said what their Services would get; of how many Services in a sentence. */
    private static final int LOOKED_AHEAD = 100;

    private static final int FORETOLD = 10;

    /** What Services would get is looked at anew after this, for it is as much work as to serve them. */
    private static final Duration LOOK_AHEAD = Duration.ofSeconds(10);

    /** How often a pool's numbers are looked at: 2,000 allocations are not 2,000 writes. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Caches caches;
    private final Supplier<List<ExcludedRange>> neverGiven;
    private final Ledger ledger;
    private final StartGate gate;
    private final BiPredicate<AddressPool, AddressPool.Status> statuses;
    private final Events events;
    private final InstantSource clock;
    private final InstantSource steady;
    private final Listener listener;

    /** Notified of changes to the pools. */
    public interface Listener {
        /** These Services are to be reconciled. */
        void due(Collection<ServiceKey> services);

        /** These addresses are stranded now, or no longer. */
        void strandedChanged(Collection<Ip> addresses);

        /** These addresses rest for longer or shorter than before. */
        void restChanged(Collection<Ip> addresses);

        /** Other pools hold than before. */
        void poolsChanged();
    }

    /** What a pool is judged by: its spec is the same while this is. */
    private record Edition(String uid, @Nullable Long generation, boolean releasesStranded) {
        static Edition of(AddressPool pool) {
            return new Edition(
                    pool.getMetadata().getUid(), pool.getMetadata().getGeneration(), Pools.releasesStranded(pool));
        }
    }

    private volatile Map<String, Edition> judged = Map.of();
    private List<ExcludedRange> around = List.of();

    /** The pools that are gone, and of which it was said that something of theirs is stranded. */
    private final Set<String> mourned = new HashSet<>();

    /** The edit after which it was said of each pool what is stranded. */
    private final Map<String, Edition> reported = new ConcurrentHashMap<>();

    private record Written(Edition edition, Instant at) {}

    private record Foretold(Edition edition, Instant at, String sentence) {}

    private final Map<String, Foretold> foretold = new ConcurrentHashMap<>();
    private final BiFunction<String, Integer, List<Replacement>> replacements;

    private final Map<String, Written> written = new ConcurrentHashMap<>();

    /**
     * Wires it.
     *
     * @param statuses writes a status; false: it has to be tried again
     * @param clock what time it is, for what others read
     * @param steady how time passes: nobody sets it forward or back
     * @param replacements what Services would get, if a pool took back so many of its stranded addresses now
     */
    public PoolControl(
            Caches caches,
            Supplier<List<ExcludedRange>> neverGiven,
            Ledger ledger,
            StartGate gate,
            BiPredicate<AddressPool, AddressPool.Status> statuses,
            Events events,
            InstantSource clock,
            InstantSource steady,
            BiFunction<String, Integer, List<Replacement>> replacements,
            Listener listener) {
        this.caches = caches;
        this.neverGiven = neverGiven;
        this.ledger = ledger;
        this.gate = gate;
        this.statuses = statuses;
        this.events = events;
        this.clock = clock;
        this.steady = steady;
        this.replacements = replacements;
        this.listener = listener;
    }

    /** The names of all pools, as they were judged last: {@link Listener#poolsChanged} tells of others. */
    public Set<String> names() {
        return judged.keySet();
    }

    /** Judges the pools again, if they or what is around them changed; every Service that waits tries again then. */
    public synchronized void refresh() {
        List<ExcludedRange> now = ofConcern();
        Map<String, Edition> editions = caches.pools()
                .list()
                .collect(Collectors.toMap(pool -> pool.getMetadata().getName(), Edition::of));
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
        return neverGiven.get().stream()
                .filter(never -> never.fault()
                        || never.ranges().stream()
                                .anyMatch(range -> pools.stream().anyMatch(range::overlaps)))
                .toList();
    }

    /** Called every second for every pool: looks at this one alone, and at the others only if it changed. */
    private synchronized void refresh(String name, Optional<AddressPool> pool) {
        if (!Objects.equals(judged.get(name), pool.map(Edition::of).orElse(null))) {
            refresh();
        }
    }

    private void judge(Map<String, Edition> editions) {
        judged = editions;
        List<PoolDeclaration> pools = Pools.declarations(caches.pools().list());
        Set<Ip> before = new HashSet<>(ledger.stranded());
        PoolBook former = ledger.pools();
        PoolBook book = PoolBook.of(pools, around);
        Collection<ServiceKey> due = ledger.usePools(book);
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
        listener.restChanged(ledger.holdings().stream()
                .filter(holding -> holding.spec().phase() == ClaimSpec.Phase.COOLING)
                .map(Holding::ip)
                .filter(ip -> !rest(former, ip).equals(rest(book, ip)))
                .toList());
        listener.poolsChanged();
        reportDeletedPools();
    }

    private static Optional<Duration> rest(PoolBook book, Ip ip) {
        return book.poolOf(ip).map(pool -> pool.policy().reuseAfter());
    }

    /** There is no object to say it on. */
    private void reportDeletedPools() {
        mourned.removeIf(judged::containsKey);
        ledger.strandedPools().stream()
                .filter(pool -> !judged.containsKey(pool))
                .filter(mourned::add)
                .forEach(pool -> LOG.warn(
                        "AddressPool \"{}\" is gone, and {}; they are free when their Services are gone, or make a"
                                + " pool of that name again to take them back",
                        pool,
                        stillHeld(ledger.stranded(pool, NAMED))));
    }

    /** Brings the status of the pool of this name up to date. */
    public Next reconcile(String name) {
        gate.await();
        Optional<AddressPool> found = caches.pools().get(null, name);
        refresh(name, found);
        if (found.isEmpty()) {
            reported.remove(name);
            written.remove(name);
            foretold.remove(name);
            return Next.ON_EVENT;
        }
        AddressPool pool = found.get();
        AddressPool.Status wanted = status(pool);
        if (!Objects.equals(wanted, pool.getStatus()) && isDue(pool)) {
            tell(pool, wanted);
            if (!statuses.test(pool, wanted)) {
                written.remove(name);
            }
        }
        return Next.after(LOOK);
    }

    /** The first after an edit at once; then one a second, for each write is itself an event on the pool. */
    private boolean isDue(AddressPool pool) {
        Written now = new Written(Edition.of(pool), steady.instant());
        Written before = written.get(pool.getMetadata().getName());
        boolean due = before == null
                || !before.edition().equals(now.edition())
                || !now.at().isBefore(before.at().plus(LOOK));
        if (due) {
            written.put(pool.getMetadata().getName(), now);
        }
        return due;
    }

    private AddressPool.Status status(AddressPool pool) {
        String name = pool.getMetadata().getName();
        PoolUse ipv4 = ledger.use(name, IpFamily.IPV4);
        PoolUse ipv6 = ledger.use(name, IpFamily.IPV6);
        Stranded stranded = ledger.stranded(name, LISTED);
        PoolDeclaration declaration = Pools.declaration(pool);
        Long generation = pool.getMetadata().getGeneration();
        boolean done = stranded.total() == 0 || !Pools.releasesStranded(pool);
        return new AddressPool.Status(
                generation,
                inOneLine(declaration.addresses()),
                state(declaration, ledger.pools().faults(name), hasNone(ipv4) && hasNone(ipv6)),
                ipv4.allocated().add(ipv6.allocated()).longValue(),
                family(ipv4),
                family(ipv6),
                stranded.total() == 0 ? null : listed(stranded),
                done ? Pools.acknowledgement(pool).orElse(null) : null,
                conditions(pool, declaration, stranded));
    }

    /** As kubectl writes the endpoints of a Service; null: there are none. */
    private static @Nullable String inOneLine(List<String> addresses) {
        int more = addresses.size() - SHOWN;
        String first = addresses.stream().limit(SHOWN).collect(Collectors.joining(","));
        return addresses.isEmpty() ? null : more > 0 ? first + " + " + more + " more..." : first;
    }

    /** What an administrator would not expect of a pool; null: nothing. */
    private static @Nullable String state(PoolDeclaration pool, List<String> faults, boolean hasNone) {
        List<String> odd = new ArrayList<>();
        if (pool.policy().suspended()) {
            odd.add("Suspended");
        }
        if (!pool.policy().autoAssign()) {
            odd.add("NoAutoAssign");
        }
        if (!faults.isEmpty()) {
            odd.add(reason(pool));
        } else if (hasNone) {
            odd.add("NoneToAllocate");
        }
        return odd.isEmpty() ? null : String.join(",", odd);
    }

    private static String validity(PoolDeclaration pool) {
        return "all of its addresses are valid"
                + (pool.policy().suspended() ? "; it is suspended, and nothing new is allocated from it" : "");
    }

    private List<io.fabric8.kubernetes.api.model.Condition> conditions(
            AddressPool pool, PoolDeclaration declaration, Stranded stranded) {
        List<String> faults = ledger.pools().faults(pool.getMetadata().getName());
        List<io.fabric8.kubernetes.api.model.Condition> conditions = new ArrayList<>();
        conditions.add(condition(
                pool,
                VALID,
                faults.isEmpty(),
                faults.isEmpty() ? VALID : reason(declaration),
                faults.isEmpty() ? validity(declaration) : String.join("; ", faults)));
        conditions.add(Conditions.ready(
                Conditions.of(pool.getStatus()), conditions, pool.getMetadata().getGeneration(), clock.instant()));
        if (stranded.total() > 0) {
            boolean releasing = Pools.releasesStranded(pool);
            conditions.add(condition(
                    pool,
                    STRANDED,
                    true,
                    releasing ? "TakingBack" : "InUseOutsideOfPools",
                    stillHeld(stranded)
                            + (releasing ? "; they are being taken back" : "; " + toTakeBack(pool) + ahead(pool))));
        }
        return conditions;
    }

    private static String reason(PoolDeclaration pool) {
        return pool.faults().isEmpty() ? "InvalidAddresses" : "Unreadable";
    }

    private io.fabric8.kubernetes.api.model.Condition condition(
            AddressPool pool, String type, boolean holds, String reason, String message) {
        return Conditions.of(
                Conditions.of(pool.getStatus()),
                type,
                Condition.Status.of(holds),
                reason,
                message,
                pool.getMetadata().getGeneration(),
                clock.instant());
    }

    private static AddressPool.Stranded listed(Stranded stranded) {
        return new AddressPool.Stranded(
                stranded.total(),
                stranded.first().stream()
                        .map(holding -> new AddressPool.StrandedAddress(
                                holding.ip().toString(), services(holding).toList()))
                        .toList());
    }

    private static Stream<String> services(Holding holding) {
        return holding.owners().stream().map(owner -> owner.service().toString());
    }

    private static String stillHeld(Stranded stranded) {
        String named = stranded.first().stream()
                .limit(NAMED)
                .map(holding -> holding.ip() + " (" + services(holding).collect(Collectors.joining(", ")) + ")")
                .collect(Collectors.joining(", "));
        int more = stranded.total() - Math.min(NAMED, stranded.first().size());
        return stranded.total()
                + (stranded.total() == 1
                        ? " address that no pool has any more stays with its Service: "
                        : " addresses that no pool has any more stay with their Services: ")
                + named
                + (more > 0 ? " and " + more + " more" : "");
    }

    private static String toTakeBack(AddressPool pool) {
        return "to take them back: kubectl annotate addresspool "
                + pool.getMetadata().getName() + " " + WellKnownNames.RELEASE_STRANDED + "="
                + Pools.nextAcknowledgement(pool)
                + " --overwrite";
    }

    /** Who would get which then, and who none. */
    private String ahead(AddressPool pool) {
        String name = pool.getMetadata().getName();
        Instant now = steady.instant();
        return foretold.compute(
                        name,
                        (same, known) -> known != null
                                        && known.edition().equals(Edition.of(pool))
                                        && now.isBefore(known.at().plus(LOOK_AHEAD))
                                ? known
                                : new Foretold(Edition.of(pool), now, sentence(replacements.apply(name, LOOKED_AHEAD))))
                .sentence();
    }

    private static String sentence(List<Replacement> all) {
        String none = named(
                all.stream().filter(one -> !one.reason().isEmpty()).toList(),
                one -> one.service() + " gets none (" + one.reason() + ")");
        String others = named(
                all.stream().filter(one -> one.by().isPresent()).toList(),
                one -> one.service() + " gets " + one.by().map(Ip::toString).orElse(""));
        return none.isEmpty() && others.isEmpty()
                ? ""
                : Stream.of(none, others)
                        .filter(list -> !list.isEmpty())
                        .collect(Collectors.joining(", ", "; then, as of now, ", ""));
    }

    private static String named(List<Replacement> some, Function<Replacement, String> words) {
        int more = some.size() - FORETOLD;
        return some.stream().limit(FORETOLD).map(words).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }

    private static boolean hasNone(PoolUse use) {
        return use.capacity().equals(BigInteger.ZERO);
    }

    private static AddressPool.@Nullable Family family(PoolUse use) {
        return hasNone(use)
                ? null
                : new AddressPool.Family(
                        use.capacity().toString(),
                        use.allocated().toString(),
                        use.available().toString(),
                        use.reserved().toString(),
                        use.cooling().toString(),
                        use.waiting());
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
                events.warning(About.object(pool), reason(Pools.declaration(pool)), fault);
            }
        }
        tellStranded(pool, wanted);
        LOG.debug("AddressPool \"{}\": {}", pool.getMetadata().getName(), wanted);
    }

    /** Once an edit: the numbers are in the status. */
    private void tellStranded(AddressPool pool, AddressPool.Status wanted) {
        Optional<io.fabric8.kubernetes.api.model.Condition> now = Conditions.find(wanted.conditions(), STRANDED);
        boolean known = Optional.ofNullable(pool.getStatus())
                .flatMap(old -> Conditions.find(old.conditions(), STRANDED))
                .map(io.fabric8.kubernetes.api.model.Condition::getObservedGeneration)
                .filter(pool.getMetadata().getGeneration()::equals)
                .isPresent();
        Edition edition = Edition.of(pool);
        if (now.isPresent()
                && !known
                && !edition.equals(reported.put(pool.getMetadata().getName(), edition))) {
            LOG.warn(
                    "AddressPool \"{}\": {}",
                    pool.getMetadata().getName(),
                    now.get().getMessage());
            events.warning(About.object(pool), "AddressesStranded", now.get().getMessage());
        }
    }
}
