package dev.berth.bench;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.servicecidr.Allocation;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIpAllocator;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Parent;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceCidrDeletion;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.servicecidr.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** How long it takes to choose, take and count cluster IPs, and how much memory, by how many are taken. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx3g")
public class ClusterIpBench {
    private static final String IPV4 = "10.0.0.0/12";
    private static final int MANY = 900_000;
    private static final int SOME = 50_000;

    /** A range of which many addresses are taken, each where the API server would have put it. */
    @State(Scope.Benchmark)
    public static class Taken {
        @Param({IPV4, "fd00::/64"})
        public String range = IPV4;

        @Param({"1000", "50000", "900000"})
        public int held = 1_000;

        private final ClusterIps index = new ClusterIps();
        private final Random random = new Random(1);
        private ClusterIpAllocator allocator = new ClusterIpAllocator(List.of(), index);
        private IpFamily family = IpFamily.IPV4;
        private List<Ip> ips = List.of();

        @Setup(Level.Trial)
        public void fill() {
            ServiceRange parsed = ServiceRange.parse(range);
            family = parsed.family();
            index.track(Usage.tracked(List.of(cidr(range, null))));
            allocator = new ClusterIpAllocator(List.of(cidr(range, null)), index);
            ips = fillUp(allocator, held, random);
        }
    }

    private static ServiceCidr cidr(String range, @Nullable Instant deletedAt) {
        return new ServiceCidr(
                "kubernetes",
                "uid",
                List.of(ServiceRange.parse(range)),
                List.of(),
                Instant.EPOCH,
                deletedAt,
                null,
                null,
                true,
                false,
                List.of(),
                null);
    }

    private static List<Ip> fillUp(ClusterIpAllocator allocator, int number, Random random) {
        IpFamily family =
                allocator.cidrs().iterator().next().ranges().getFirst().family();
        List<Ip> ips = new ArrayList<>(number);
        for (int i = 0; i < number; i++) {
            Ip ip = ((Allocation.Allocated) allocator.next(family, random)).ip();
            allocator.taken().put(object(ip, i));
            ips.add(ip);
        }
        return ips;
    }

    private static ClusterIp object(Ip ip, int i) {
        Parent parent = Parent.of(new ServiceKey("team-" + i % 100, "service-" + i));
        String uid = new UUID(i, i).toString();
        return new ClusterIp(
                ip, uid, ClusterIp.ALLOCATOR, ip.family().toString(), parent, Instant.EPOCH.plusSeconds(i));
    }

    /** Chooses any free address. */
    @Benchmark
    public Allocation choose(Taken state) {
        return state.allocator.next(state.family, state.random);
    }

    /** Chooses any free address, takes it, and gives it back; what is counted is counted. */
    @Benchmark
    public int allocateAndRelease(Taken state) {
        Ip ip = ((Allocation.Allocated) state.allocator.next(state.family, state.random)).ip();
        state.index.put(object(ip, 0));
        state.index.remove(ip);
        return state.index.size();
    }

    /** Gives any of the addresses back, and takes it again by its name. */
    @Benchmark
    public Allocation releaseAndAllocateAnywhere(Taken state) {
        Ip ip = state.ips.get(state.random.nextInt(state.ips.size()));
        state.index.remove(ip);
        Allocation again = state.allocator.exact(ip);
        state.index.put(object(ip, 0));
        return again;
    }

    /** A /12 that is being deleted. */
    @State(Scope.Benchmark)
    public static class Going {
        @Param({"1000", "50000", "900000"})
        public int held = 1_000;

        private final ClusterIps index = new ClusterIps();
        private final ServiceCidr cidr = cidr(IPV4, Instant.EPOCH);

        @Setup(Level.Trial)
        public void fill() {
            index.track(Usage.tracked(List.of(cidr(IPV4, null))));
            fillUp(new ClusterIpAllocator(List.of(cidr(IPV4, null)), index), held, new Random(1));
        }
    }

    /** Whether a ServiceCIDR may go that all its addresses hold. */
    @Benchmark
    public ServiceCidrDeletion mayGo(Going state) {
        return ServiceCidrDeletion.of(state.cidr, List.of(state.cidr), state.index, Instant.EPOCH);
    }

    /** What is read at the start. */
    @State(Scope.Benchmark)
    public static class Listed {
        @Param({"50000", "900000"})
        public int held = SOME;

        private List<ClusterIp> objects = List.of();

        @Setup(Level.Trial)
        public void list() {
            objects = listed(IPV4, held);
        }
    }

    private static List<ClusterIp> listed(String range, int number) {
        ClusterIps index = new ClusterIps();
        fillUp(new ClusterIpAllocator(List.of(cidr(range, null)), index), number, new Random(1));
        return index.stream().toList();
    }

    /** The index of a whole list, its range and bands counted. */
    @Benchmark
    public ClusterIps load(Listed state) {
        ClusterIps index = new ClusterIps();
        index.track(Usage.tracked(List.of(cidr(IPV4, null))));
        index.replaceAll(state.objects);
        return index;
    }

    /** Runs them, all or as JMH's own options say, and prints the medians. */
    public static void main(String[] args) throws RunnerException, CommandLineOptionException {
        for (String range : List.of(IPV4, "fd00::/64")) {
            for (int number : List.of(SOME, MANY)) {
                System.out.println("memory: " + bytesPerObject(range, number) + " bytes for each of " + number
                        + " IPAddresses in " + range);
            }
        }
        Medians.print(ClusterIpBench.class, "range", args);
    }

    /** What an index adds to the heap after a collection, its objects with all their texts included. */
    private static long bytesPerObject(String range, int number) {
        long before = Medians.usedHeap();
        ClusterIps index = new ClusterIps();
        fillUp(new ClusterIpAllocator(List.of(cidr(range, null)), index), number, new Random(1));
        long after = Medians.usedHeap();
        return (after - before) / index.size();
    }
}
