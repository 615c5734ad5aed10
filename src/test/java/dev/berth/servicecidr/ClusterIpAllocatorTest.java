package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.servicecidr.Allocation.Allocated;
import dev.berth.servicecidr.Allocation.AlreadyAllocated;
import dev.berth.servicecidr.Allocation.Full;
import dev.berth.servicecidr.Allocation.OutOfRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What cluster IP is given. The tables have the cases of upstream's {@code Test_ipIterator} (6) and {@code
 * Test_ipIterator_Number} (9); the scenarios of its {@code TestAllocateIPAllocator}, {@code
 * TestAllocateReservedIPAllocator}, {@code TestCIDRAllocateShadow}, {@code TestCIDRAllocateGrow} and {@code
 * TestCIDRAllocateShrink} are here by their rules.
 */
class ClusterIpAllocatorTest {
    private static final long SEEDS = Long.getLong("property.seeds", 3_000);
    private static final long FIRST = Long.getLong("property.first", 0);

    private static ClusterIpAllocator allocator(ClusterIps taken, ServiceCidr... cidrs) {
        return new ClusterIpAllocator(List.of(cidrs), taken);
    }

    private static ClusterIpAllocator allocator(String... ranges) {
        return allocator(new ClusterIps(), SampleCidrs.ready("kubernetes", ranges));
    }

    /** Takes one and records it; absent: all are taken. */
    private static Optional<Ip> take(ClusterIpAllocator allocator, IpFamily family, RandomGenerator random) {
        Optional<Ip> given = switch (allocator.next(family, random)) {
            case Allocated(Ip ip) -> Optional.of(ip);
            case Full() -> Optional.empty();
            case AlreadyAllocated no -> throw new AssertionError(no);
            case OutOfRange no -> throw new AssertionError(no);
        };
        given.ifPresent(ip -> allocator.taken().put(Sample.ip(ip)));
        return given;
    }

    /** Takes all that there are, in the order in which they are given. */
    private static List<Ip> takeAll(ClusterIpAllocator allocator, IpFamily family, RandomGenerator random) {
        return Stream.generate(() -> take(allocator, family, random))
                .takeWhile(Optional::isPresent)
                .map(Optional::get)
                .toList();
    }

    private static List<Ip> scan(String band, long offset) {
        IpRange range = IpRange.parse(band);
        ClusterIps taken = new ClusterIps();
        List<Ip> found = new ArrayList<>();
        for (Optional<Ip> next = first(taken, range, offset); next.isPresent(); next = first(taken, range, offset)) {
            found.add(next.get());
            taken.put(Sample.ip(next.get()));
        }
        return found;
    }

    private static Optional<Ip> first(ClusterIps taken, IpRange band, long offset) {
        return ClusterIpAllocator.firstFree(taken, band, BigInteger.valueOf(offset));
    }

    private record Scan(String rule, String band, long offset, List<Integer> order) {
        Scan(String rule, String band, long offset, Integer... order) {
            this(rule, band, offset, List.of(order));
        }
    }

    private static final List<Scan> SCANS = List.of(
            new Scan("of two, from the first", "192.168.0.1-192.168.0.2", 0, 1, 2),
            new Scan("of two, from the last", "192.168.0.1-192.168.0.2", 1, 2, 1),
            new Scan("of two, from past the end", "192.168.0.1-192.168.0.2", 10, 1, 2),
            new Scan("of seven, from the first", "192.168.0.1-192.168.0.7", 0, 1, 2, 3, 4, 5, 6, 7),
            new Scan("of seven, from the middle", "192.168.0.1-192.168.0.7", 2, 3, 4, 5, 6, 7, 1, 2),
            new Scan("of seven, from the last", "192.168.0.1-192.168.0.7", 6, 7, 1, 2, 3, 4, 5, 6));

    @Test
    void aBand_isSearchedFromAnyPlaceOnAndAround() {
        assertThat(SCANS)
                .hasSize(6)
                .allSatisfy(row -> assertThat(scan(row.band(), row.offset()))
                        .as(row.rule())
                        .isEqualTo(row.order().stream()
                                .map(last -> Ip.parse("192.168.0." + last))
                                .toList()));
    }

    private record Count(String rule, String band, long offset, int count) {}

    private static final List<Count> COUNTS = List.of(
            new Count("of two, from the first", "192.168.0.1-192.168.0.2", 0, 2),
            new Count("of two, from the last", "192.168.0.1-192.168.0.2", 1, 2),
            new Count("of two, from past the end", "192.168.0.1-192.168.0.2", 10, 2),
            new Count("of seven, from the first", "192.168.0.1-192.168.0.7", 0, 7),
            new Count("of seven, from the middle", "192.168.0.1-192.168.0.7", 2, 7),
            new Count("of seven, from the last", "192.168.0.1-192.168.0.7", 6, 7),
            new Count("of many, from the first", "2001:db8:1::101-2001:db8:1::fff", 0, 3_839),
            new Count("of many, from the middle", "2001:db8:1::101-2001:db8:1::fff", 255, 3_839),
            new Count("of many, from the last", "2001:db8:1::101-2001:db8:1::fff", 3_838, 3_839));

    @Test
    void everyAddressOfABand_isFoundOnce() {
        assertThat(COUNTS)
                .hasSize(9)
                .allSatisfy(row -> assertThat(scan(row.band(), row.offset()))
                        .as(row.rule())
                        .hasSize(row.count())
                        .doesNotHaveDuplicates());
    }

    private record Range(String cidr, IpFamily family) {}

    private static final List<Range> RANGES = List.of(
            new Range("192.168.1.0/24", IpFamily.IPV4),
            new Range("192.168.1.0/25", IpFamily.IPV4),
            new Range("192.168.1.0/27", IpFamily.IPV4),
            new Range("192.168.1.0/28", IpFamily.IPV4),
            new Range("192.168.1.0/30", IpFamily.IPV4),
            new Range("192.168.1.0/31", IpFamily.IPV4),
            new Range("192.168.1.0/32", IpFamily.IPV4),
            new Range("2001:db8:1::/120", IpFamily.IPV6),
            new Range("2001:db8:1::/123", IpFamily.IPV6),
            new Range("2001:db8:1::/124", IpFamily.IPV6),
            new Range("2001:db8:1::/127", IpFamily.IPV6),
            new Range("2001:db8:1::/128", IpFamily.IPV6));

    @Test
    void overAnySeeds_aRangeGivesEachAddressOnce_theStaticBandLast_andIsFullAtItsSize() {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            Random random = new Random(seed);
            Range row = RANGES.get(random.nextInt(RANGES.size()));
            ServiceRange range = ServiceRange.parse(row.cidr());
            ClusterIpAllocator allocator = allocator(row.cidr());
            List<Ip> before = someStatic(range, random);
            before.forEach(ip -> allocator.taken().put(Sample.ip(ip)));

            List<Ip> given = takeAll(allocator, row.family(), random);

            int dynamic = range.size().intValueExact() - range.offset();
            assertThat(given)
                    .as("seed %s: %s", seed, row.cidr())
                    .hasSize(range.size().intValueExact() - before.size())
                    .doesNotHaveDuplicates()
                    .noneMatch(before::contains);
            assertThat(given.subList(0, dynamic))
                    .as("seed %s: %s, the first", seed, row.cidr())
                    .allMatch(ip -> range.dynamicBand().orElseThrow().contains(ip));
            assertThat(given.subList(dynamic, given.size()))
                    .as("seed %s: %s, the last", seed, row.cidr())
                    .allMatch(ip -> range.staticBand().orElseThrow().contains(ip));
        });
    }

    private static List<Ip> someStatic(ServiceRange range, Random random) {
        return range.staticBand().stream()
                .flatMap(band -> IntStream.range(0, range.offset())
                        .filter(i -> random.nextInt(3) == 0)
                        .mapToObj(i -> new Ip(band.lower().value().increment(i))))
                .toList();
    }

    @Test
    void overAnySeeds_severalRanges_giveEachAddressOnce_andAreFullTogether() {
        LongStream.range(FIRST, FIRST + SEEDS / 10).forEach(seed -> {
            Random random = new Random(seed);
            ClusterIpAllocator allocator = allocator(
                    new ClusterIps(),
                    SampleCidrs.ready("within", "10.0.0.0/27"),
                    SampleCidrs.ready("around", "10.0.0.0/26"),
                    SampleCidrs.ready("twin", "10.0.0.0/26"),
                    SampleCidrs.ready("apart", "10.1.0.0/29"),
                    SampleCidrs.deleted(SampleCidrs.ready("going", "10.2.0.0/24"), Sample.START));

            assertThat(takeAll(allocator, IpFamily.IPV4, random))
                    .as("seed %s", seed)
                    .hasSize(62 + 6)
                    .doesNotHaveDuplicates();
        });
    }

    @Test
    void noRange_comesBeforeAnother() {
        ClusterIpAllocator allocator = allocator(
                new ClusterIps(), SampleCidrs.ready("a", "10.0.0.0/24"), SampleCidrs.ready("b", "10.1.0.0/24"));
        Random random = new Random(1);

        assertThat(IntStream.range(0, 100).mapToObj(i -> allocator.next(IpFamily.IPV4, random)))
                .map(given -> ((Allocated) given).ip())
                .anyMatch(IpRange.parse("10.0.0.0/24")::contains)
                .anyMatch(IpRange.parse("10.1.0.0/24")::contains);
    }

    @Test
    void aSlash64_givesFromAllOver_neverTheStaticBand() {
        ClusterIpAllocator allocator = allocator("fd00::/64");
        Random random = new Random(1);
        IpRange dynamic = ServiceRange.parse("fd00::/64").dynamicBand().orElseThrow();

        List<Ip> given = IntStream.range(0, 1_000)
                .mapToObj(i -> take(allocator, IpFamily.IPV6, random).orElseThrow())
                .toList();

        assertThat(given).doesNotHaveDuplicates().allMatch(dynamic::contains);
        assertThat(given)
                .anyMatch(IpRange.parse("fd00::/66")::contains)
                .anyMatch(IpRange.parse("fd00:0:0:0:c000::/66")::contains);
    }

    @Test
    void whatIsDrawnPastTheEndOfASlash64_isItsStart() {
        RandomGenerator last = () -> -1;

        assertThat(allocator("fd00::/64").next(IpFamily.IPV6, last)).isEqualTo(new Allocated(Ip.parse("fd00::101")));
    }

    @Test
    void anAddressGivenBack_isGivenAgain() {
        ClusterIpAllocator allocator = allocator("192.168.1.0/24");
        Random random = new Random(1);
        takeAll(allocator, IpFamily.IPV4, random);
        allocator.taken().remove(Ip.parse("192.168.1.5"));

        assertThat(allocator.next(IpFamily.IPV4, random)).isEqualTo(new Allocated(Ip.parse("192.168.1.5")));
    }

    @Test
    void anAddressThatSomebodyElseReserved_isSkipped() {
        ClusterIps taken = Sample.index(List.of(Sample.foreign("192.168.1.1")));
        ClusterIpAllocator allocator = allocator(taken, SampleCidrs.ready("kubernetes", "192.168.1.0/30"));

        assertThat(allocator.next(IpFamily.IPV4, new Random(1))).isEqualTo(new Allocated(Ip.parse("192.168.1.2")));
    }

    @Test
    void aNewRange_endsWantOfAddresses() {
        Random random = new Random(1);
        ServiceCidr first = SampleCidrs.ready("first", "192.168.0.0/28");
        ClusterIps taken = new ClusterIps();
        assertThat(takeAll(allocator(taken, first), IpFamily.IPV4, random)).hasSize(14);

        assertThat(takeAll(
                        allocator(taken, first, SampleCidrs.ready("wider", "192.168.0.0/24")), IpFamily.IPV4, random))
                .hasSize(254 - 14);
    }

    @Test
    void aRangeThatIsGone_givesNothing() {
        ClusterIpAllocator allocator = allocator(new ClusterIps(), SampleCidrs.ready("narrower", "192.168.0.0/28"));

        assertThat(takeAll(allocator, IpFamily.IPV4, new Random(1))).hasSize(14);
        assertThat(allocator.exact(Ip.parse("192.168.0.253"))).isInstanceOf(OutOfRange.class);
    }

    @Test
    void aRangeThatIsFull_saysSo() {
        assertThat(allocator("192.168.1.0/32").next(IpFamily.IPV4, new Random(1)))
                .isEqualTo(new Full())
                .hasToString("range is full");
    }

    @Test
    void aFamilyWithoutARange_isFull() {
        assertThat(allocator("192.168.1.0/24").next(IpFamily.IPV6, new Random(1)))
                .isEqualTo(new Full());
    }

    @Test
    void aRangeLargerThanASlash64_givesNothing_notEvenByName() {
        ClusterIpAllocator allocator = allocator("fd00::/63");

        assertThat(allocator.next(IpFamily.IPV6, new Random(1))).isEqualTo(new Full());
        assertThat(allocator.exact(Ip.parse("fd00::1"))).isInstanceOf(OutOfRange.class);
        assertThat(allocator.lowestStatic(IpFamily.IPV6)).isEqualTo(new Full());
    }

    @Test
    void anAddressAskedFor_isGivenIfItIsFree_ofWhicheverBand() {
        assertThat(List.of("192.168.1.5", "192.168.1.200", "fd00::1"))
                .allSatisfy(ip -> assertThat(
                                allocator("192.168.1.0/24", "fd00::/112").exact(Ip.parse(ip)))
                        .isEqualTo(new Allocated(Ip.parse(ip))));
    }

    @Test
    void anAddressAskedForThatIsTaken_isRefusedNamingWhoHasIt() {
        ClusterIp foreign = Sample.foreign("192.168.1.5");
        ClusterIpAllocator allocator =
                allocator(Sample.index(List.of(foreign)), SampleCidrs.ready("kubernetes", "192.168.1.0/24"));

        assertThat(allocator.exact(foreign.ip()))
                .isEqualTo(new AlreadyAllocated(foreign))
                .hasToString("provided IP is already allocated");
    }

    @Test
    void anAddressAskedForOutsideTheRanges_isRefused_theNetworksOwnAndTheBroadcastToo() {
        assertThat(List.of("192.168.0.1", "192.168.1.0", "192.168.1.255", "192.168.2.2", "fd00::1"))
                .allSatisfy(ip -> assertThat(allocator("192.168.1.0/24").exact(Ip.parse(ip)))
                        .isEqualTo(new OutOfRange(Ip.parse(ip)))
                        .hasToString("the provided network does not match the current range"));
    }

    @Test
    void anAddressThatOneRangeCannotGive_isGivenByOneAroundIt() {
        ClusterIpAllocator allocator = allocator(
                new ClusterIps(),
                SampleCidrs.ready("within", "192.168.1.0/24"),
                SampleCidrs.ready("around", "192.168.0.0/16"));

        assertThat(allocator.exact(Ip.parse("192.168.1.0"))).isEqualTo(new Allocated(Ip.parse("192.168.1.0")));
    }

    @Test
    void aRangeThatIsNotReady_givesNothing() {
        ServiceCidr gone = SampleCidrs.deleted(SampleCidrs.ready("gone", "10.0.0.0/24"), Sample.START);
        ServiceCidr failing = SampleCidrs.with(gone, ReadyCondition.TERMINATING);
        ClusterIpAllocator allocator = allocator(new ClusterIps(), gone, failing);

        assertThat(allocator.next(IpFamily.IPV4, new Random(1))).isEqualTo(new Full());
        assertThat(allocator.exact(Ip.parse("10.0.0.1"))).isInstanceOf(OutOfRange.class);
        assertThat(allocator.lowestStatic(IpFamily.IPV4)).isEqualTo(new Full());
    }

    @Test
    void anyStaticAddress_isTheLowestFreeOneOfTheLowestRange() {
        ClusterIps taken = Sample.index("10.0.0.1", "10.0.0.3");
        ClusterIpAllocator allocator = allocator(
                taken, SampleCidrs.ready("high", "10.9.0.0/24", "fd00::/112"), SampleCidrs.ready("low", "10.0.0.0/27"));

        assertThat(allocator.lowestStatic(IpFamily.IPV4)).isEqualTo(new Allocated(Ip.parse("10.0.0.2")));
        assertThat(allocator.lowestStatic(IpFamily.IPV6)).isEqualTo(new Allocated(Ip.parse("fd00::1")));

        IntStream.rangeClosed(1, 16).forEach(i -> taken.put(Sample.ip("10.0.0." + i)));
        assertThat(allocator.lowestStatic(IpFamily.IPV4)).isEqualTo(new Allocated(Ip.parse("10.9.0.1")));
    }

    @Test
    void aRangeWithoutBands_hasNoStaticAddress() {
        assertThat(allocator("10.0.0.0/28").lowestStatic(IpFamily.IPV4)).isEqualTo(new Full());
    }
}
