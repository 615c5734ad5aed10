package dev.berth.controller.pool;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Replacement;
import dev.berth.claim.Stranded;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.kube.Conditions;
import dev.berth.kube.Pools;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolUse;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the status of an AddressPool says: how full it is, whether it is valid, and what is stranded. */
final class PoolStatus {
    /** The condition that some of its addresses are stranded. */
    static final String STRANDED = "Stranded";

    private static final String VALID = "Valid";

    /** How many stranded addresses are named in a status; in a sentence fewer. */
    private static final int LISTED = 10;

    private static final int NAMED = 3;

    /** How many of its addresses a pool shows in one line. */
    private static final int SHOWN = 3;

    /** Of how many stranded addresses it is said what their Services would get; of how many Services in a sentence. */
    private static final int LOOKED_AHEAD = 100;

    private static final int FORETOLD = 10;

    /** What Services would get is looked at again after this, for it is as much work as to serve them. */
    private static final Duration LOOK_AHEAD = Duration.ofSeconds(10);

    private final Ledger ledger;
    private final InstantSource clock;
    private final InstantSource steady;
    private final BiFunction<String, Integer, List<Replacement>> replacements;

    /** What was said last of what Services would get, by the name of the pool. */
    private final Map<String, Foretold> foretold = new ConcurrentHashMap<>();

    private record Foretold(PoolRevision edition, Instant at, String sentence) {}

    /**
     * Nothing is foretold yet.
     *
     * @param clock what time it is, for what others read
     * @param steady how time passes: nobody sets it forward or back
     * @param replacements what Services would get, if a pool took back so many of its stranded addresses now
     */
    PoolStatus(
            Ledger ledger,
            InstantSource clock,
            InstantSource steady,
            BiFunction<String, Integer, List<Replacement>> replacements) {
        this.ledger = ledger;
        this.clock = clock;
        this.steady = steady;
        this.replacements = replacements;
    }

    /** Of a pool as it is now. */
    AddressPool.Status of(AddressPool pool) {
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

    /**
     * Of a status, what all Berths of a cluster show alike: all but {@link #ofItsOwn}.
     *
     * @param status null: none was written yet
     * @return absent: none was written yet
     */
    static Optional<AddressPool.Status> knownToAll(AddressPool.@Nullable Status status) {
        return Optional.ofNullable(status)
                .map(all -> new AddressPool.Status(
                        all.observedGeneration(),
                        all.addresses(),
                        all.state(),
                        all.allocated(),
                        withoutWaiting(all.ipv4()),
                        withoutWaiting(all.ipv6()),
                        all.stranded(),
                        all.releasedStranded(),
                        Conditions.of(all).stream()
                                .filter(condition -> condition != null && !STRANDED.equals(condition.getType()))
                                .toList()));
    }

    /**
     * What each Berth knows for itself alone.
     *
     * @param ipv4 how many of its Services wait for an IPv4 address
     * @param stranded what its Services would get, as the condition says it
     */
    record ItsOwn(Optional<Integer> ipv4, Optional<Integer> ipv6, Optional<String> stranded) {}

    /** @param status null: none was written yet */
    static ItsOwn ofItsOwn(AddressPool.@Nullable Status status) {
        return new ItsOwn(
                waiting(status == null ? null : status.ipv4()),
                waiting(status == null ? null : status.ipv6()),
                Conditions.find(Conditions.of(status), STRANDED).map(Condition::getMessage));
    }

    private static Optional<Integer> waiting(AddressPool.@Nullable Family family) {
        return Optional.ofNullable(family).map(AddressPool.Family::waiting);
    }

    private static AddressPool.@Nullable Family withoutWaiting(AddressPool.@Nullable Family family) {
        return family == null
                ? null
                : new AddressPool.Family(
                        family.capacity(),
                        family.allocated(),
                        family.available(),
                        family.reserved(),
                        family.cooling(),
                        0);
    }

    /** The pool of this name is gone. */
    void forget(String name) {
        foretold.remove(name);
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
            odd.add(reason(pool).name());
        } else if (hasNone) {
            odd.add("NoAllocatableAddresses");
        }
        return odd.isEmpty() ? null : String.join(",", odd);
    }

    private static String validity(PoolDeclaration pool) {
        return "all of its addresses are valid"
                + (pool.policy().suspended() ? "; it is suspended, and nothing new is allocated from it" : "");
    }

    private List<Condition> conditions(AddressPool pool, PoolDeclaration declaration, Stranded stranded) {
        List<String> faults = ledger.pools().faults(pool.getMetadata().getName());
        List<Condition> conditions = new ArrayList<>();
        conditions.add(condition(
                pool,
                VALID,
                faults.isEmpty(),
                faults.isEmpty() ? Reason.Valid : reason(declaration),
                faults.isEmpty() ? validity(declaration) : String.join("; ", faults)));
        conditions.add(Conditions.ready(
                Conditions.of(pool.getStatus()), conditions, pool.getMetadata().getGeneration(), clock.instant()));
        if (stranded.total() > 0) {
            boolean releasing = Pools.releasesStranded(pool);
            conditions.add(condition(
                    pool,
                    STRANDED,
                    true,
                    releasing ? Reason.Reclaiming : Reason.NotInAnyPool,
                    stillHeld(stranded)
                            + (releasing ? "; they are being reclaimed" : "; " + toTakeBack(pool) + ahead(pool))));
        }
        return conditions;
    }

    /** Why a pool that has faults is not valid. */
    static Reason reason(PoolDeclaration pool) {
        return pool.faults().isEmpty() ? Reason.InvalidAddresses : Reason.Unreadable;
    }

    private Condition condition(AddressPool pool, String type, boolean holds, Reason reason, String message) {
        return Conditions.of(
                Conditions.of(pool.getStatus()),
                type,
                Status.of(holds),
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

    /** The stranded addresses of a pool, human-readable: how many they are, and who has the first. */
    String stillHeld(String pool) {
        return stillHeld(ledger.stranded(pool, NAMED));
    }

    private static String stillHeld(Stranded stranded) {
        String named = stranded.first().stream()
                .limit(NAMED)
                .map(holding -> holding.ip() + " (" + services(holding).collect(Collectors.joining(", ")) + ")")
                .collect(Collectors.joining(", "));
        int more = stranded.total() - Math.min(NAMED, stranded.first().size());
        return stranded.total()
                + (stranded.total() == 1
                        ? " stranded address (in no pool) is still in use: "
                        : " stranded addresses (in no pool) are still in use: ")
                + named
                + (more > 0 ? " and " + more + " more" : "");
    }

    private static String toTakeBack(AddressPool pool) {
        return "to reclaim them: kubectl annotate addresspool "
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
                                        && known.edition().equals(PoolRevision.of(pool))
                                        && now.isBefore(known.at().plus(LOOK_AHEAD))
                                ? known
                                : new Foretold(
                                        PoolRevision.of(pool), now, sentence(replacements.apply(name, LOOKED_AHEAD))))
                .sentence();
    }

    private static String sentence(List<Replacement> all) {
        String none = named(
                all.stream().filter(one -> !one.reason().isEmpty()).toList(),
                one -> one.service() + " would get no address (" + one.reason() + ")");
        String others = named(
                all.stream().filter(one -> one.by().isPresent()).toList(),
                one -> one.service() + " would get "
                        + one.by().map(Ip::toString).orElse(""));
        return none.isEmpty() && others.isEmpty()
                ? ""
                : Stream.of(none, others)
                        .filter(list -> !list.isEmpty())
                        .collect(Collectors.joining(", ", "; currently, ", ""));
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
}
