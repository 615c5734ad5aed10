package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.servicecidr.Retirement.Needs;
import dev.berth.servicecidr.Retirement.Occupant;
import dev.berth.servicecidr.Retirement.Verdict;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RetirementTest {
    private static final Instant NOW = Sample.START.plusSeconds(3_600);
    private static final ServiceCidr OLD = SampleCidrs.ready("old", "10.0.0.0/24");
    private static final ServiceCidr NEW = SampleCidrs.ready("new", "10.0.1.0/24");
    private static final ServiceKey GONE = new ServiceKey("prod", "gone");

    private static List<Retirement> of(List<String> names, ClusterIps ips, ServiceCidr... cidrs) {
        return growing(0, names, ips, cidrs);
    }

    private static List<Retirement> growing(long by, List<String> names, ClusterIps ips, ServiceCidr... cidrs) {
        return Retirement.of(
                Stream.of(cidrs)
                        .map(cidr -> names.contains(cidr.name()) ? SampleCidrs.retiring(cidr) : cidr)
                        .toList(),
                ips,
                service -> !service.equals(GONE),
                family -> family == IpFamily.IPV4 ? BigInteger.valueOf(by) : BigInteger.ZERO,
                NOW);
    }

    private static Retirement old(ClusterIps ips, ServiceCidr... cidrs) {
        return of(List.of("old"), ips, cidrs).getFirst();
    }

    private static List<Verdict> verdicts(List<Retirement> retirements) {
        return retirements.stream().map(Retirement::verdict).toList();
    }

    private static ServiceCidr deleted(ServiceCidr cidr) {
        return SampleCidrs.deleted(cidr, NOW);
    }

    private static final Verdict DELETE = new Verdict.Delete();

    private static String refusal(Retirement retirement) {
        return ((Verdict.Refused) retirement.verdict()).message();
    }

    private static ClusterIp taken(String ip, @Nullable Parent parent, Instant created) {
        return new ClusterIp(Ip.parse(ip), "uid-" + ip, ClusterIp.ALLOCATOR, "IPv4", parent, created);
    }

    @Test
    void aRangeThatIsNotAskedToRetire_isLeftAlone() {
        for (ServiceCidr cidr : List.of(OLD, SampleCidrs.retiring(OLD, "false"))) {
            assertThat(of(List.of(), new ClusterIps(), cidr, NEW)).isEmpty();
        }
    }

    @Test
    void anAnnotationThatIsNeitherTrueNorFalse_isRefused() {
        assertThat(of(List.of(), new ClusterIps(), SampleCidrs.retiring(OLD, "yes"), NEW))
                .singleElement()
                .extracting(RetirementTest::refusal)
                .isEqualTo("ServiceCIDR \"old\" does not retire: its annotation berth.dev/retire: \"yes\" is neither"
                        + " true nor false");
    }

    @Test
    void aRangeThatIsMadeAgain_isNotToRetire() {
        ServiceCidr again = SampleCidrs.reborn(SampleCidrs.retiring(deleted(OLD)));

        assertThat(of(List.of(), new ClusterIps(), again, NEW)).isEmpty();
    }

    @Test
    void aRangeThatOthersStandInFor_isDeleted() {
        assertThat(old(new ClusterIps(), OLD, NEW))
                .isEqualTo(new Retirement(SampleCidrs.retiring(OLD), DELETE, 0, List.of()));
    }

    @Test
    void aRangeThatIsBeingDeleted_drains() {
        assertThat(old(new ClusterIps(), deleted(OLD), NEW).verdict()).isEqualTo(new Verdict.Draining());
    }

    @Test
    void aRangeThatNothingHoldsUntilItIsEmpty_isRefused() {
        Retirement retirement = old(new ClusterIps(), SampleCidrs.with(OLD, false), NEW);
        assertThat(refusal(retirement)).contains("has no finalizer", "--service-cidr-controller=Auto");
    }

    @Test
    void theApiServersOwnRange_isRefused_asItIsMadeAgain() {
        Retirement retirement = of(
                        List.of("kubernetes"), new ClusterIps(), SampleCidrs.ready("kubernetes", "10.0.0.0/24"), NEW)
                .getFirst();

        assertThat(refusal(retirement)).contains("--service-cluster-ip-range", "kubectl delete servicecidr kubernetes");
    }

    @Test
    void theApiServersOwnRange_drainsOnceSomebodyHasDeletedIt() {
        assertThat(verdicts(of(
                        List.of("kubernetes"),
                        new ClusterIps(),
                        deleted(SampleCidrs.ready("kubernetes", "10.0.0.0/24")),
                        NEW)))
                .containsExactly(new Verdict.Draining());
    }

    @Test
    void theLastReadyRangeOfAFamily_isRefused() {
        ServiceCidr dual = SampleCidrs.ready("old", "10.0.0.0/24", "fd00::/112");

        assertThat(refusal(old(new ClusterIps(), OLD))).contains("the last one that allocates IPv4 addresses");
        assertThat(refusal(old(new ClusterIps(), OLD, deleted(NEW)))).contains("the last one that allocates IPv4");
        assertThat(refusal(old(new ClusterIps(), dual, NEW))).contains("the last one that allocates IPv6");
    }

    @Test
    void aRangeThatNeverGives_standsInForNobody_andIsNeverTheLast() {
        ServiceCidr six = SampleCidrs.ready("old", "fd00::/112");
        ServiceCidr unusable = SampleCidrs.ready("useless", "fd00::/48");

        assertThat(refusal(old(new ClusterIps(), six, unusable))).contains("the last one that allocates IPv6");
        assertThat(verdicts(of(List.of("useless"), new ClusterIps(), unusable))).containsExactly(DELETE);
    }

    @Test
    void aRangeIsRefused_whileAllOthersAreFull() {
        ServiceCidr small = SampleCidrs.ready("new", "10.0.1.0/30");

        assertThat(old(Sample.index("10.0.1.1", "10.0.1.2"), OLD, small).verdict())
                .isEqualTo(noRoom("old", "0 addresses", "0 are"));
        assertThat(old(Sample.index("10.0.1.1"), OLD, small).verdict()).isEqualTo(DELETE);
    }

    private static Verdict noRoom(String name, String move, String free) {
        return new Verdict.NoRoom("there is no room without ServiceCIDR \"" + name + "\": of IPv4, " + move
                + " would have to move, " + free + " free in the ranges that stay; make another one first, or let"
                + " spec.growth make it");
    }

    /** So many addresses of 10.0.N.0/28, which has 14. */
    private static List<ClusterIp> taken(int third, int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(low -> Sample.ip("10.0." + third + "." + low))
                .toList();
    }

    private static ServiceCidr small(int third) {
        return SampleCidrs.ready("small-" + third, "10.0." + third + ".0/28");
    }

    @Test
    void aRangeIsRefused_whileThoseInItFindNoOtherAddress() {
        ClusterIps ips = Sample.index(taken(0, 5));
        taken(1, 10).forEach(ips::put);
        List<String> first = List.of("small-0");

        assertThat(verdicts(of(first, ips, small(0), small(1))))
                .containsExactly(noRoom("small-0", "5 addresses", "4 are"));
        ips.remove(Ip.parse("10.0.1.1"));
        assertThat(verdicts(of(first, ips, small(0), small(1))))
                .as("five fit into five")
                .containsExactly(DELETE);
    }

    @Test
    void ofSixRangesThatAreNearlyFull_oneGoesAtATime_andThoseThatGoAlreadyAreCounted() {
        ClusterIps ips = new ClusterIps();
        IntStream.range(0, 6).forEach(third -> taken(third, 10).forEach(ips::put));
        ServiceCidr[] all =
                IntStream.range(0, 6).mapToObj(RetirementTest::small).toArray(ServiceCidr[]::new);
        List<String> names = Stream.of(all).map(ServiceCidr::name).toList();

        List<Verdict> verdicts = verdicts(of(names, ips, all));
        assertThat(verdicts)
                .startsWith(DELETE, noRoom("small-1", "20 addresses", "16 are"))
                .filteredOn(Verdict.Delete.class::isInstance)
                .hasSize(1);

        all[0] = deleted(all[0]);
        ips.remove(Ip.parse("10.0.5.1"));
        assertThat(verdicts(of(names, ips, all)))
                .as("a Service is recreated")
                .startsWith(new Verdict.Draining(), noRoom("small-1", "20 addresses", "17 are"))
                .noneMatch(Verdict.Delete.class::isInstance);
    }

    /** In kube-controller-manager either takes the other for its heir, and both go. */
    @Test
    void ofTwoRangesThatShareAddresses_oneGoesAtATime() {
        ServiceCidr twin = SampleCidrs.ready("twin", "10.0.0.0/24");
        ServiceCidr around = SampleCidrs.ready("twin", "10.0.0.0/23", "fd00::/112");
        Verdict waiting = new Verdict.Waiting("ServiceCIDR \"twin\" waits until \"old\" is gone: both have addresses of"
                + " 10.0.0.0/24, and while both are being deleted, either may be removed because of the other");

        for (ServiceCidr other : List.of(twin, around)) {
            ServiceCidr rest = SampleCidrs.ready("rest", "10.0.9.0/24", "fd00:9::/112");
            assertThat(verdicts(of(List.of("old", "twin"), new ClusterIps(), OLD, other, rest)))
                    .containsExactly(DELETE, waiting);
            assertThat(verdicts(of(List.of("twin"), new ClusterIps(), deleted(OLD), other, rest)))
                    .as("also of one that somebody else deletes")
                    .containsExactly(waiting);
            assertThat(verdicts(of(List.of("old", "twin"), new ClusterIps(), other, rest)))
                    .containsExactly(DELETE);
        }
    }

    @Test
    void ofTwoRangesThatShareAddresses_bothGo_ifAnotherThatStaysHasTheAddressesToo() {
        ServiceCidr twin = SampleCidrs.ready("twin", "10.0.0.0/24");
        ServiceCidr around = SampleCidrs.ready("around", "10.0.0.0/16");

        assertThat(verdicts(of(List.of("old", "twin"), new ClusterIps(), OLD, twin, around)))
                .containsExactly(DELETE, DELETE);
    }

    @Test
    void whatAnotherRangeHasThatStays_needNotMove() {
        ClusterIps ips = Sample.index(taken(0, 14));

        assertThat(verdicts(of(List.of("small-0"), ips, small(0), SampleCidrs.ready("around", "10.0.0.0/27"))))
                .containsExactly(DELETE);
    }

    @Test
    void aRangeThatIsNotReady_isNotDeletedEither_whileThoseInItFindNoOtherAddress() {
        ClusterIps ips = Sample.index(taken(0, 5));
        taken(1, 10).forEach(ips::put);

        assertThat(verdicts(
                        of(List.of("small-0"), ips, SampleCidrs.with(small(0), ReadyCondition.TERMINATING), small(1))))
                .containsExactly(noRoom("small-0", "5 addresses", "4 are"));
    }

    @Test
    void aRangeWaits_ifGrowthMayMakeTheRoomThatIsMissing() {
        ClusterIps ips = Sample.index(taken(0, 5));
        taken(1, 10).forEach(ips::put);
        List<String> names = List.of("small-0");

        assertThat(verdicts(growing(0, names, ips, small(0), small(1)))).hasOnlyElementsOfType(Verdict.NoRoom.class);
        assertThat(verdicts(growing(1, names, ips, small(0), small(1))))
                .containsExactly(new Verdict.Waiting("ServiceCIDR \"small-0\" waits for the next range: of IPv4,"
                        + " 5 addresses would have to move, 4 are free in the ranges that stay"));
        assertThat(verdicts(growing(14, names, Sample.index("10.0.0.1"), small(0))))
                .as("the last one")
                .containsExactly(new Verdict.Waiting("ServiceCIDR \"small-0\" waits for the next range: of IPv4,"
                        + " 1 address would have to move, 0 are free in the ranges that stay"));
    }

    @Test
    void aRangeThatIsNotReady_isMissedByNobody() {
        ServiceCidr unready = SampleCidrs.with(OLD, ReadyCondition.TERMINATING);

        assertThat(old(new ClusterIps(), unready).verdict()).isEqualTo(DELETE);
    }

    @Test
    void aRangeWithoutFinalizer_isRefused_asNobodyWouldHoldItForItsServices() {
        assertThat(refusal(old(Sample.index("10.0.0.20"), SampleCidrs.with(OLD, false), NEW)))
                .contains("no finalizer", "--service-cidr-controller");
    }

    @Test
    void aRangeWithoutFinalizer_drainsOnceSomebodyHasDeletedIt() {
        assertThat(old(new ClusterIps(), deleted(SampleCidrs.with(OLD, false)), NEW)
                        .verdict())
                .isEqualTo(new Verdict.Draining());
    }

    @Test
    void ofAllRangesOfAFamily_theFirstByNameGo_andTheLastStays() {
        assertThat(verdicts(of(List.of("old", "new"), new ClusterIps(), OLD, NEW)))
                .containsExactly(
                        DELETE,
                        new Verdict.Refused("ServiceCIDR \"old\" is the last one that allocates IPv4 addresses:"
                                + " without it no Service could be created; make another one first"));
    }

    @Test
    void eachAddressOfTheRange_saysWhoseItIs_andWhatItNeeds() {
        ServiceKey web = new ServiceKey("prod", "web");
        ClusterIps ips = Sample.index(List.of(
                taken("10.0.0.1", Parent.of(new ServiceKey("default", "kubernetes")), Sample.START),
                taken("10.0.0.10", Parent.of(web), Sample.START),
                Sample.reserved("10.0.0.11", new ServiceKey("prod", "db")),
                taken("10.0.0.100", Parent.of(web), Sample.START),
                taken("10.0.0.101", Parent.of(GONE), Sample.START),
                taken("10.0.0.102", Parent.of(GONE), NOW.minusSeconds(59)),
                Sample.foreign("10.0.0.103"),
                taken("10.0.0.104", null, Sample.START)));

        assertThat(old(ips, deleted(OLD), NEW).first())
                .containsExactly(
                        new Occupant(Ip.parse("10.0.0.1"), "default/kubernetes", Needs.API_SERVER_FLAGS),
                        new Occupant(Ip.parse("10.0.0.10"), "prod/web", Needs.RECREATE_WITH_OTHER_ADDRESS),
                        new Occupant(Ip.parse("10.0.0.11"), "prod/db", Needs.REMOVE_RESERVATION),
                        new Occupant(Ip.parse("10.0.0.100"), "prod/web", Needs.RECREATE),
                        new Occupant(Ip.parse("10.0.0.101"), "prod/gone", Needs.DELETE_IP_ADDRESS),
                        new Occupant(Ip.parse("10.0.0.102"), "prod/gone", Needs.RECREATE),
                        new Occupant(Ip.parse("10.0.0.103"), "hosts.example.org host", Needs.DELETE_IP_ADDRESS),
                        new Occupant(Ip.parse("10.0.0.104"), "nobody", Needs.DELETE_IP_ADDRESS));
    }

    @Test
    void inARangeWithoutBands_noAddressIsStatic() {
        assertThat(old(Sample.index("10.0.0.1"), SampleCidrs.ready("old", "10.0.0.0/28"), NEW)
                        .first()
                        .getFirst()
                        .needs())
                .isEqualTo(Needs.RECREATE);
    }

    @Test
    void theLowestTwenty_areNamed_andAllAreCounted() {
        ClusterIps ips = Sample.index(IntStream.rangeClosed(30, 79)
                .mapToObj(low -> Sample.ip("10.0.0." + low))
                .toList());

        Retirement retirement = old(ips, deleted(OLD), NEW);

        assertThat(retirement.remaining()).isEqualTo(50);
        assertThat(retirement.first().stream().map(occupant -> occupant.ip().toString()))
                .containsExactlyElementsOf(
                        IntStream.range(30, 50).mapToObj(low -> "10.0.0." + low).toList());
    }

    @Test
    void anAddressThatAnotherRangeHasWhichStays_remainsNot() {
        ClusterIps ips = Sample.index("10.0.0.20", "10.0.0.200");
        ServiceCidr half = SampleCidrs.ready("half", "10.0.0.0/25");

        assertThat(ips(old(ips, deleted(OLD), half))).containsExactly("10.0.0.200");
        assertThat(ips(old(ips, deleted(OLD), deleted(half), NEW)))
                .as("it is being deleted itself")
                .containsExactly("10.0.0.20", "10.0.0.200");
        assertThat(of(List.of("old", "half"), ips, deleted(OLD), half, NEW))
                .as("it is to be deleted after this one is gone")
                .satisfies(all -> assertThat(ips(all.getLast())).containsExactly("10.0.0.200"));
    }

    @Test
    void aRangeThatIsRefused_standsInForOthers_andListsWhoIsInIt() {
        ClusterIps ips = Sample.index("10.0.0.20", "10.0.0.200");
        ServiceCidr own = SampleCidrs.ready("kubernetes", "10.0.0.0/25");

        List<Retirement> all = of(List.of("old", "kubernetes"), ips, deleted(OLD), own);

        assertThat(ips(all.getFirst())).containsExactly("10.0.0.20");
        assertThat(ips(all.getLast())).containsExactly("10.0.0.200");
    }

    @Test
    void whatAnAddressNeeds_hasANameAndAnAdvice() {
        assertThat(Needs.values())
                .extracting(Needs::toString)
                .containsExactly(
                        "Recreate",
                        "RecreateWithOtherAddress",
                        "APIServerFlags",
                        "RemoveReservation",
                        "DeleteIPAddress");
        assertThat(Needs.values())
                .extracting(Needs::advice)
                .doesNotHaveDuplicates()
                .doesNotContain("");
    }

    private static Stream<String> ips(Retirement retirement) {
        return retirement.first().stream().map(occupant -> occupant.ip().toString());
    }
}
