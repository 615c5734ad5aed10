package dev.berth.claim;

import static dev.berth.claim.Sample.START;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Quota;
import dev.berth.pool.Refusal;
import dev.berth.pool.Requester;
import dev.berth.pool.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Services that ask, get, share, wait, leave and come back; addresses that rest, are reserved, and are made
 * by others; pools that are edited. In any order, the same for the same seed.
 */
final class World {
    /** Looks at a choice before it is carried out. */
    interface Witness {
        void sees(World world, AddressRequest request, Choice choice);
    }

    private static final List<Ip> ADDRESSES = Stream.of(
                    IntStream.range(0, 5).mapToObj(i -> "192.0.2." + i),
                    IntStream.range(0, 4).mapToObj(i -> "198.51.100." + i),
                    IntStream.range(0, 4).mapToObj(i -> "2001:db8::" + i))
            .flatMap(all -> all)
            .map(Ip::parse)
            .toList();
    private static final List<ServiceKey> SERVICES = Stream.of("prod", "dev")
            .flatMap(namespace -> IntStream.range(0, 5).mapToObj(i -> new ServiceKey(namespace, "s" + i)))
            .toList();

    final long seed;
    final Ledger ledger = new Ledger();

    /** What those who wait ask for. */
    final Map<ServiceKey, AddressRequest> waiting = new LinkedHashMap<>();

    private final Random random;
    private final Witness witness;
    private final SequencedSet<ServiceKey> due = new LinkedHashSet<>();
    private int time;
    private int revision;

    World(long seed, Witness witness) {
        this.seed = seed;
        this.random = new Random(seed);
        this.witness = witness;
        editPools();
    }

    /** One that has lived for a while. */
    static World after(long seed, int steps) {
        return after(seed, steps, (world, request, choice) -> {});
    }

    static World after(long seed, int steps, Witness witness) {
        World world = new World(seed, witness);
        IntStream.range(0, steps).forEach(none -> world.step());
        return world;
    }

    void check(boolean holds, Object... what) {
        if (!holds) {
            throw new AssertionError("seed " + seed + ": " + List.of(what) + "\n  pools "
                    + ledger.pools().pools() + "\n  held " + ledger.holdings() + "\n  waiting " + waiting.values());
        }
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    void step() {
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> want(any(SERVICES));
            case 5, 6, 7 -> changeOne();
            case 8, 9, 10 -> serveOneOfDue();
            case 11, 12 -> claimOne();
            case 13 -> madeByOthers(any(ADDRESSES));
            case 14 -> stopWaiting();
            default -> {
                if (chance(30)) {
                    editPools();
                }
            }
        }
    }

    /** What {@link Oracle} knows nothing of: what is published and not claimed, and answers that get lost. */
    void disturb() {
        ServiceKey service = any(SERVICES);
        switch (random.nextInt(9)) {
            case 0, 1 -> due.addAll(ledger.withhold(service, some(ADDRESSES)));
            case 2 -> due.addAll(ledger.withholdOnly(service, some(ADDRESSES)));
            case 3 -> adopt(service);
            case 4 -> ledger.holdAgain(Sample.preferring(request(service), some(ADDRESSES)));
            case 5 -> ledger.holdAgain(some(ADDRESSES), new Owner(service, "uid" + ++time));
            case 6 -> due.addAll(ledger.await(request(service)));
            default -> held().stream().skip(random.nextInt(8)).findFirst().ifPresent(this::loseAnswer);
        }
    }

    private List<Ip> some(List<Ip> ips) {
        return ips.stream().filter(none -> chance(20)).toList();
    }

    private void adopt(ServiceKey service) {
        AddressRequest request = request(service);
        Ip ip = any(ADDRESSES);
        if (request.families().contains(ip.family())) {
            ledger.adopt(Sample.movingFamilies(
                    request,
                    new AddressConstraints(
                            List.of(ip), List.of(), request.constraints().sharing(), false)));
        }
    }

    private void loseAnswer(Holding holding) {
        Claim claim = holding.claim();
        if (holding.owners().isEmpty()) {
            return;
        }
        Ledger.Leaving leaving = new Ledger.Leaving(any(holding.owners()), START.plusSeconds(time));
        switch (random.nextInt(6)) {
            case 0 -> ledger.doubt(holding.ip());
            case 1 -> ledger.notMade(holding.ip());
            case 2 -> due.addAll(ledger.leave(holding.ip(), leaving));
            case 3 -> due.addAll(ledger.lost(holding));
            default -> {
                if (claim != null) {
                    switch (random.nextInt(4)) {
                        case 0 -> ledger.doubt(claim);
                        case 1 -> due.addAll(ledger.vanished(claim, null));
                        case 2 -> due.addAll(ledger.vanished(claim, leaving));
                        default -> due.addAll(ledger.free(claim));
                    }
                }
            }
        }
    }

    // ---- pools

    private void editPools() {
        List<PoolDeclaration> pools = new ArrayList<>();
        int number = 1 + random.nextInt(3);
        for (int i = 0; i < number; i++) {
            String name = "pool" + (char) ('a' + random.nextInt(4));
            if (pools.stream().noneMatch(pool -> pool.name().equals(name))) {
                pools.add(new PoolDeclaration(
                        name, START.plusSeconds(random.nextInt(3)), ranges(), List.of(), chance(20), policy(), false));
            }
        }
        due.addAll(ledger.usePools(PoolSet.of(pools, List.of())));
    }

    private List<String> ranges() {
        List<String> ranges = new ArrayList<>();
        if (chance(60)) {
            ranges.add(chance(30) ? "192.0.2.0/30" : "192.0.2." + random.nextInt(3) + "-192.0.2.4");
        }
        if (chance(40)) {
            ranges.add("198.51.100.0-198.51.100." + random.nextInt(4));
        }
        if (chance(50)) {
            ranges.add(chance(30) ? "2001:db8::/126" : "2001:db8::" + random.nextInt(3) + "-2001:db8::3");
        }
        return ranges;
    }

    private PoolPolicy policy() {
        return new PoolPolicy(
                chance(85),
                random.nextInt(3),
                chance(15) ? labelled("namespace", "prod") : Selector.EVERYTHING,
                chance(15) ? labelled("team", "x") : Selector.EVERYTHING,
                chance(8),
                chance(30) ? PoolPolicy.Strategy.LEAST_RECENTLY_USED : PoolPolicy.Strategy.LOWEST_FREE,
                chance(50) ? Duration.ZERO : Duration.ofMinutes(1),
                quota());
    }

    private Quota quota() {
        return switch (random.nextInt(5)) {
            case 0 -> new Quota(1 + random.nextInt(2), Map.of());
            case 1 -> new Quota(2, Map.of("dev", random.nextInt(2)));
            case 2 -> new Quota(null, Map.of("prod", 1));
            default -> Quota.NONE;
        };
    }

    private static Selector labelled(String label, String value) {
        return new Selector(List.of(new Selector.Requirement(label, Selector.Operator.IN, List.of(value))));
    }

    // ---- Services

    private void want(ServiceKey service) {
        List<Holding> held = ledger.heldFor(service);
        if (!held.isEmpty()) {
            comeBack(service, held.getFirst());
        } else if (!waiting.containsKey(service)) {
            serve(request(service));
        }
    }

    /** A Service of that name is there again, and takes over what is kept for it. */
    private void comeBack(ServiceKey service, Holding kept) {
        Claim claim = kept.claim();
        if (claim != null && kept.isReservedFor(service)) {
            Owner owner = new Owner(service, "uid" + ++time);
            observe(claim, claim.spec().takenFor("pool", old -> old.service().equals(service) ? owner : old));
        }
    }

    AddressRequest request(ServiceKey service) {
        time++;
        List<IpFamily> families = any(List.of(
                List.of(IpFamily.IPV4),
                List.of(IpFamily.IPV4),
                List.of(IpFamily.IPV6),
                List.of(IpFamily.IPV4, IpFamily.IPV6),
                List.of(IpFamily.IPV6, IpFamily.IPV4)));
        // After a restart some wait since long ago.
        int since = chance(20) ? random.nextInt(time) : time;
        return new AddressRequest(
                service,
                "uid" + time,
                chance(90) ? "pool" : "other",
                families,
                chance(50),
                new Requester(
                        chance(15) ? List.of("poola", "poolb") : List.of(),
                        Map.of("namespace", service.namespace()),
                        chance(50) ? Map.of("team", "x") : Map.of()),
                constraints(service, families),
                chance(10) ? List.of(any(ADDRESSES)) : List.of(),
                new QueuePosition(START.plusSeconds(since), START, "uid" + time));
    }

    private AddressConstraints constraints(ServiceKey service, List<IpFamily> families) {
        Ip requested = any(ADDRESSES);
        return new AddressConstraints(
                chance(25) && families.contains(requested.family()) ? List.of(requested) : List.of(),
                chance(15) ? List.of("poola", "poolc") : List.of(),
                chance(40) ? sharing(service) : null,
                chance(10));
    }

    private Sharing sharing(ServiceKey service) {
        return new Sharing(
                chance(85) ? "k" : "l",
                chance(85) ? "VIP" : "Proxy",
                Stream.of(80, 443, 53)
                        .filter(none -> chance(40))
                        .map(port -> new Sharing.Port(service, port == 53 ? "UDP" : "TCP", port))
                        .toList());
    }

    private void serve(AddressRequest request) {
        Choice choice = ledger.choose(request);
        witness.sees(this, request, choice);
        switch (choice) {
            case Choice.Assigned assigned -> {
                check(ledger.take(request).equals(assigned), "what was just chosen is not what is held", assigned);
                for (Choice.Pick pick : assigned.picks()) {
                    // The answer to a create may take its time.
                    if (pick.joins() != null || chance(70)) {
                        due.addAll(ledger.observe(Sample.claim(request, pick, ++revision))
                                .due());
                    }
                }
                List<IpFamily> missing = assigned.missing().stream()
                        .map(Refusal::family)
                        .distinct()
                        .toList();
                if (missing.isEmpty()) {
                    waiting.remove(request.service());
                    due.addAll(ledger.stopWaiting(request.service()));
                } else {
                    await(request.onlyFor(missing));
                }
            }
            case Choice.Refused refused -> await(request);
        }
    }

    private void await(AddressRequest request) {
        waiting.put(request.service(), request);
        due.addAll(ledger.await(request));
    }

    private void serveOneOfDue() {
        if (!due.isEmpty()) {
            AddressRequest request = waiting.get(chance(50) ? due.removeFirst() : due.removeLast());
            if (request != null) {
                serve(request);
            }
        }
    }

    private void stopWaiting() {
        if (!waiting.isEmpty()) {
            ServiceKey service = any(List.copyOf(waiting.keySet()));
            waiting.remove(service);
            due.addAll(ledger.stopWaiting(service));
        }
    }

    /** Has everyone who is due try again, until nobody is. */
    void drain() {
        int left = 10_000;
        while (!due.isEmpty()) {
            check(left-- > 0, "they wake each other forever");
            serveOneOfDue();
        }
        checkInvariants();
    }

    void checkInvariants() {
        try {
            ledger.checkInvariants();
        } catch (IllegalStateException disagrees) {
            check(false, disagrees.toString());
        }
    }

    // ---- addresses

    List<Holding> held() {
        return ledger.holdings().stream()
                .sorted(Comparator.comparing(Holding::ip))
                .toList();
    }

    private void observe(Claim claim, ClaimSpec spec) {
        due.addAll(ledger.observe(new Claim(claim.ip(), claim.uid(), Integer.toString(++revision), spec))
                .due());
    }

    /** The create of an address that is held was answered, or another made the object. */
    private void claimOne() {
        held().stream()
                .filter(holding -> holding.claim() == null)
                .findFirst()
                .ifPresent(holding ->
                        observe(new Claim(holding.ip(), "claim" + ++revision, "", holding.spec()), holding.spec()));
    }

    /** The create of every address that is held was answered. */
    void claimAll() {
        while (held().stream().anyMatch(holding -> holding.claim() == null)) {
            claimOne();
        }
    }

    /** A reservation by hand, for somebody or nobody, or a claim by another operator. */
    private void madeByOthers(Ip ip) {
        ServiceKey service = any(SERVICES);
        if (ledger.holding(ip).isEmpty()
                && !waiting.containsKey(service)
                && ledger.heldFor(service).isEmpty()) {
            Owner owner = new Owner(service, chance(50) ? null : "uid" + ++time);
            ClaimSpec spec =
                    chance(20) ? ClaimSpec.of(null, null) : ClaimSpec.of(null, chance(50) ? "pool" : null, owner);
            observe(
                    new Claim(ip, "claim" + ++revision, "", spec),
                    owner.isReservation() || chance(60) ? spec : spec.shared(sharing(service)));
        }
    }

    /** One owner leaves, or a rest is over, or a create fails, or an object vanishes. */
    private void changeOne() {
        List<Holding> all = held();
        if (all.isEmpty()) {
            return;
        }
        Holding holding = any(all);
        Claim claim = holding.claim();
        List<Owner> owners = holding.owners().stream()
                .filter(owner -> !owner.isReservation())
                .toList();
        if (owners.isEmpty()) {
            due.addAll(ledger.free(holding.ip()));
        } else if (claim == null) {
            fail(holding, owners.getFirst());
        } else if (chance(10)) {
            ledger.lost(holding);
        } else {
            leave(claim, any(owners));
        }
    }

    private void fail(Holding holding, Owner owner) {
        if (holding.state() == Holding.State.HELD && chance(30)) {
            ledger.doubt(holding.ip());
        } else if (holding.state() == Holding.State.HELD) {
            due.addAll(ledger.giveUp(holding.ip(), owner));
        } else {
            due.addAll(ledger.free(holding.ip()));
        }
    }

    private void leave(Claim claim, Owner owner) {
        ClaimSpec left = claim.spec().leftBy(owner, START.plusSeconds(time));
        boolean cooling = !Cooling.left(left, ledger.pools().poolOf(claim.ip()), START.plusSeconds(time))
                .isZero();
        if (left.phase() == ClaimSpec.Phase.COOLING && !cooling) {
            ledger.gone(claim);
            due.addAll(ledger.free(claim));
        } else {
            observe(claim, left);
        }
    }
}
