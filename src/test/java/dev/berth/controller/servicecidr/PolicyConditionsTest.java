package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Spec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.servicecidr.UsageSample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PolicyConditionsTest {
    private static final Spec ANY = new Spec(null, null);

    private final SampleLook look = new SampleLook();

    private PolicyConditions conditions(Spec spec) {
        return new PolicyConditions(spec, look.build());
    }

    /** The condition of this type, as {@code status reason: message}; empty: there is none. */
    private String told(String type) {
        return told(type, ANY);
    }

    private String told(String type, Spec spec) {
        return conditions(spec).reports().stream()
                .filter(one -> one.type().equals(type))
                .map(one -> one.status() + " " + one.reason() + ": " + one.message())
                .findFirst()
                .orElse("");
    }

    private boolean bad(String type) {
        return conditions(ANY).reports().stream().anyMatch(one -> one.type().equals(type) && one.bad());
    }

    private static Spec warnings(@Nullable Integer usedPercent, @Nullable Integer daysUntilFull) {
        return new Spec(new ServiceCIDRPolicy.Warnings(usedPercent, daysUntilFull), null);
    }

    @Test
    void healthyCluster_isServedAndSound_andNothingElseIsSaid() {
        assertThat(conditions(ANY).reports())
                .extracting(one -> one.type() + "=" + one.status())
                .containsExactly("Served=True", "CapacityLow=False", "Healthy=True");
        assertThat(conditions(ANY).reports()).noneMatch(PolicyConditions.Report::bad);
    }

    @Test
    void familyIsCapacityLow_atEightyPercent_ifNothingElseIsAskedFor() {
        look.allocate(11);
        assertThat(told("CapacityLow")).startsWith("False Enough");

        look.allocate(12); // of 14
        assertThat(told("CapacityLow")).isEqualTo("True NearlyFull: IPv4: 85 percent in use, 2 free");
        assertThat(bad("CapacityLow")).isTrue();
        assertThat(told("CapacityLow", warnings(90, null))).startsWith("False");
    }

    /** The API server asks both bands of a range before it turns to the next one. */
    @Test
    void staticBandThatAnyServiceGets_isSaid_alsoWhileAnotherRangeIsEmpty() {
        look.cidrs = List.of(SampleCidrs.ready("first", "10.0.0.0/27"), SampleCidrs.ready("second", "10.1.0.0/24"));
        IntStream.rangeClosed(17, 29).forEach(i -> look.ips.put(NetworkInMemory.allocated("10.0.0." + i, "web-" + i)));
        assertThat(told("CapacityLow")).startsWith("False Enough");

        look.ips.put(NetworkInMemory.allocated("10.0.0.30", "web-30"));
        assertThat(told("CapacityLow"))
                .isEqualTo("True DynamicBandFull: 10.0.0.0/27: the dynamic band is full, and any Service may get one of"
                        + " the 16 free addresses of the static band; reserve the addresses that you need"
                        + " with ClusterIPReservations");
        assertThat(bad("CapacityLow")).isTrue();

        look.allocate(16);
        assertThat(told("CapacityLow")).as("none is left to keep").startsWith("False Enough");
    }

    @Test
    void familyThatIsFull_saysWhatToDo() {
        look.cidrs = List.of(SampleCidrs.ready("first", "10.0.0.0/28", "fd00::/124"));
        look.allocate(14);

        assertThat(told("CapacityLow"))
                .isEqualTo("True Full: no IPv4 address is free: no Service that needs one can be created; create"
                        + " another ServiceCIDR, or let Berth do it in time with spec.growth");
        assertThat(told("CapacityLow", growing("10.100.0.0/16")))
                .isEqualTo("True Full: no IPv4 address is free: no Service that needs one can be created; Berth"
                        + " creates another range, unless the condition Growth shows why not");
        assertThat(bad("CapacityLow")).isTrue();
    }

    @Test
    void familyWithoutARangeThatIsReady_isFull_andOneThatHasNoRangeIsNot() {
        look.cidrs = List.of(SampleCidrs.deleted(SampleCidrs.ready("first", "10.0.0.0/28"), NetworkInMemory.START));

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
        look.allocate(4);
        look.history = List.of(new UsageSample(
                NetworkInMemory.START.minus(Duration.ofDays(2)), Map.of("10.0.0.0/28", 0L), Map.of("10.0.0.0/28", 2L)));

        // One per day, and ten are free.
        assertThat(told("CapacityLow"))
                .isEqualTo("True NearlyFull: IPv4: 28 percent in use, 10 free, full on 2026-01-11");
        assertThat(told("CapacityLow", warnings(null, 9))).startsWith("False");
    }

    @Test
    void thatFamilyCannotGrow_isSaidBeforeItNeedsTo_butNobodyHasToLookYet() {
        look.growth =
                List.of(new RangeGrowth.Outcome.Held(IpFamily.IPV4, Reason.NoSpace, "no /24 is free", false, null));

        assertThat(told("Growth")).isEqualTo("False NoSpace: no /24 is free");
        assertThat(bad("Growth")).isFalse();
    }

    @Test
    void growth_saysWhatHoldsIt_beforeWhatItWouldMake_andWhatItMade() {
        ServiceRange range = ServiceRange.parse("10.100.0.0/28");
        RangeGrowth.Outcome created = new RangeGrowth.Outcome.Created(IpFamily.IPV4, "next", range);
        RangeGrowth.Outcome proposed = new RangeGrowth.Outcome.Proposed(IpFamily.IPV4, "next", range);
        RangeGrowth.Outcome held =
                new RangeGrowth.Outcome.Held(IpFamily.IPV6, Reason.Forbidden, "a policy denies it", true, "six");

        look.growth = List.of(SampleLook.enough(IpFamily.IPV4));
        assertThat(told("Growth")).startsWith("True Enough");
        look.growth = List.of(SampleLook.enough(IpFamily.IPV6), created);
        assertThat(told("Growth")).isEqualTo("True RangeCreated: created ServiceCIDR \"next\" of 10.100.0.0/28");
        look.growth = List.of(created, proposed);
        assertThat(told("Growth")).startsWith("False DryRun: would create ServiceCIDR \"next\" of 10.100.0.0/28");
        look.growth = List.of(created, held);
        assertThat(told("Growth"))
                .isEqualTo("False Forbidden: a policy denies it; created ServiceCIDR \"next\" of 10.100.0.0/28");
        assertThat(bad("Growth")).isTrue();
    }

    @Test
    void ofTwoFamilies_bothAreTold_firstTheOneThatNeedsARangeNow() {
        look.growth = List.of(
                new RangeGrowth.Outcome.Held(IpFamily.IPV4, Reason.NoSpace, "no /24 is free", false, null),
                new RangeGrowth.Outcome.Held(IpFamily.IPV6, Reason.InvalidSettings, "prefixLength 56", true, null));

        assertThat(told("Growth")).isEqualTo("False InvalidSettings: prefixLength 56; no /24 is free");
    }

    @Test
    void growthOfNoFamily_isAFault() {
        Spec noFamily = new Spec(null, new ServiceCIDRPolicy.Growth(false, null, null, null));

        assertThat(told("Growth", noFamily))
                .isEqualTo("False InvalidSettings: spec.growth names no family: add ipv4 or ipv6");
        assertThat(told("Growth")).isEmpty();
    }

    @Test
    void retirement_saysWhyNot_elseWhoIsLeft() {
        assertThat(told("Retired")).isEmpty();

        look.retired = List.of(SampleLook.retirement(new Retirement.Verdict.Draining(), 0, Optional.empty()));
        assertThat(told("Retired"))
                .isEqualTo("False RangeDraining: ServiceCIDR \"old\": empty, it is removed in a moment");
        look.retired = List.of(SampleLook.retirement(new Retirement.Verdict.Draining(), 1, Optional.empty()));
        assertThat(told("Retired"))
                .startsWith("False RangeDraining: ServiceCIDR \"old\": 1 address in use, such as 10.0.0.7 of prod/web");
        assertThat(bad("Retired")).isFalse();
        look.retired =
                List.of(SampleLook.retirement(new Retirement.Verdict.Refused("it is the last"), 1, Optional.empty()));
        assertThat(told("Retired")).isEqualTo("False RetirementRefused: it is the last");
        look.retired = List.of(
                SampleLook.retirement(new Retirement.Verdict.Delete(), 1, Optional.of("cannot be deleted: no")));
        assertThat(told("Retired")).isEqualTo("False RetirementRefused: cannot be deleted: no");
        assertThat(bad("Retired")).isTrue();
        look.retired = List.of(
                SampleLook.retirement(new Retirement.Verdict.Draining(), 0, Optional.empty()),
                SampleLook.retirement(new Retirement.Verdict.NoRoom("no room"), 1, Optional.empty()));
        assertThat(told("Retired"))
                .isEqualTo("False RetirementRefused: no room; ServiceCIDR \"old\": empty, it is removed in a moment");
    }

    @Test
    void retirementThatWaitsForRoom_isNothingToLookAt() {
        look.retired = List.of(
                SampleLook.retirement(new Retirement.Verdict.Waiting("waits for the next range"), 1, Optional.empty()));

        assertThat(told("Retired")).isEqualTo("False Waiting: waits for the next range");
        assertThat(bad("Retired")).isFalse();
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
        look.kept = new Reservations(List.of(fine, moving), List.of());
        assertThat(told("Reserved")).startsWith("True Reserved");

        look.kept = new Reservations(
                List.of(
                        fine,
                        reservation("10.0.0.3", new Reservations.State.Taken("prod/web")),
                        reservation("x", new Reservations.State.Refused("x is not an IP address"))),
                List.of());
        assertThat(told("Reserved")).isEqualTo("False NotKept: 10.0.0.3: prod/web has it; x is not an IP address");
        assertThat(bad("Reserved")).isTrue();
    }

    @Test
    void findings_theFirstThreeAreNamed_andTheOthersCounted() {
        look.findings = SampleLook.outOfRange(25);

        assertThat(told("Healthy")).isEqualTo("False ClusterIPOutOfRange: wrong 1; wrong 2; wrong 3; and 22 more");
    }

    @Test
    void policyIsNotReady_whereTheSpecAsksForWhatIsNotDone() {
        assertThat(PolicyConditions.decides(
                        new PolicyConditions.Report("Served", Status.FALSE, Reason.CannotWatch, "", true)))
                .isTrue();
        assertThat(PolicyConditions.decides(
                        new PolicyConditions.Report("Reserved", Status.FALSE, Reason.NotKept, "", true)))
                .isTrue();
        assertThat(PolicyConditions.decides(
                        new PolicyConditions.Report("Growth", Status.FALSE, Reason.InvalidSettings, "", true)))
                .isTrue();
    }

    @Test
    void dryRun_howFullItIs_andWhatTheAuditFinds_leaveThePolicyReady() {
        assertThat(PolicyConditions.decides(
                        new PolicyConditions.Report("Growth", Status.FALSE, Reason.DryRun, "", true)))
                .isFalse();
        assertThat(PolicyConditions.decides(
                        new PolicyConditions.Report("Healthy", Status.FALSE, Reason.BandsConflict, "", true)))
                .isFalse();
        assertThat(PolicyConditions.decides(
                        new PolicyConditions.Report("Retired", Status.FALSE, Reason.RetirementRefused, "", true)))
                .isFalse();
    }
}
