package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolUse;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.testing.Answers;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The system property {@code property.seeds} says how many worlds each property is tried on. */
class LedgerPropertyTest {
    private static final long SEEDS = Long.getLong("property.seeds", 5_000);
    private static final long FIRST = Long.getLong("property.first", 0);
    private static final int STEPS = 40;

    private static void forAllSeeds(LongConsumer property) {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(property);
    }

    @Test
    void everyIndex_agreesWithTheHoldings_afterEveryOperation() {
        forAllSeeds(seed -> {
            World world = new World(seed, (none, request, choice) -> {});
            for (int i = 0; i < STEPS / 2; i++) {
                world.step();
                world.checkInvariants();
                world.disturb();
                world.checkInvariants();
            }
            world.claimAll();
            world.ledger.copy(world.ledger.pools()).checkInvariants();
            world.ledger.rebuild(claims(world));
            world.checkInvariants();
        });
    }

    private static List<Claim> claims(World world) {
        return world.ledger.holdings().stream()
                .map(holding -> Objects.requireNonNull(holding.claim()))
                .toList();
    }

    @Test
    void capacity_isAllocatedAndReservedAndCoolingAndAvailable() {
        forAllSeeds(seed -> {
            World world = new World(seed, (none, request, choice) -> {});
            for (int i = 0; i < STEPS; i++) {
                world.step();
                Oracle oracle = new Oracle(world);
                for (Pool pool : world.ledger.pools().pools()) {
                    for (IpFamily family : IpFamily.values()) {
                        checkUse(world, oracle, pool, family);
                    }
                }
            }
        });
    }

    private static void checkUse(World world, Oracle oracle, Pool pool, IpFamily family) {
        PoolUse use = world.ledger.use(pool.name(), family);
        List<Long> expected = List.of(
                (long) oracle.addresses(pool, family).size(),
                oracle.count(pool, family, ClaimSpec.Phase.BOUND),
                oracle.count(pool, family, ClaimSpec.Phase.RESERVED),
                oracle.count(pool, family, ClaimSpec.Phase.COOLING),
                (long) oracle.free(pool, family).size());
        List<Long> said = Stream.of(use.capacity(), use.allocated(), use.reserved(), use.cooling(), use.available())
                .map(BigInteger::longValueExact)
                .toList();
        world.check(said.equals(expected), pool, family, said, expected);
    }

    @Test
    @Answers({"kube-vip/kube-vip#283", "kube-vip/kube-vip#400"})
    void noAddressIsOfTwo_unlessTheyShareItByTheRules() {
        forAllSeeds(seed -> {
            World world = new World(seed, (none, request, choice) -> {});
            for (int i = 0; i < STEPS; i++) {
                world.step();
                for (Holding holding : world.ledger.holdings()) {
                    checkOwners(world, holding);
                }
            }
        });
    }

    private static void checkOwners(World world, Holding holding) {
        List<ServiceKey> owners = holding.owners().stream()
                .filter(owner -> !owner.isReservation())
                .map(Owner::service)
                .toList();
        Sharing sharing = holding.spec().sharing();
        if (owners.size() > 1) {
            world.check(sharing != null, "it is of several", holding);
            world.check(
                    owners.stream().map(ServiceKey::namespace).distinct().count() == 1, "of two namespaces", holding);
            List<Sharing.Port> ports = Objects.requireNonNull(sharing).ports();
            world.check(
                    ports.stream().map(Object::toString).distinct().count() == ports.size(), "a port of two", holding);
        }
        for (Owner owner : holding.owners()) {
            world.check(world.ledger.heldFor(owner.service()).contains(holding), "not found by", owner);
        }
    }

    @Test
    void everyRefusal_namesEachPoolAndTheFirstRuleThatRejects_withTrueNumbers() {
        forAllSeeds(seed ->
                World.after(seed, STEPS, LedgerPropertyTest::checkRefusals).drain());
    }

    private static void checkRefusals(World world, AddressRequest request, Choice choice) {
        Oracle oracle = new Oracle(world);
        List<Refusal> refusals = switch (choice) {
            case Choice.Assigned assigned -> assigned.missing();
            case Choice.Refused refused -> refused.refusals();
        };
        List<IpFamily> got = choice instanceof Choice.Assigned assigned
                ? assigned.picks().stream().map(pick -> pick.ip().family()).toList()
                : List.of();
        for (IpFamily family : request.families()) {
            List<Refusal> said =
                    refusals.stream().filter(no -> no.family() == family).toList();
            if (said.isEmpty()) {
                world.check(
                        got.contains(family) || oracle.could(request, family) || noPools(world),
                        "no reason is given for",
                        family,
                        request);
            } else if (oracle.sharesSoon(request, family)) {
                world.check(said.size() == 1 && said.getFirst().reason() == RefusalReason.SHARED_SOON, said, request);
            } else {
                world.check(
                        said.stream().map(Refusal::pool).toList().equals(namesOfPools(world)),
                        "each pool has its reason",
                        said,
                        request);
                said.forEach(no -> checkRefusal(world, oracle, request, no));
            }
        }
    }

    private static boolean noPools(World world) {
        return world.ledger.pools().pools().isEmpty();
    }

    private static List<String> namesOfPools(World world) {
        return world.ledger.pools().pools().stream().map(Pool::name).toList();
    }

    private static void checkRefusal(World world, Oracle oracle, AddressRequest request, Refusal said) {
        Pool pool = world.ledger.pools().named(said.pool()).orElseThrow();
        IpFamily family = said.family();
        Optional<RefusalReason> rule = oracle.rule(pool, request, family);
        world.check(said.reason() == rule.orElse(RefusalReason.OTHERS_WAIT), "the rule is", rule, said, request);
        if (said.reason() == RefusalReason.OTHERS_WAIT) {
            world.check(
                    oracle.ahead(request).stream()
                            .anyMatch(other -> other.families().contains(family)
                                    && oracle.forbids(pool, other, family).isEmpty()),
                    "nobody waits ahead",
                    said,
                    request);
        }
        String namespace = request.service().namespace();
        if (said.reason() == RefusalReason.OVER_QUOTA) {
            String has = "namespace " + namespace + " has " + oracle.used(pool, family, namespace) + " of ";
            world.check(said.detail().startsWith(has), has, said);
        }
        world.check(
                said.free().longValueExact() == oracle.free(pool, family).size()
                        && said.capacity().longValueExact()
                                == oracle.addresses(pool, family).size(),
                "free and capacity",
                said);
    }

    @Test
    void everyAddressGiven_isFreeOrShared_ofTheFirstPoolThatGives() {
        forAllSeeds(
                seed -> World.after(seed, STEPS, LedgerPropertyTest::checkPicks).drain());
    }

    private static void checkPicks(World world, AddressRequest request, Choice choice) {
        if (choice instanceof Choice.Assigned assigned) {
            Oracle oracle = new Oracle(world);
            for (Choice.Pick pick : assigned.picks()) {
                IpFamily family = pick.ip().family();
                Pool pool = world.ledger.pools().named(pick.pool()).orElseThrow();
                world.check(oracle.addresses(pool, family).contains(pick.ip()), pool, "has not", pick);
                Optional<Ip> named = request.constraints().address(family);
                world.check(named.isEmpty() || named.get().equals(pick.ip()), "not what it asks for", pick, request);
                Optional<Holding> held = oracle.holding(pick.ip());
                if (pick.joins() == null) {
                    world.check(held.isEmpty(), "it is held", pick, request);
                    world.check(oracle.rule(pool, request, family).isEmpty(), pool, "may not give", pick, request);
                    world.check(oracle.shares(request, family, Optional.empty()).isEmpty(), "it could share", request);
                } else {
                    world.check(oracle.sharing(held.orElseThrow(), request).isEmpty(), "not to share", pick, request);
                }
                if (named.isEmpty()
                        && pick.joins() == null
                        && !request.preferred().contains(pick.ip())) {
                    checkEarlierPools(world, oracle, request, pool, family);
                }
            }
        }
    }

    @Test
    void quota_holdsAtTheMomentThatAnAddressIsHeld_alsoOfSeveralOneAfterTheOther() {
        forAllSeeds(seed -> {
            World world = World.after(seed, STEPS, LedgerPropertyTest::checkRoom);
            world.drain();
            for (AddressRequest request : probes(world, new Random(seed))) {
                if (world.ledger.take(request) instanceof Choice.Assigned assigned) {
                    given(assigned).forEach(pick -> checkQuota(world, request, pick, 0));
                }
            }
        });
    }

    private static void checkRoom(World world, AddressRequest request, Choice choice) {
        if (choice instanceof Choice.Assigned assigned) {
            given(assigned).forEach(pick -> checkQuota(world, request, pick, 1));
        }
    }

    /** Those that nobody has yet: it has one of a family at most. */
    private static List<Choice.Pick> given(Choice.Assigned assigned) {
        return assigned.picks().stream().filter(pick -> pick.joins() == null).toList();
    }

    /** By what is held alone. */
    private static void checkQuota(World world, AddressRequest request, Choice.Pick pick, int more) {
        String namespace = request.service().namespace();
        Pool pool = world.ledger.pools().named(pick.pool()).orElseThrow();
        List<Ip> ofPool = new Oracle(world).addresses(pool, pick.ip().family());
        long held = world.ledger.holdings().stream()
                .filter(holding -> ofPool.contains(holding.ip()))
                .filter(holding -> holding.owners().stream()
                        .anyMatch(owner -> owner.service().namespace().equals(namespace)))
                .count();
        pool.policy()
                .quota()
                .of(namespace)
                .ifPresent(limit -> world.check(
                        held + more <= limit, namespace, "has", held + more, "of", limit, "in", pool, pick));
    }

    private static void checkEarlierPools(
            World world, Oracle oracle, AddressRequest request, Pool given, IpFamily family) {
        for (Pool pool : world.ledger.pools().pools()) {
            if (pool.equals(given)) {
                return;
            }
            world.check(
                    oracle.rule(pool, request, family).isPresent()
                            || !oracle.ahead(request).isEmpty(),
                    pool,
                    "comes first for",
                    request);
        }
    }

    @Test
    void nobodyWaits_whoCouldBeServed() {
        forAllSeeds(seed -> {
            World world = World.after(seed, STEPS);
            world.drain();
            Oracle oracle = new Oracle(world);
            for (AddressRequest request : world.waiting.values()) {
                world.check(
                        oracle.couldHave(request).isEmpty(), "could have", oracle.couldHave(request), "now", request);
                world.check(
                        world.ledger.choose(request) instanceof Choice.Refused
                                && world.ledger.turnOf(request.service()).equals(Optional.of(request.turn())),
                        "waits in no queue",
                        request);
            }
            world.check(
                    world.ledger
                            .waiting()
                            .equals(world.waiting.values().stream()
                                    .sorted((a, b) -> a.turn().compareTo(b.turn()))
                                    .map(AddressRequest::service)
                                    .toList()),
                    "others wait",
                    world.ledger.waiting());
        });
    }

    @Test
    void waiting_isWhoLacksAnAddressOfThePool_forWhateverReason() {
        forAllSeeds(seed -> {
            World world = World.after(seed, STEPS);
            world.drain();
            Oracle oracle = new Oracle(world);
            for (Pool pool : world.ledger.pools().pools()) {
                for (IpFamily family : IpFamily.values()) {
                    List<AddressRequest> waiters = oracle.waitingFor(pool, family);
                    // Who needs all or nothing may lack the other family only.
                    long surely = waiters.stream()
                            .filter(request -> !request.allOrNone())
                            .count();
                    int counted = world.ledger.use(pool.name(), family).waiting();
                    world.check(surely <= counted && counted <= waiters.size(), pool, family, counted, waiters);
                }
            }
        });
    }

    @Test
    void nobodyOvertakes_whoCouldBeServed() {
        forAllSeeds(
                seed -> World.after(seed, STEPS, LedgerPropertyTest::checkOrder).drain());
    }

    private static void checkOrder(World world, AddressRequest request, Choice choice) {
        if (choice instanceof Choice.Assigned assigned) {
            Oracle before = new Oracle(world);
            List<AddressRequest> ahead = before.ahead(request);
            Oracle after = before;
            for (Choice.Pick pick : assigned.picks()) {
                if (pick.joins() == null) {
                    after = after.holding(pick.ip(), request);
                }
            }
            Set<Oracle.Served> first = before.servedInOrder(ahead);
            Set<Oracle.Served> then = after.servedInOrder(ahead);
            world.check(then.containsAll(first), "overtaken", first, then, "by", request, assigned.picks());
        }
    }

    /** What others can see of a ledger. */
    private static Map<String, Object> seen(Ledger ledger) {
        Map<String, Object> seen = new LinkedHashMap<>();
        for (Pool pool : ledger.pools().pools()) {
            for (IpFamily family : IpFamily.values()) {
                PoolUse use = ledger.use(pool.name(), family);
                seen.put(pool.name() + family, List.of(use.capacity(), use.allocated(), use.reserved(), use.cooling()));
            }
        }
        seen.put("held", new HashSet<>(ledger.holdings()));
        for (Holding holding : ledger.holdings()) {
            for (Owner owner : holding.owners()) {
                seen.put(owner.toString(), ledger.heldFor(owner.service()));
            }
        }
        seen.put("stranded", ledger.stranded());
        return seen;
    }

    private static List<AddressRequest> probes(World world, Random random) {
        return IntStream.range(0, 4)
                .mapToObj(i -> world.request(new ServiceKey(random.nextBoolean() ? "prod" : "dev", "probe" + i)))
                .toList();
    }

    private static boolean remembersReleases(World world) {
        return world.ledger.pools().pools().stream()
                .anyMatch(pool -> pool.policy().strategy() == PoolPolicy.Strategy.LEAST_RECENTLY_USED);
    }

    @Test
    void allocateThenRelease_restoresTheLedger() {
        forAllSeeds(seed -> {
            World world = World.after(seed, STEPS);
            world.drain();
            Map<String, Object> before = seen(world.ledger);
            List<ServiceKey> waiting = world.ledger.waiting();
            for (AddressRequest request : probes(world, new Random(seed))) {
                Choice choice = world.ledger.take(request);
                if (choice instanceof Choice.Assigned assigned) {
                    assigned.picks().stream()
                            .filter(pick -> pick.joins() == null)
                            .forEach(pick -> world.ledger.giveUp(pick.ip(), request.owner()));
                    world.check(
                            remembersReleases(world)
                                    || world.ledger.choose(request).equals(choice),
                            "chosen otherwise",
                            choice);
                }
                Map<String, Object> after = seen(world.ledger);
                world.check(after.equals(before) && world.ledger.waiting().equals(waiting), before, after);
                world.checkInvariants();
            }
        });
    }

    @Test
    void theOrderOfTheList_changesNothingAtARebuild() {
        forAllSeeds(seed -> {
            World world = World.after(seed, STEPS);
            world.claimAll();
            List<Claim> claims = new ArrayList<>(claims(world));
            List<AddressRequest> probes = probes(world, new Random(seed));
            Map<String, Object> before = seen(world.ledger);
            List<List<Choice>> choices = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Collections.shuffle(claims, new Random(seed + i));
                world.ledger.rebuild(claims);
                world.check(seen(world.ledger).equals(before), before, seen(world.ledger));
                choices.add(probes.stream().map(world.ledger::choose).toList());
            }
            world.check(choices.get(0).equals(choices.get(1)), choices);
        });
    }
}
