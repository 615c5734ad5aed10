package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UsageTest {
    private static final long SEEDS = Math.min(300, Long.getLong("property.seeds", 300));

    private static Usage.Count count(long size, long allocated) {
        return new Usage.Count(BigInteger.valueOf(size), allocated);
    }

    private static ClusterIps taken(String prefix, int from, int to) {
        return Sample.index(IntStream.rangeClosed(from, to)
                .mapToObj(last -> Sample.ip(prefix + last))
                .toList());
    }

    @Test
    void eachBandOfARange_isCountedByItself() {
        Usage usage = Usage.of(List.of(SampleCidrs.ready("a", "10.0.0.0/24")), taken("10.0.0.", 10, 20));

        Usage.OfRange range = usage.ranges().getFirst();
        assertThat(range.staticBand()).isEqualTo(count(16, 7));
        assertThat(range.dynamicBand()).isEqualTo(count(238, 4));
        assertThat(range.all()).isEqualTo(count(254, 11));
        assertThat(range.largestFreeStaticBlock()).isEqualTo(IpRange.parse("10.0.0.1-10.0.0.9"));
    }

    @Test
    void aRangeWithoutBands_isAllDynamic() {
        Usage.OfRange range = Usage.of(List.of(SampleCidrs.ready("a", "10.0.0.0/28")), taken("10.0.0.", 1, 3))
                .ranges()
                .getFirst();

        assertThat(range.staticBand()).isEqualTo(count(0, 0));
        assertThat(range.dynamicBand()).isEqualTo(count(14, 3));
        assertThat(range.largestFreeStaticBlock()).isNull();
    }

    @Test
    void aFullStaticBand_hasNoFreeBlock() {
        assertThat(Usage.of(List.of(SampleCidrs.ready("a", "10.0.0.0/24")), taken("10.0.0.", 1, 16))
                        .ranges()
                        .getFirst()
                        .largestFreeStaticBlock())
                .isNull();
    }

    @Test
    void anAddressThatSomebodyElseClaims_isInUse_asTheApiServerDoesNotGiveIt() {
        ClusterIps ips = Sample.index(List.of(Sample.foreign("10.0.0.200")));

        assertThat(Usage.of(List.of(SampleCidrs.ready("a", "10.0.0.0/24")), ips).family(IpFamily.IPV4))
                .contains(count(254, 1));
    }

    @Test
    void whatTwoRangesHave_countsOnceInTheFamily() {
        List<ServiceCidr> cidrs = List.of(
                SampleCidrs.ready("inner", "10.0.0.0/26"),
                SampleCidrs.ready("outer", "10.0.0.0/24"),
                SampleCidrs.ready("twin", "10.0.0.0/24"),
                SampleCidrs.ready("apart", "10.0.1.0/24"));

        assertThat(Usage.of(cidrs, taken("10.0.0.", 1, 100)).family(IpFamily.IPV4))
                .contains(count(508, 100));
    }

    @Test
    void onlyReadyRanges_countInTheFamily_butEachIsListed() {
        List<ServiceCidr> cidrs = List.of(
                SampleCidrs.ready("a", "10.0.0.0/24"),
                SampleCidrs.deleted(SampleCidrs.ready("b", "10.0.1.0/24"), Sample.START),
                SampleCidrs.with(SampleCidrs.cidr("c", "10.0.2.0/24"), ReadyCondition.TERMINATING));

        Usage usage = Usage.of(cidrs, taken("10.0.1.", 1, 100));

        assertThat(usage.family(IpFamily.IPV4)).contains(count(254, 0));
        assertThat(usage.family(IpFamily.IPV6)).isEmpty();
        assertThat(usage.ranges().stream().map(range -> range.serviceCidr() + " " + range.state()))
                .containsExactly("a Ready", "b Terminating", "c NotReady");
    }

    @Test
    void aRangeThatNobodyLookedAfterYet_isReady() {
        assertThat(Usage.of(List.of(SampleCidrs.cidr("a", "10.0.0.0/24")), new ClusterIps())
                        .ranges()
                        .getFirst()
                        .state())
                .isEqualTo(Usage.State.READY);
    }

    @Test
    void theFamiliesOfAServiceCidr_areCountedApart() {
        Usage usage = Usage.of(
                List.of(SampleCidrs.ready("a", "10.0.0.0/24", "fd00::/64")),
                Sample.index("10.0.0.1", "fd00::1", "fd00::2"));

        assertThat(usage.family(IpFamily.IPV4)).contains(count(254, 1));
        assertThat(usage.family(IpFamily.IPV6))
                .contains(new Usage.Count(BigInteger.TWO.pow(64).subtract(BigInteger.ONE), 2));
    }

    @Test
    void aRangeThatNeverGives_hasNothingFree() {
        Usage usage = Usage.of(
                List.of(SampleCidrs.ready("a", "fd00::/48"), SampleCidrs.ready("b", "10.0.0.0/31")), new ClusterIps());

        assertThat(usage.ranges()).allSatisfy(range -> {
            assertThat(range.all()).isEqualTo(count(0, 0));
            assertThat(range.largestFreeStaticBlock()).isNull();
        });
        assertThat(usage.family(IpFamily.IPV6)).contains(count(0, 0));
    }

    @Test
    void aRangeInsideOneThatNeverGives_counts() {
        List<ServiceCidr> cidrs = List.of(SampleCidrs.ready("a", "fd00::/48"), SampleCidrs.ready("b", "fd00::/112"));

        assertThat(Usage.of(cidrs, Sample.index("fd00::1")).family(IpFamily.IPV6))
                .contains(count(65_535, 1));
    }

    @Test
    void usedPercent_isRoundedDown_and100OnlyWhenNothingIsFree() {
        assertThat(count(254, 0).usedPercent()).isZero();
        assertThat(count(254, 2).usedPercent()).isZero();
        assertThat(count(254, 3).usedPercent()).isOne();
        assertThat(count(254, 253).usedPercent()).isEqualTo(99);
        assertThat(count(254, 254).usedPercent()).isEqualTo(100);
        assertThat(count(0, 0).usedPercent()).isEqualTo(100);
        assertThat(new Usage.Count(BigInteger.TWO.pow(64), Long.MAX_VALUE).usedPercent())
                .isEqualTo(49);
    }

    @Test
    void whatIsTracked_isEachRangeAndEachBand_noneTwice() {
        List<ServiceCidr> cidrs =
                List.of(SampleCidrs.ready("a", "10.0.0.0/24", "fd00::/124"), SampleCidrs.ready("b", "10.0.0.0/24"));

        assertThat(Usage.tracked(cidrs))
                .containsExactly(
                        IpRange.parse("10.0.0.1-10.0.0.254"),
                        IpRange.parse("10.0.0.1-10.0.0.16"),
                        IpRange.parse("10.0.0.17-10.0.0.254"),
                        IpRange.parse("fd00::1-fd00::f"));
    }

    @Test
    void usage_isThatOfANaiveCount_trackedOrNot() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<ServiceCidr> cidrs = someCidrs(random);
            ClusterIps ips = new ClusterIps();
            if (random.nextBoolean()) {
                ips.track(Usage.tracked(cidrs));
            }
            for (int step = 0; step < 200; step++) {
                Ip ip = someIp(random);
                if (random.nextInt(3) == 0) {
                    ips.remove(ip);
                } else {
                    ips.put(Sample.ip(ip));
                }
            }
            check("seed " + seed + ": " + cidrs, Usage.of(cidrs, ips), cidrs, ips);
        }
    }

    private static List<ServiceCidr> someCidrs(Random random) {
        List<ServiceCidr> cidrs = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            String range =
                    ServiceRange.around(someIp(random), 24 + random.nextInt(9)).toString();
            ServiceCidr cidr = SampleCidrs.ready("c" + i, range);
            cidrs.add(random.nextInt(4) == 0 ? SampleCidrs.deleted(cidr, Sample.START) : cidr);
        }
        return cidrs;
    }

    private static Ip someIp(Random random) {
        return Ip.parse("10.0." + random.nextInt(2) + "." + random.nextInt(256));
    }

    private static void check(String world, Usage usage, List<ServiceCidr> cidrs, ClusterIps ips) {
        Set<Ip> given = new HashSet<>();
        for (int low = 0; low < 512; low++) {
            Ip ip = Ip.parse("10.0." + low / 256 + "." + low % 256);
            if (cidrs.stream().anyMatch(cidr -> cidr.isReady() && cidr.contains(ip))) {
                given.add(ip);
            }
        }
        boolean none = cidrs.stream().noneMatch(ServiceCidr::isReady);
        Usage.Count total =
                count(given.size(), given.stream().filter(ips::isTaken).count());
        assertThat(usage.family(IpFamily.IPV4).orElse(total)).as(world).isEqualTo(total);
        assertThat(usage.family(IpFamily.IPV4).isEmpty()).as(world).isEqualTo(none);
        for (Usage.OfRange range : usage.ranges()) {
            long size = range.range().size().longValueExact();
            long taken = range.range().addresses().stream().flatMap(ips::stream).count();
            assertThat(range.all()).as(world).isEqualTo(count(size, taken));
        }
    }
}
