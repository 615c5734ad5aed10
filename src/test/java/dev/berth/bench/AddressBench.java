package dev.berth.bench;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Requester;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;

/** How long the ledger takes, and how much memory, by the number of addresses that are held. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx3g")
public class AddressBench {
    private static final int MILLION = 1_000_000;
    private static final int CLAIMS_AT_START = 100_000;
    private static final int POOLS = 100;

    /** A ledger that holds many addresses of one pool. */
    @State(Scope.Benchmark)
    public static class Held {
        @Param({"1000", "100000", "1000000"})
        public int held = 1_000;

        /** One run of an IPv4 /8, one of an IPv6 /64, or every second address of a /8. */
        @Param({"10.0.0.0/8", "2001:db8::/64", "fragmented"})
        public String pool = "10.0.0.0/8";

        private final Ledger ledger = new Ledger();
        private final Random random = new Random(1);
        private List<Claim> claims = List.of();
        private AddressRequest request = request("newcomer", IpFamily.IPV4, AddressConstraints.NONE);

        @Setup(Level.Trial)
        public void fill() {
            boolean fragmented = pool.equals("fragmented");
            String range = fragmented ? "10.0.0.0/8" : pool;
            ledger.usePools(poolSet(List.of(declaration("edge", range))));
            claims = claims(range, held, fragmented ? 2 : 1);
            ledger.rebuild(claims);
            request = request("newcomer", claims.getFirst().ip().family(), AddressConstraints.NONE);
        }
    }

    private static PoolSet poolSet(List<PoolDeclaration> pools) {
        return PoolSet.of(pools, List.of());
    }

    private static PoolDeclaration declaration(String name, String range) {
        return new PoolDeclaration(name, Instant.EPOCH, List.of(range), List.of(), false, PoolPolicy.OPEN, false);
    }

    private static AddressRequest request(String name, IpFamily family, AddressConstraints constraints) {
        return new AddressRequest(
                new ServiceKey("prod", name),
                "uid-" + name,
                "berth.dev/pool",
                List.of(family),
                false,
                new Requester(List.of(), Map.of(), Map.of()),
                constraints,
                List.of(),
                new QueuePosition(Instant.EPOCH, Instant.EPOCH, name));
    }

    /** As many, from the second address of {@code range} on. */
    private static List<Claim> claims(String range, int number, int step) {
        List<Claim> claims = new ArrayList<>(number);
        Ip first = IpRange.parse(range).lower();
        for (int i = 0; i < number; i++) {
            Ip ip = new Ip(first.value().increment(1 + (long) i * step));
            Owner owner = new Owner(new ServiceKey("team-" + i % 100, "service-" + i), "uid-of-a-service-" + i);
            claims.add(new Claim(
                    ip,
                    "uid-of-an-address-" + i,
                    Integer.toString(i + 1),
                    ClaimSpec.of("edge", "berth.dev/pool", owner)));
        }
        return claims;
    }

    /** Chooses the next free address, holds it, and gives it back. */
    @Benchmark
    public Object allocateAndRelease(Held state) {
        Choice.Assigned choice = (Choice.Assigned) state.ledger.take(state.request);
        return state.ledger.free(choice.picks().getFirst().ip());
    }

    /** Releases any of the addresses, and allocates it again by its name. */
    @Benchmark
    public Object releaseAndAllocateAnywhere(Held state) {
        Ip ip = state.claims.get(state.random.nextInt(state.claims.size())).ip();
        state.ledger.free(ip);
        return state.ledger.take(
                request("newcomer", ip.family(), new AddressConstraints(List.of(ip), List.of(), null, false)));
    }

    /** A hundred pools that are full. */
    @State(Scope.Benchmark)
    public static class Full {
        private final Ledger ledger = new Ledger();

        @Setup(Level.Trial)
        public void fill() {
            ledger.usePools(poolSet(IntStream.range(0, POOLS)
                    .mapToObj(i -> declaration("pool-" + i, "10.0." + i + ".1"))
                    .toList()));
            ledger.rebuild(IntStream.range(0, POOLS)
                    .mapToObj(i -> new Claim(
                            Ip.parse("10.0." + i + ".1"),
                            "uid" + i,
                            "1",
                            ClaimSpec.of("pool-" + i, null, new Owner(new ServiceKey("prod", "s" + i), "uid" + i))))
                    .toList());
        }
    }

    /** Why a Service waits, in words, of a hundred pools that all refuse. */
    @Benchmark
    public WaitReason explainOver100Pools(Full state) {
        AddressRequest request = request("newcomer", IpFamily.IPV4, AddressConstraints.NONE);
        Choice choice = state.ledger.choose(request);
        return WaitReason.of(request, ((Choice.Refused) choice).refusals());
    }

    /** What is read at the start. */
    @State(Scope.Benchmark)
    public static class Listed {
        private final List<Claim> claims = claims("10.0.0.0/8", CLAIMS_AT_START, 1);
        private final PoolSet pools = poolSet(List.of(declaration("edge", "10.0.0.0/8")));
    }

    /** A ledger of 100,000 claims. */
    @Benchmark
    public Object buildOf100000Claims(Listed state) {
        Ledger ledger = new Ledger();
        ledger.usePools(state.pools);
        ledger.rebuild(state.claims);
        return ledger;
    }

    /** Runs them, all or as JMH's own options say, and prints the medians. */
    public static void main(String[] args) throws RunnerException, CommandLineOptionException {
        System.out.println("memory: " + bytesPerAddress() + " bytes for each held address, of a million");
        Medians.print(AddressBench.class, "pool", args);
    }

    /** What a ledger adds to the heap after a collection, its claims with all their texts included. */
    private static long bytesPerAddress() {
        long before = Medians.usedHeap();
        Ledger ledger = new Ledger();
        ledger.usePools(poolSet(List.of(declaration("edge", "10.0.0.0/8"))));
        ledger.rebuild(claims("10.0.0.0/8", MILLION, 1));
        long after = Medians.usedHeap();
        return (after - before) / ledger.holdings().size();
    }
}
