package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Spec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Growth;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.servicecidr.Usage;
import dev.berth.servicecidr.UsageSample;
import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PolicyStatusTest {
    private static final Spec ANY = new Spec(null, null);
    private static final Reservations NONE_KEPT = new Reservations(List.of(), List.of());

    private final ClusterIps ips = new ClusterIps();
    private List<ServiceCidr> cidrs = List.of(SampleCidrs.ready("first", "10.0.0.0/28"));
    private List<UsageSample> history = List.of();
    private List<RangeGrowth.Outcome> growth = List.of();
    private List<RangeRetirement.Outcome> retired = List.of();
    private Reservations kept = NONE_KEPT;
    private List<Finding> findings = List.of();

    private PolicyStatus status(Spec spec) {
        return new PolicyStatus(
                spec,
                new PolicyStatus.Look(
                        NetworkInMemory.START, Usage.of(cidrs, ips), history, growth, retired, kept, findings));
    }

    /** The condition of this type, as {@code status reason: message}; empty: there is none. */
    private String told(String type) {
        return told(type, ANY);
    }

    private String told(String type, Spec spec) {
        return status(spec).reports().stream()
                .filter(one -> one.type().equals(type))
                .map(one -> one.status() + " " + one.reason() + ": " + one.message())
                .findFirst()
                .orElse("");
    }

    private PolicyStatus.Report report(String type) {
        return status(ANY).reports().stream()
                .filter(one -> one.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private boolean bad(String type) {
        return status(ANY).reports().stream().anyMatch(one -> one.type().equals(type) && one.bad());
    }

    private void allocate(int addresses) {
        IntStream.rangeClosed(1, addresses).forEach(i -> ips.put(NetworkInMemory.allocated("10.0.0." + i, "web-" + i)));
    }

    private static Spec warnings(@Nullable Integer usedPercent, @Nullable Integer daysUntilFull) {
        return new Spec(new ServiceCIDRPolicy.Warnings(usedPercent, daysUntilFull), null);
    }

    @Test
    void healthyCluster_isServedAndSound_andNothingElseIsSaid() {
        assertThat(status(ANY).reports())
                .extracting(one -> one.type() + "=" + one.status())
                .containsExactly("Served=True", "CapacityLow=False", "Healthy=True");
        assertThat(status(ANY).reports()).noneMatch(PolicyStatus.Report::bad);
    }

    @Test
    void familyIsCapacityLow_atEightyPercent_ifNothingElseIsAskedFor() {
        allocate(11);
        assertThat(told("CapacityLow")).startsWith("False Enough");

        allocate(12); // of 14
        assertThat(told("CapacityLow")).isEqualTo("True NearlyFull: IPv4: 85 percent in use, 2 free");
        assertThat(bad("CapacityLow")).isTrue();
        assertThat(told("CapacityLow", warnings(90, null))).startsWith("False");
    }

    /** docs/cluster-addresses.md, but for the columns NAME, READY and AGE. */
    @Test
    void thePageShowsWhatIsWritten() throws IOException {
        cidrs = List.of(SampleCidrs.ready("kubernetes", "10.0.0.0/28", "fd00::/108"));
        allocate(12);
        growth = List.of(new RangeGrowth.Outcome.Proposed(IpFamily.IPV4, "next", ServiceRange.parse("10.100.0.0/28")));
        ServiceCIDRPolicy.Status status = status(ANY).of(1L, List.of());
        ServiceCIDRPolicy.Family ipv4 = Objects.requireNonNull(status.ipv4());
        ServiceCIDRPolicy.Family ipv6 = Objects.requireNonNull(status.ipv6());
        TypedPage.Step page = TypedPage.step(Path.of("docs/cluster-addresses.md"), "kubectl get servicecidrpolicies");
        assertThat(List.of(page.printed().lines().toList().getLast().strip().split(" +", -1))
                        .subList(1, 8))
                .containsExactly(
                        ipv4.allocated(),
                        ipv4.free(),
                        ipv6.allocated(),
                        ipv6.free(),
                        report("CapacityLow").reason(),
                        report("Growth").reason(),
                        report("Healthy").status().toString());
    }

    /** The API server asks both bands of a range before it turns to the next one. */
    @Test
    void staticBandThatAnyServiceGets_isSaid_alsoWhileAnotherRangeIsEmpty() {
        cidrs = List.of(SampleCidrs.ready("first", "10.0.0.0/27"), SampleCidrs.ready("second", "10.1.0.0/24"));
        IntStream.rangeClosed(17, 29).forEach(i -> ips.put(NetworkInMemory.allocated("10.0.0." + i, "web-" + i)));
        assertThat(told("CapacityLow")).startsWith("False Enough");

        ips.put(NetworkInMemory.allocated("10.0.0.30", "web-30"));
        assertThat(told("CapacityLow"))
                .isEqualTo(
                        "True DynamicBandFull: 10.0.0.0/27: the dynamic band is full, and any Service may get one of"
                                + " the 16 free addresses of the static band; keep those that you need by ClusterIPReservations");
        assertThat(bad("CapacityLow")).isTrue();

        allocate(16);
        assertThat(told("CapacityLow")).as("none is left to keep").startsWith("False Enough");
    }

    @Test
    void familyThatIsFull_saysWhatToDo() {
        cidrs = List.of(SampleCidrs.ready("first", "10.0.0.0/28", "fd00::/124"));
        allocate(14);

        assertThat(told("CapacityLow"))
                .isEqualTo("True Full: no IPv4 address is free: no Service that needs one can be created; make another"
                        + " ServiceCIDR, or have Berth do it in time by spec.growth");
        assertThat(told("CapacityLow", growing("10.100.0.0/16")))
                .isEqualTo("True Full: no IPv4 address is free: no Service that needs one can be created; Berth makes"
                        + " another range, unless the condition Growth says why not");
        assertThat(bad("CapacityLow")).isTrue();
    }

    @Test
    void familyWithoutARangeThatIsReady_isFull_andOneThatHasNoRangeIsNot() {
        cidrs = List.of(SampleCidrs.deleted(SampleCidrs.ready("first", "10.0.0.0/28"), NetworkInMemory.START));

        assertThat(told("CapacityLow")).startsWith("True Full: no IPv4 address is free: ");
        assertThat(told("CapacityLow")).doesNotContain("IPv6");
    }

    private static Spec growing(String ipv4) {
        return new Spec(
                null,
                new ServiceCIDRPolicy.Growth(
                        false, new ServiceCIDRPolicy.FamilyGrowth(List.of(ipv4), 24, 80, 4), null, null));
    }

    @Test
    void familyIsCapacityLow_ifItIsFullInTwoWeeks_ofWhateverUse() {
        allocate(4);
        history = List.of(new UsageSample(
                NetworkInMemory.START.minus(Duration.ofDays(2)), Map.of("10.0.0.0/28", 0L), Map.of("10.0.0.0/28", 2L)));

        // One per day, and ten are free.
        assertThat(told("CapacityLow"))
                .isEqualTo("True NearlyFull: IPv4: 28 percent in use, 10 free, full on 2026-01-11");
        assertThat(told("CapacityLow", warnings(null, 9))).startsWith("False");
    }

    private static RangeGrowth.Outcome enough(IpFamily family) {
        return new RangeGrowth.Outcome.Enough(family, 30, new Growth.Next("next", ServiceRange.parse("10.100.0.0/28")));
    }

    @Test
    void theNextRange_isProposed_beforeItIsNeeded() {
        growth = List.of(enough(IpFamily.IPV4));

        assertThat(told("Growth")).startsWith("True Enough");
        assertThat(status(ANY).of(1L, List.of()).proposed())
                .containsExactly(
                        new ServiceCIDRPolicy.Proposal("next", "10.100.0.0/28", "next for IPv4, once it is needed"));
    }

    @Test
    void thatFamilyCannotGrow_isSaidBeforeItNeedsTo_butNobodyHasToLookYet() {
        growth = List.of(new RangeGrowth.Outcome.Held(IpFamily.IPV4, "NoSpace", "no /24 is free", false, null));

        assertThat(told("Growth")).isEqualTo("False NoSpace: no /24 is free");
        assertThat(bad("Growth")).isFalse();
    }

    @Test
    void growth_saysWhatHoldsIt_beforeWhatItWouldMake_andWhatItMade() {
        ServiceRange range = ServiceRange.parse("10.100.0.0/28");
        RangeGrowth.Outcome created = new RangeGrowth.Outcome.Created(IpFamily.IPV4, "next", range);
        RangeGrowth.Outcome proposed = new RangeGrowth.Outcome.Proposed(IpFamily.IPV4, "next", range);
        RangeGrowth.Outcome held =
                new RangeGrowth.Outcome.Held(IpFamily.IPV6, "Forbidden", "a policy denies it", true, "six");

        growth = List.of(enough(IpFamily.IPV4));
        assertThat(told("Growth")).startsWith("True Enough");
        growth = List.of(enough(IpFamily.IPV6), created);
        assertThat(told("Growth")).isEqualTo("True Created: made ServiceCIDR \"next\" of 10.100.0.0/28");
        growth = List.of(created, proposed);
        assertThat(told("Growth")).startsWith("False DryRun: would make ServiceCIDR \"next\" of 10.100.0.0/28");
        growth = List.of(created, held);
        assertThat(told("Growth"))
                .isEqualTo("False Forbidden: a policy denies it; made ServiceCIDR \"next\" of 10.100.0.0/28");
        assertThat(bad("Growth")).isTrue();
    }

    @Test
    void ofTwoFamilies_bothAreTold_firstTheOneThatNeedsARangeNow() {
        growth = List.of(
                new RangeGrowth.Outcome.Held(IpFamily.IPV4, "NoSpace", "no /24 is free", false, null),
                new RangeGrowth.Outcome.Held(IpFamily.IPV6, "InvalidSettings", "prefixLength 56", true, null));

        assertThat(told("Growth")).isEqualTo("False InvalidSettings: prefixLength 56; no /24 is free");
    }

    @Test
    void growthOfNoFamily_isAFault() {
        Spec noFamily = new Spec(null, new ServiceCIDRPolicy.Growth(false, null, null, null));

        assertThat(told("Growth", noFamily))
                .isEqualTo("False InvalidSettings: spec.growth names no family: add ipv4 or ipv6");
        assertThat(told("Growth")).isEmpty();
    }

    private static RangeRetirement.Outcome retirement(
            Retirement.Verdict verdict, long remaining, Optional<String> failure) {
        List<Retirement.Occupant> first = remaining == 0
                ? List.of()
                : List.of(new Retirement.Occupant(Ip.parse("10.0.0.7"), "prod/web", Retirement.Needs.RECREATE));
        return new RangeRetirement.Outcome(
                new Retirement(
                        SampleCidrs.retiring(SampleCidrs.ready("old", "10.0.0.0/24")), verdict, remaining, first),
                failure);
    }

    @Test
    void retirement_saysWhyNot_elseWhoIsLeft() {
        assertThat(told("Retired")).isEmpty();

        retired = List.of(retirement(new Retirement.Verdict.Draining(), 0, Optional.empty()));
        assertThat(told("Retired")).isEqualTo("False Draining: ServiceCIDR \"old\": empty, it goes in a moment");
        retired = List.of(retirement(new Retirement.Verdict.Draining(), 1, Optional.empty()));
        assertThat(told("Retired"))
                .startsWith("False Draining: ServiceCIDR \"old\": 1 address in use, such as 10.0.0.7 of prod/web");
        assertThat(bad("Retired")).isFalse();
        retired = List.of(retirement(new Retirement.Verdict.Refused("it is the last"), 1, Optional.empty()));
        assertThat(told("Retired")).isEqualTo("False Refused: it is the last");
        retired = List.of(retirement(new Retirement.Verdict.Delete(), 1, Optional.of("cannot be deleted: no")));
        assertThat(told("Retired")).isEqualTo("False Refused: cannot be deleted: no");
        assertThat(bad("Retired")).isTrue();
        retired = List.of(
                retirement(new Retirement.Verdict.Draining(), 0, Optional.empty()),
                retirement(new Retirement.Verdict.NoRoom("no room"), 1, Optional.empty()));
        assertThat(told("Retired"))
                .isEqualTo("False Refused: no room; ServiceCIDR \"old\": empty, it goes in a moment");
    }

    @Test
    void sampleThatSomebodyHasEdited_isNone() {
        ServiceCIDRPolicy.Status status = new ServiceCIDRPolicy.Status(
                null,
                null,
                null,
                null,
                List.of(
                        new ServiceCIDRPolicy.Sample(null, Map.of(), Map.of()),
                        new ServiceCIDRPolicy.Sample("yesterday", Map.of(), Map.of()),
                        new ServiceCIDRPolicy.Sample("2026-01-01T00:00:00Z", null, Map.of()),
                        new ServiceCIDRPolicy.Sample("2026-01-01T00:00:00Z", Map.of(), null),
                        new ServiceCIDRPolicy.Sample("2026-01-01T00:00:00Z", Map.of(), Map.of())),
                null,
                null,
                null,
                null);

        assertThat(PolicyStatus.history(status))
                .containsExactly(new UsageSample(NetworkInMemory.START, Map.of(), Map.of()));
    }

    /** The schema has room for no more. */
    @Test
    void ofManyThatRetire_theStatusListsSixteen() {
        retired = Collections.nCopies(17, retirement(new Retirement.Verdict.Draining(), 0, Optional.empty()));

        assertThat(status(ANY).of(1L, List.of()).retiring()).hasSize(16);
    }

    @Test
    void retirementThatWaitsForRoom_isNothingToLookAt() {
        retired = List.of(retirement(new Retirement.Verdict.Waiting("waits for the next range"), 1, Optional.empty()));

        assertThat(told("Retired")).isEqualTo("False Waiting: waits for the next range");
        assertThat(bad("Retired")).isFalse();
        assertThat(status(ANY).of(1L, List.of()).retiring())
                .singleElement()
                .extracting(ServiceCIDRPolicy.Retiring::message)
                .isEqualTo("waits for the next range");
    }

    private static Reservations.Outcome reservation(String address, Reservations.State state) {
        return new Reservations.Outcome(new Reservation(address, new ServiceKey("prod", "dns")), state);
    }

    @Test
    void addressOfTheDns_isKept_unlessItIsTakenOrRefused() {
        assertThat(told("Reserved")).isEmpty();

        Reservations.Outcome fine = reservation("10.0.0.1", new Reservations.State.Reserved(Ip.parse("10.0.0.1")));
        Reservations.Outcome moving =
                reservation("10.0.0.2", new Reservations.State.HandingOver(NetworkInMemory.START));
        kept = new Reservations(List.of(fine, moving), List.of());
        assertThat(told("Reserved")).startsWith("True Reserved");

        kept = new Reservations(
                List.of(
                        fine,
                        reservation("10.0.0.3", new Reservations.State.Taken("prod/web")),
                        reservation("x", new Reservations.State.Refused("x is no IP address"))),
                List.of());
        assertThat(told("Reserved")).isEqualTo("False NotKept: 10.0.0.3: prod/web has it; x is no IP address");
        assertThat(bad("Reserved")).isTrue();
    }

    @Test
    void findings_areCounted_andTheFirstThreeAreNamed() {
        findings = IntStream.rangeClosed(1, 25)
                .mapToObj(i ->
                        new Finding(Finding.Reason.CLUSTER_IP_OUT_OF_RANGE, "Service", "prod/web-" + i, "wrong " + i))
                .toList();

        assertThat(told("Healthy")).isEqualTo("False ClusterIPOutOfRange: wrong 1; wrong 2; wrong 3; and 22 more");
        assertThat(status(ANY).of(1L, List.of()).findings()).satisfies(found -> {
            assertThat(found).isNotNull();
            assertThat(found.total()).isEqualTo(25);
            assertThat(found.first()).hasSize(20);
        });
    }

    @Test
    void ranges_areShownByBand_withTheirGrowth() {
        allocate(4);
        history = List.of(new UsageSample(
                NetworkInMemory.START.minus(Duration.ofDays(2)), Map.of("10.0.0.0/28", 0L), Map.of("10.0.0.0/28", 2L)));

        ServiceCIDRPolicy.Status status = status(ANY).of(7L, List.of());

        assertThat(status.observedGeneration()).isEqualTo(7);
        assertThat(status.ranges()).singleElement().satisfies(range -> {
            assertThat(range.dynamicBand()).isEqualTo(new ServiceCIDRPolicy.Band("14", "4", "10", "1.0", "2026-01-11"));
            assertThat(range.staticBand().size()).isEqualTo("0");
        });
        assertThat(status.ipv4()).isEqualTo(new ServiceCIDRPolicy.Family("14", "4", "10", 28, "1.0", "2026-01-11"));
        assertThat(status.ipv6()).isNull();
        assertThat(PolicyStatus.history(status)).isEqualTo(history);
    }

    @Test
    void policyIsNotReady_whereTheSpecAsksForWhatIsNotDone() {
        assertThat(PolicyStatus.decides(new PolicyStatus.Report("Served", Status.FALSE, "CannotWatch", "", true)))
                .isTrue();
        assertThat(PolicyStatus.decides(new PolicyStatus.Report("Reserved", Status.FALSE, "NotKept", "", true)))
                .isTrue();
        assertThat(PolicyStatus.decides(new PolicyStatus.Report("Growth", Status.FALSE, "InvalidSettings", "", true)))
                .isTrue();
    }

    @Test
    void dryRun_howFullItIs_andWhatTheAuditFinds_leaveThePolicyReady() {
        assertThat(PolicyStatus.decides(new PolicyStatus.Report("Growth", Status.FALSE, "DryRun", "", true)))
                .isFalse();
        assertThat(PolicyStatus.decides(new PolicyStatus.Report("Healthy", Status.FALSE, "BandsConflict", "", true)))
                .isFalse();
        assertThat(PolicyStatus.decides(new PolicyStatus.Report("Retired", Status.FALSE, "Refused", "", true)))
                .isFalse();
    }
}
