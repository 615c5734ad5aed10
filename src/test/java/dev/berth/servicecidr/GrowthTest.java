package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GrowthTest {
    private static final long SEEDS = Math.min(200, Long.getLong("property.seeds", 200));
    private static final ServiceCidr FIRST = SampleCidrs.ready("kubernetes", "10.96.0.0/28");
    private static final ClusterIps FULL = taken(14);

    /** The first so many addresses of 10.96.0.0/28, which has 14. */
    private static ClusterIps taken(int count) {
        return Sample.index(IntStream.rangeClosed(1, count)
                .mapToObj(low -> Sample.ip("10.96.0." + low))
                .toList());
    }

    private static GrowthSettings ipv4(int prefixLength, String... supernets) {
        return new GrowthSettings(IpFamily.IPV4, List.of(supernets), prefixLength, 80, 4);
    }

    private static GrowthSettings ipv6(int prefixLength, String... supernets) {
        return new GrowthSettings(IpFamily.IPV6, List.of(supernets), prefixLength, 80, 4);
    }

    private static Growth of(GrowthSettings settings, ClusterIps ips, ServiceCidr... cidrs) {
        return Growth.of(settings, new Growth.World(List.of(cidrs), ips, List::of));
    }

    private static Growth excluding(GrowthSettings settings, ExcludedNetwork... excluded) {
        return Growth.of(settings, new Growth.World(List.of(FIRST), FULL, () -> List.of(excluded)));
    }

    private static Growth withOurs(GrowthSettings settings, ServiceCidr... ours) {
        List<ServiceCidr> all = Stream.concat(Stream.of(FIRST), Stream.of(ours).map(SampleCidrs::madeByBerth))
                .toList();
        return Growth.of(settings, new Growth.World(all, FULL, List::of));
    }

    private static Growth.Next next(String name, String range) {
        return new Growth.Next(name, ServiceRange.parse(range));
    }

    private static ExcludedNetwork excluded(String what, String range) {
        return new ExcludedNetwork(what, IpRange.parse(range));
    }

    private static Growth.Why why(Growth growth) {
        return ((Growth.Held) growth).why();
    }

    @Test
    void aFamilyBelowTheThreshold_hasEnough() {
        assertThat(of(ipv4(24, "10.97.0.0/16"), taken(11), FIRST))
                .isEqualTo(new Growth.Enough(78, next("berth-10.97.0.0-24", "10.97.0.0/24")));
    }

    @Test
    void aFamilyAtTheThreshold_getsTheFirstBlockOfTheFirstSupernet() {
        GrowthSettings half = new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16", "10.98.0.0/16"), 24, 50, 4);

        assertThat(of(half, taken(6), FIRST))
                .isEqualTo(new Growth.Enough(42, next("berth-10.97.0.0-24", "10.97.0.0/24")));
        assertThat(of(half, taken(7), FIRST)).isEqualTo(next("berth-10.97.0.0-24", "10.97.0.0/24"));
    }

    @Test
    void theNameOfAnIpv6Range_isWrittenInFull() {
        assertThat(of(
                        ipv6(112, "fd00:1::/64"),
                        Sample.index("fd00::1", "fd00::2", "fd00::3"),
                        SampleCidrs.ready("a", "fd00::/126")))
                .isEqualTo(next("berth-fd00-0001-0000-0000-0000-0000-0000-0000-112", "fd00:1::/112"));
    }

    @Test
    void aRangeThatBerthMade_isCapacity_beforeAnybodyCalledItReady() {
        ServiceCidr fresh = SampleCidrs.cidr("berth-10.97.0.0-24", "10.97.0.0/24");
        ServiceCidr unready = SampleCidrs.with(fresh, new ReadyCondition(ReadyCondition.Status.UNKNOWN, "", ""));

        assertThat(withOurs(ipv4(24, "10.97.0.0/16"), fresh))
                .isEqualTo(new Growth.Enough(5, next("berth-10.97.1.0-24", "10.97.1.0/24")));
        assertThat(withOurs(ipv4(24, "10.97.0.0/16"), unready))
                .isEqualTo(new Growth.Enough(5, next("berth-10.97.1.0-24", "10.97.1.0/24")));
    }

    @Test
    void anothersRangeThatIsNotReady_isNoCapacity_butIsNotOverlapped() {
        ServiceCidr unready = SampleCidrs.with(SampleCidrs.cidr("other", "10.97.0.0/24"), ReadyCondition.TERMINATING);

        assertThat(of(ipv4(24, "10.97.0.0/16"), FULL, FIRST, unready))
                .isEqualTo(next("berth-10.97.1.0-24", "10.97.1.0/24"));
    }

    @Test
    void aRangeThatIsBeingDeleted_isNoCapacity_butIsNotOverlapped() {
        ServiceCidr ending = SampleCidrs.deleted(SampleCidrs.ready("berth-10.97.0.0-24", "10.97.0.0/24"), Sample.START);

        assertThat(withOurs(ipv4(24, "10.97.0.0/16"), ending)).isEqualTo(next("berth-10.97.1.0-24", "10.97.1.0/24"));
    }

    @Test
    void aRangeThatRetires_isNoCapacity() {
        ServiceCidr old = SampleCidrs.ready("old", "10.97.0.0/24");
        List<ServiceCidr> cidrs = List.of(FIRST, SampleCidrs.retiring(old, "false"));
        List<ServiceCidr> going = List.of(FIRST, SampleCidrs.retiring(old));
        GrowthSettings settings = ipv4(24, "10.97.0.0/16");

        assertThat(Growth.of(settings, new Growth.World(cidrs, FULL, List::of)))
                .isEqualTo(new Growth.Enough(5, next("berth-10.97.1.0-24", "10.97.1.0/24")));
        assertThat(Growth.of(settings, new Growth.World(going, FULL, List::of)))
                .isEqualTo(next("berth-10.97.1.0-24", "10.97.1.0/24"));
    }

    /** 10.97.0.0/28 has 14 addresses, of which none is in use. */
    @Test
    void whoHasToMove_countsAsNeed() {
        List<ServiceCidr> going = List.of(FIRST, SampleCidrs.ready("second", "10.97.0.0/28"));
        List<ServiceCidr> asked = List.of(SampleCidrs.retiring(FIRST), SampleCidrs.ready("second", "10.97.0.0/28"));
        List<ServiceCidr> gone =
                List.of(SampleCidrs.deleted(FIRST, Sample.START), SampleCidrs.ready("second", "10.97.0.0/28"));
        GrowthSettings settings = ipv4(28, "10.97.0.0/24");
        Growth.Next next = next("berth-10.97.0.16-28", "10.97.0.16/28");

        assertThat(Growth.of(settings, new Growth.World(going, taken(12), List::of)))
                .isEqualTo(new Growth.Enough(42, next));
        assertThat(Growth.of(settings, new Growth.World(asked, taken(12), List::of)))
                .isEqualTo(next);
        assertThat(Growth.of(settings, new Growth.World(gone, taken(11), List::of)))
                .isEqualTo(new Growth.Enough(78, next));
        assertThat(Growth.of(
                        settings, new Growth.World(gone, taken(12), () -> List.of(excluded("pods", "10.97.0.0/24")))))
                .isInstanceOfSatisfying(
                        Growth.Held.class,
                        held -> assertThat(held.message())
                                .startsWith(
                                        "85 percent of the IPv4 addresses are in use, with the 12 that have to move, and"));
    }

    @Test
    void aFamilyAllOfWhoseRangesRetire_growsAtOnce() {
        List<ServiceCidr> cidrs = List.of(SampleCidrs.retiring(FIRST));

        assertThat(Growth.of(ipv4(24, "10.97.0.0/16"), new Growth.World(cidrs, new ClusterIps(), List::of)))
                .isEqualTo(next("berth-10.97.0.0-24", "10.97.0.0/24"));
    }

    @Test
    void aFamilyThatTheClusterDoesNotHave_doesNotGrow() {
        assertThat(why(of(ipv6(112, "fd00::/64"), FULL, FIRST))).isEqualTo(Growth.Why.NO_RANGE_OF_FAMILY);
    }

    @Test
    void noMoreAreMade_thanTheMaximum() {
        GrowthSettings two = new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 30, 80, 2);
        ServiceCidr one = SampleCidrs.ready("berth-10.97.0.0-30", "10.97.0.0/30");
        ServiceCidr other = SampleCidrs.ready("berth-10.97.0.4-30", "10.97.0.4/30");
        ServiceCidr ending = SampleCidrs.deleted(other, Sample.START);

        assertThat(withOurs(two, one)).isEqualTo(next("berth-10.97.0.4-30", "10.97.0.4/30"));
        assertThat(withOurs(two, one, other))
                .as("said while there is room still")
                .isEqualTo(new Growth.Held(
                        Growth.Why.MAXIMUM_REACHED,
                        "77 percent of the IPv4 addresses are in use, and Berth has made 2 ranges of at most 2; raise"
                                + " maxRanges, or make a ServiceCIDR by hand",
                        false));
        GrowthSettings early = new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 30, 70, 2);
        assertThat(withOurs(early, one, other))
                .isEqualTo(new Growth.Held(
                        Growth.Why.MAXIMUM_REACHED,
                        "77 percent of the IPv4 addresses are in use, and Berth has made 2 ranges of at most 2; raise"
                                + " maxRanges, or make a ServiceCIDR by hand",
                        true));
        assertThat(withOurs(early, one, ending))
                .as("what goes makes room for another")
                .isEqualTo(next("berth-10.97.0.8-30", "10.97.0.8/30"));
    }

    @Test
    void theMaximum_isOfEachFamily() {
        GrowthSettings one = new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 24, 80, 1);

        assertThat(withOurs(one, SampleCidrs.ready("berth-six", "fd00::/112"))).isInstanceOf(Growth.Next.class);
    }

    @Test
    void excludedNetwork_isJumpedPast() {
        assertThat(excluding(
                        ipv4(24, "10.97.0.0/16"),
                        excluded("Node \"a\" (podCIDR)", "10.97.0.0/20"),
                        excluded("Node \"a\"", "10.97.16.200"),
                        excluded("AddressPool \"p\"", "10.97.17.255-10.97.18.5")))
                .isEqualTo(next("berth-10.97.19.0-24", "10.97.19.0/24"));
    }

    @Test
    void whatReachesIntoTheSupernetFromOutside_isExcludedToo() {
        assertThat(excluding(ipv4(24, "10.97.0.0/16"), excluded("pods", "10.96.200.0-10.97.0.0")))
                .isEqualTo(next("berth-10.97.1.0-24", "10.97.1.0/24"));
    }

    @Test
    void aSupernetThatIsUsedUp_isFollowedByTheNext() {
        assertThat(excluding(ipv4(24, "10.97.0.0/24", "10.98.0.0/16"), excluded("Node \"a\"", "10.97.0.255")))
                .isEqualTo(next("berth-10.98.0.0-24", "10.98.0.0/24"));
    }

    @Test
    void whenNoSupernetHasRoom_itIsSaidWhatIsInTheWay() {
        assertThat(excluding(
                        ipv4(16, "10.96.0.0/16", "10.97.0.0/16"),
                        excluded("Node \"a\"", "10.97.0.7"),
                        excluded("Node \"b\"", "192.0.2.1")))
                .isEqualTo(new Growth.Held(
                        Growth.Why.NO_SPACE,
                        "100 percent of the IPv4 addresses are in use, and no /16 is free in 10.96.0.0/16, 10.97.0.0/16:"
                                + " in the way are ServiceCIDR \"kubernetes\" 10.96.0.0-10.96.0.15, Node \"a\""
                                + " 10.97.0.7; add a supernet, or raise prefixLength",
                        true));
    }

    @Test
    void thatNoSupernetHasRoom_isSaid_beforeTheNextRangeIsNeeded() {
        Growth growth = Growth.of(
                ipv4(24, "10.97.0.0/24"),
                new Growth.World(List.of(FIRST), taken(2), () -> List.of(excluded("pods", "10.97.0.0/16"))));

        assertThat(growth).isInstanceOfSatisfying(Growth.Held.class, held -> {
            assertThat(held.why()).isEqualTo(Growth.Why.NO_SPACE);
            assertThat(held.message()).startsWith("14 percent of the IPv4 addresses are in use, and no /24 is free");
            assertThat(held.due()).isFalse();
        });
    }

    @Test
    void thePlan_saysHowManyAddressesMayCome_byTheMaximum_andByWhatIsFree() {
        GrowthSettings settings = ipv4(26, "10.97.0.0/24", "10.97.0.0/25");
        ServiceCidr ours = SampleCidrs.ready("berth-10.97.0.0-26", "10.97.0.0/26");

        assertThat(room(settings)).as("four of 62").isEqualTo(248);
        assertThat(room(settings, ours)).as("one is there").isEqualTo(186);
        assertThat(room(ipv4(26, "10.97.0.0/25"))).as("two fit").isEqualTo(124);
    }

    private static int room(GrowthSettings settings, ServiceCidr... ours) {
        List<ServiceCidr> all = Stream.concat(Stream.of(FIRST), Stream.of(ours).map(SampleCidrs::madeByBerth))
                .toList();
        Growth.Plan plan = Growth.plan(settings, new Growth.World(all, FULL, List::of));
        return ((Growth.Plan.Make) plan).room().intValueExact();
    }

    @Test
    void aNameThatAnotherRangeBears_isPassedOver() {
        ServiceCidr odd = SampleCidrs.ready("berth-10.97.0.0-24", "10.99.0.0/30");
        ClusterIps ips = taken(14);
        ips.put(Sample.ip("10.99.0.1"));

        assertThat(of(ipv4(24, "10.97.0.0/16"), ips, FIRST, odd)).isEqualTo(next("berth-10.97.1.0-24", "10.97.1.0/24"));
    }

    @Test
    void largeSupernets_areSearchedByJumps() {
        ExcludedNetwork most = excluded("most of it", "10.0.0.0-10.15.254.255");
        assertThat(excluding(ipv4(24, "10.0.0.0/12"), most)).isEqualTo(next("berth-10.15.255.0-24", "10.15.255.0/24"));

        ServiceCidr six = SampleCidrs.ready("six", "fd00:1::/126");
        ClusterIps ips = Sample.index("fd00:1::1", "fd00:1::2", "fd00:1::3");
        ExcludedNetwork half = excluded("half of it", "fd00::-fd00:0:0:7fff:ffff:ffff:ffff:ffff");
        assertThat(Growth.of(ipv6(64, "fd00::/32"), new Growth.World(List.of(six), ips, () -> List.of(half))))
                .isEqualTo(next("berth-fd00-0000-0000-8000-0000-0000-0000-0000-64", "fd00:0:0:8000::/64"));
    }

    /** Of a supernet that is larger than they are. */
    @Test
    void blocksWhereNoServiceCanBeReached_areSkipped() {
        assertThat(of(ipv4(24, "0.0.0.0/0"), FULL, FIRST)).isEqualTo(next("berth-1.0.0.0-24", "1.0.0.0/24"));
        assertThat(of(ipv4(24, "126.255.255.0/24", "126.0.0.0/7"), FULL, FIRST, SampleCidrs.cidr("b", "126.0.0.0/8")))
                .as("the rest of 126.0.0.0/7 is loopback")
                .isInstanceOf(Growth.Held.class);
        assertThat(of(ipv4(24, "169.254.255.0/24", "169.254.0.0/15"), FULL, FIRST))
                .isInstanceOfSatisfying(
                        Growth.Held.class,
                        held -> assertThat(held.message())
                                .contains("169.254.255.0/24 is loopback, link-local, multicast or reserved"));
        assertThat(of(ipv4(24, "169.254.0.0/15"), FULL, FIRST))
                .isEqualTo(next("berth-169.255.0.0-24", "169.255.0.0/24"));
        assertThat(of(ipv4(8, "224.0.0.0/3"), FULL, FIRST)).isEqualTo(next("berth-240.0.0.0-8", "240.0.0.0/8"));
        ServiceCidr six = SampleCidrs.ready("six", "fd00::/126");
        ClusterIps ips = Sample.index("fd00::1", "fd00::2", "fd00::3");
        assertThat(of(ipv6(64, "::/0"), ips, six))
                .isEqualTo(next("berth-0100-0000-0000-0000-0000-0000-0000-0000-64", "100::/64"));
    }

    @Test
    void theEndOfAllAddresses_isTheEndOfTheSearch() {
        assertThat(why(excluding(ipv4(24, "255.255.0.0/16"), excluded("all", "255.255.0.0/16"))))
                .isEqualTo(Growth.Why.NO_SPACE);
    }

    private record Fault(String rule, GrowthSettings settings, String says) {}

    private static final List<Fault> FAULTS = List.of(
            new Fault(
                    "IPv6 shorter than /64",
                    ipv6(63, "fd00::/48"),
                    "prefixLength of IPv6 is 63, and must be 64 to 126"),
            new Fault("an IPv6 /127", ipv6(127, "fd00::/48"), "prefixLength of IPv6 is 127, and must be 64 to 126"),
            new Fault("an IPv4 /31", ipv4(31, "10.97.0.0/16"), "prefixLength of IPv4 is 31, and must be 8 to 30"),
            new Fault("no supernet", ipv4(24), "IPv4 has no supernets"),
            new Fault("no CIDR", ipv4(24, "ten"), "ten is not a CIDR"),
            new Fault("host bits", ipv4(24, "10.97.0.1/16"), "has host bits set; write 10.97.0.0/16"),
            new Fault("the other family", ipv4(24, "fd00::/64"), "fd00::/64 is IPv6"),
            new Fault("too small", ipv4(24, "10.97.0.0/16", "10.98.0.0/25"), "no /24 fits into 10.98.0.0/25"),
            new Fault("loopback", ipv4(24, "127.0.0.0/16"), "loopback"),
            new Fault("link-local", ipv6(112, "fe80::/64"), "link-local"),
            new Fault("multicast", ipv4(24, "239.0.0.0/16"), "multicast"),
            new Fault(
                    "a usedPercent of 0",
                    new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 24, 0, 4),
                    "usedPercent of IPv4 is 0, and must be 1 to 100"),
            new Fault(
                    "a usedPercent of 101",
                    new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 24, 101, 4),
                    "usedPercent of IPv4 is 101, and must be 1 to 100"),
            new Fault(
                    "a negative maximum",
                    new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 24, 80, -1),
                    "maxRanges of IPv4 is -1, and must not be below 0"));

    @Test
    void settingsThatMakeNoSense_areSaid_evenIfNothingIsNeededYet() {
        assertThat(FAULTS).allSatisfy(row -> {
            Growth.Held held = (Growth.Held) of(row.settings(), new ClusterIps(), FIRST);
            assertThat(held.why()).as(row.rule()).isEqualTo(Growth.Why.INVALID_SETTINGS);
            assertThat(held.message()).as(row.rule()).contains(row.says());
        });
    }

    @Test
    void theOutermostSettings_makeSense() {
        GrowthSettings never = new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 24, 100, 0);
        GrowthSettings early = new GrowthSettings(IpFamily.IPV4, List.of("10.97.0.0/16"), 24, 1, 0);

        assertThat(why(of(never, FULL, FIRST))).isEqualTo(Growth.Why.MAXIMUM_REACHED);
        assertThat(why(of(early, taken(1), FIRST))).isEqualTo(Growth.Why.MAXIMUM_REACHED);
    }

    @Test
    void whatHoldsGrowth_isAReasonOfACondition() {
        assertThat(Growth.Why.values())
                .extracting(Growth.Why::reason)
                .containsExactly(Reason.InvalidSettings, Reason.NoRangeOfFamily, Reason.MaximumReached, Reason.NoSpace);
    }

    /** The naive search tries every block. */
    private static Optional<ServiceRange> naive(ServiceRange supernet, int length, List<IpRange> taken) {
        int blocks = 1 << (length - supernet.prefixLength());
        long size = 1L << (32 - length);
        return IntStream.range(0, blocks)
                .mapToObj(i ->
                        ServiceRange.around(new Ip(supernet.network().value().increment(i * size)), length))
                .filter(block -> taken.stream()
                        .noneMatch(one ->
                                one.contains(block.network()) || block.whole().contains(one.lower())))
                .findFirst();
    }

    @Test
    void theBlockFound_isTheLowestThatIsFree_asANaiveSearchFindsIt() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ServiceRange supernet = ServiceRange.around(Ip.parse("10.0.0.0"), 20 + random.nextInt(6));
            int length = supernet.prefixLength() + random.nextInt(30 - supernet.prefixLength());
            List<IpRange> taken = new ArrayList<>();
            for (int i = random.nextInt(20); i > 0; i--) {
                Ip lower = new Ip(supernet.network().value().increment(random.nextInt(5_000) - 200L));
                taken.add(new IpRange(lower, new Ip(lower.value().increment(random.nextInt(300)))));
            }
            assertThat(new FreeBlocks(taken).in(supernet, length).findFirst())
                    .as("seed %d: /%d of %s but for %s", seed, length, supernet, taken)
                    .isEqualTo(naive(supernet, length, taken));
        }
    }

    /** Makes what is proposed, fills it, and asks again, until nothing more is proposed. */
    @Test
    void growth_overlapsNothing_isTheSameHoweverTheWorldIsListed_andEnds() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<ServiceCidr> cidrs = new ArrayList<>(List.of(FIRST));
            List<ExcludedNetwork> excluded = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                Ip lower = Ip.parse("10.97.0." + random.nextInt(200));
                excluded.add(new ExcludedNetwork(
                        "one", new IpRange(lower, new Ip(lower.value().increment(random.nextInt(40))))));
            }
            GrowthSettings settings = new GrowthSettings(
                    IpFamily.IPV4,
                    List.of("10.97.0.0/25", "10.97.0.192/26"),
                    26 + random.nextInt(5),
                    1 + random.nextInt(100),
                    64);
            ClusterIps ips = taken(14);
            Growth growth = propose(settings, cidrs, ips, excluded, random);
            int made = 0;
            while (growth instanceof Growth.Next(String name, ServiceRange range)) {
                String world = "seed " + seed + ": " + range + " for " + cidrs + excluded;
                assertThat(cidrs).as(world).noneMatch(cidr -> cidr.overlaps(range));
                assertThat(excluded)
                        .as(world)
                        .noneMatch(one -> one.range().contains(range.network())
                                || range.whole().contains(one.range().lower()));
                assertThat(range.gives()).as(world).isTrue();
                cidrs.add(SampleCidrs.madeByBerth(SampleCidrs.cidr(name, range.toString())));
                range.addresses()
                        .ifPresent(all -> Stream.iterate(all.lower(), ip -> ip.compareTo(all.upper()) <= 0, Ip::next)
                                .forEach(ip -> ips.put(Sample.ip(ip))));
                growth = propose(settings, cidrs, ips, excluded, random);
                assertThat(++made).as(world).isLessThanOrEqualTo(64);
            }
            assertThat(growth).as("seed %d", seed).isInstanceOf(Growth.Held.class);
        }
    }

    private static Growth propose(
            GrowthSettings settings,
            List<ServiceCidr> cidrs,
            ClusterIps ips,
            List<ExcludedNetwork> excluded,
            Random random) {
        Growth growth = Growth.of(settings, new Growth.World(cidrs, ips, () -> excluded));
        List<ServiceCidr> shuffledCidrs = new ArrayList<>(cidrs);
        List<ExcludedNetwork> shuffled = new ArrayList<>(excluded);
        Collections.shuffle(shuffledCidrs, random);
        Collections.shuffle(shuffled, random);
        Growth again = Growth.of(settings, new Growth.World(shuffledCidrs, ips, () -> shuffled));
        assertThat(again).isEqualTo(growth);
        return growth;
    }
}
