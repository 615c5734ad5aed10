package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.FamilyGrowth;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Spec;
import dev.berth.controller.Backoff;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.Growth;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.testing.cluster.Line.Fault;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RangeGrowthTest {
    private static final String NEXT = "berth-10.100.0.0-28";
    private static final RangeGrowth.Outcome CREATED =
            new RangeGrowth.Outcome.Created(IpFamily.IPV4, NEXT, ServiceRange.parse("10.100.0.0/28"));

    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final List<ExcludedNetwork> taken = new ArrayList<>();
    private final RangeGrowth growth = new RangeGrowth(network, () -> taken, new Backoff(new Random(1)), clock);

    /** One range of six addresses, and all are in use. */
    @BeforeEach
    void fill() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/29"));
        for (int i = 1; i <= 6; i++) {
            network.put(NetworkInMemory.allocated("10.0.0." + i, "full-" + i));
        }
    }

    private static Spec spec(@Nullable Boolean dryRun, List<String> excluded) {
        FamilyGrowth ipv4 = new FamilyGrowth(List.of("10.100.0.0/24"), 28, null, null);
        return new Spec(null, new ServiceCIDRPolicy.Growth(dryRun, ipv4, null, excluded));
    }

    private static Spec forReal() {
        return spec(false, List.of("10.244.0.0/16"));
    }

    private List<RangeGrowth.Outcome> grow(Spec spec) {
        return growth.grow(spec, network.serviceCidrs());
    }

    private RangeGrowth.Outcome.Held held(Spec spec) {
        return (RangeGrowth.Outcome.Held) grow(spec).getFirst();
    }

    @Test
    void withoutGrowth_nothingGrows() {
        assertThat(grow(new Spec(null, null))).isEmpty();
        assertThat(network.writes).isEmpty();
    }

    private static Growth.Next next(String name, String range) {
        return new Growth.Next(name, ServiceRange.parse(range));
    }

    @Test
    void whileThereIsEnough_theNextRangeIsKnown_andItIsAskedOnceAMinuteWhatIsInItsWay() {
        AtomicInteger asked = new AtomicInteger();
        RangeGrowth counted = new RangeGrowth(
                network,
                () -> {
                    asked.incrementAndGet();
                    return taken;
                },
                new Backoff(new Random(1)),
                clock);
        network.put(SampleCidrs.ready("second", "10.1.0.0/24"));

        for (int i = 1; i <= 9; i++) {
            network.put(NetworkInMemory.allocated("10.1.0." + i, "more-" + i));
            assertThat(counted.grow(forReal(), network.serviceCidrs()))
                    .singleElement()
                    .isEqualTo(new RangeGrowth.Outcome.Enough(
                            IpFamily.IPV4, (6 + i) * 100 / 260, next(NEXT, "10.100.0.0/28")));
        }
        assertThat(asked).as("nine Services came").hasValue(1);

        clock.passSeconds(60);
        taken.add(new ExcludedNetwork("Node \"a\"", IpRange.parse("10.100.0.1")));
        assertThat(counted.grow(forReal(), network.serviceCidrs()))
                .containsExactly(new RangeGrowth.Outcome.Enough(
                        IpFamily.IPV4, 5, next("berth-10.100.0.16-28", "10.100.0.16/28")));
        assertThat(asked).as("a minute later").hasValue(2);

        network.put(SampleCidrs.ready("third", "10.100.0.16/28"));
        assertThat(counted.grow(forReal(), network.serviceCidrs()))
                .as("another range is there")
                .containsExactly(new RangeGrowth.Outcome.Enough(
                        IpFamily.IPV4, 5, next("berth-10.100.0.32-28", "10.100.0.32/28")));
    }

    @Test
    void whatCameInTheWayMeanwhile_isSeenBeforeTheRangeIsMade() {
        grow(spec(true, List.of()));
        taken.add(new ExcludedNetwork("Node \"a\"", IpRange.parse("10.100.0.1")));

        assertThat(grow(forReal()))
                .containsExactly(new RangeGrowth.Outcome.Created(
                        IpFamily.IPV4, "berth-10.100.0.16-28", ServiceRange.parse("10.100.0.16/28")));
    }

    /** A Node, an AddressPool, a published address or an API server may have come a moment ago. */
    @Test
    void whatTheCacheHasNotHeardOf_isListedBeforeTheRangeIsMade() {
        network.taken.add(new ExcludedNetwork("AddressPool \"edge\"", IpRange.parse("10.100.0.8-10.100.0.20")));

        assertThat(grow(forReal()))
                .containsExactly(new RangeGrowth.Outcome.Created(
                        IpFamily.IPV4, "berth-10.100.0.32-28", ServiceRange.parse("10.100.0.32/28")));
    }

    @Test
    void rangeThatTheCacheHasNotHeardOf_isSeenBeforeAnotherIsMade() {
        network.lag();
        network.put(SampleCidrs.ready("by-hand", "10.100.0.0/24"));

        assertThat(held(forReal()).reason()).isEqualTo(Reason.NoSpace);
        network.put(SampleCidrs.ready("by-hand", "10.50.0.0/24"));
        assertThat(grow(forReal())).hasOnlyElementsOfType(RangeGrowth.Outcome.Enough.class);
        assertThat(network.writes).isEmpty();
    }

    @Test
    void addressThatTheCacheHasNotHeardGiven_isSeenBeforeARangeIsMade() {
        network.lag();
        network.remove(Ip.parse("10.0.0.1"));
        network.remove(Ip.parse("10.0.0.2"));

        assertThat(grow(forReal())).hasOnlyElementsOfType(RangeGrowth.Outcome.Enough.class);
        assertThat(network.writes).isEmpty();
    }

    @Test
    void withoutAnAnswerOfTheApiServer_noRangeIsMade_andItIsTriedAgain() {
        network.silent = true;

        assertThat(held(forReal()).message()).contains(NEXT, "cannot be asked before", "no route to host");
        assertThat(network.writes).isEmpty();
        clock.passSeconds(5);
        network.silent = false;
        assertThat(grow(forReal())).containsExactly(CREATED);
    }

    @Test
    void withoutANetworkToAvoid_noRangeIsMade_asNodesNeedNotSayWherePodsAre() {
        RangeGrowth.Outcome.Held held = held(spec(false, List.of()));

        assertThat(held.reason()).isEqualTo(Reason.InvalidSettings);
        assertThat(held.message()).contains("spec.growth.excluded is empty", "Pods");
        assertThat(network.writes).isEmpty();
        assertThat(growth.room(IpFamily.IPV4)).isZero();
    }

    @Test
    void whereAPodIs_noRangeIsMade() {
        network.pods.add(new ExcludedNetwork("Pod \"prod/web\"", IpRange.parse("10.100.0.9")));
        network.pods.add(new ExcludedNetwork("Pod \"prod/elsewhere\"", IpRange.parse("10.99.0.9")));

        assertThat(grow(forReal()))
                .containsExactly(new RangeGrowth.Outcome.Created(
                        IpFamily.IPV4, "berth-10.100.0.16-28", ServiceRange.parse("10.100.0.16/28")));
    }

    @Test
    void whileAWatchIsDown_noRangeIsMade() {
        network.interruption = Optional.of("the watch is down");

        assertThat(held(forReal()).message()).endsWith("the watch is down");
        assertThat(network.writes).isEmpty();
    }

    @Test
    void dryRun_makesNothing_andIsTheDefault() {
        RangeGrowth.Outcome proposed =
                new RangeGrowth.Outcome.Proposed(IpFamily.IPV4, NEXT, ServiceRange.parse("10.100.0.0/28"));

        assertThat(grow(spec(true, List.of()))).containsExactly(proposed);
        assertThat(grow(spec(null, List.of()))).containsExactly(proposed);
        assertThat(network.writes).isEmpty();
    }

    @Test
    void withoutDryRun_theNextRangeIsMade_once() {
        assertThat(grow(forReal())).containsExactly(CREATED);
        assertThat(grow(forReal()))
                .containsExactly(new RangeGrowth.Outcome.Enough(
                        IpFamily.IPV4, 30, next("berth-10.100.0.16-28", "10.100.0.16/28")));
        assertThat(network.writes).containsExactly("create " + NEXT);
    }

    @Test
    void rangeThatSomebodyDeletesAtOnce_isMadeAgainAMinuteLater_notAtEachLook() {
        assertThat(grow(forReal())).containsExactly(CREATED);
        grow(forReal());
        network.remove(NEXT);

        for (int i = 0; i < 5; i++) {
            assertThat(held(forReal()).message())
                    .startsWith("somebody has deleted ServiceCIDR \"" + NEXT
                            + "\", which was created less than 60 s ago; after that it is recreated, if it is"
                            + " still needed");
        }
        assertThat(network.writes).containsExactly("create " + NEXT);

        clock.passSeconds(60);
        assertThat(grow(forReal())).containsExactly(CREATED);
    }

    @Test
    void whatMayComeStill_isRoom_unlessItIsADryRun_orCannotBeMade() {
        BigInteger four = BigInteger.valueOf(4 * 14);

        grow(spec(true, List.of()));
        assertThat(growth.room(IpFamily.IPV4)).as("dry run").isZero();
        network.fault = Fault.REFUSED;
        grow(forReal());
        assertThat(growth.room(IpFamily.IPV4)).as("forbidden").isZero();
        clock.passSeconds(5);
        network.fault = Fault.NONE;
        grow(forReal());
        assertThat(growth.room(IpFamily.IPV4)).as("with the one just made").isEqualTo(four);
        grow(forReal());
        assertThat(growth.room(IpFamily.IPV4)).isEqualTo(BigInteger.valueOf(3 * 14));
        assertThat(growth.room(IpFamily.IPV6)).as("IPv6 does not grow").isZero();
        grow(new Spec(null, null));
        assertThat(growth.room(IpFamily.IPV4)).as("nothing grows").isZero();
    }

    @Test
    void rangeThatExistsAlready_countsAsMade_andIsNoFailure() {
        network.fault = Fault.CONFLICT;

        assertThat(grow(forReal())).containsExactly(CREATED);
        assertThat(growth.again()).isEmpty();
    }

    @Test
    void rangeThatIsMadeAfterAFailure_leavesNothingToTryAgain() {
        network.fault = Fault.UNKNOWN_NOT_DONE;
        grow(forReal());
        clock.passSeconds(5);
        network.fault = Fault.CONFLICT;

        assertThat(grow(forReal())).containsExactly(CREATED);
        assertThat(growth.again()).isEmpty();
    }

    @Test
    void whatAPolicyForbids_isHeld_withItsMessage_andNotTriedAgainBeforeItsTime() {
        network.fault = Fault.REFUSED;

        RangeGrowth.Outcome.Held held = held(forReal());

        assertThat(held.reason()).isEqualTo(Reason.Forbidden);
        assertThat(held.message())
                .isEqualTo("cannot make ServiceCIDR \"" + NEXT + "\" of 10.100.0.0/28: a policy denies it");
        assertThat(held(forReal())).isEqualTo(held);
        assertThat(network.writes).hasSize(1);
        assertThat(growth.again())
                .hasValueSatisfying(again -> assertThat(again)
                        .isBetween(
                                clock.instant().plusMillis(4_500),
                                clock.instant().plusSeconds(5)));

        clock.pass(Duration.between(clock.instant(), growth.again().orElseThrow()));
        network.fault = Fault.NONE;
        assertThat(grow(forReal())).containsExactly(CREATED);
        assertThat(growth.again()).isEmpty();
    }

    @Test
    void triesBackOff_aslongAsItIsForbidden() {
        network.fault = Fault.REFUSED;
        grow(forReal());
        clock.passSeconds(5);
        grow(forReal());

        assertThat(network.writes).hasSize(2);
        assertThat(growth.again())
                .hasValueSatisfying(again -> assertThat(again)
                        .isBetween(
                                clock.instant().plusSeconds(9), clock.instant().plusSeconds(10)));
    }

    @Test
    void lostAnswer_isHeldAsFailed() {
        network.fault = Fault.UNKNOWN_NOT_DONE;

        assertThat(held(forReal()).reason()).isEqualTo(Reason.RangeCreationFailed);
    }

    @Test
    void whatIsWantedNoLonger_isNotTriedAgain() {
        network.fault = Fault.REFUSED;
        grow(forReal());
        assertThat(growth.again()).isPresent();

        grow(spec(true, List.of()));
        assertThat(growth.again()).as("dry run").isEmpty();

        grow(forReal());
        grow(new Spec(null, null));
        assertThat(growth.again()).as("no growth").isEmpty();
    }

    @Test
    void rangesOfOthers_areNeverOverlapped() {
        taken.add(new ExcludedNetwork("Node \"a\" (podCIDR)", IpRange.parse("10.100.0.0/27")));
        network.put(SampleCidrs.ready("by-hand", "10.100.0.32/30"));
        for (int i = 33; i <= 34; i++) {
            network.put(NetworkInMemory.allocated("10.100.0." + i, "by-hand-" + i));
        }

        assertThat(grow(spec(false, List.of("10.100.0.48/28"))))
                .containsExactly(new RangeGrowth.Outcome.Created(
                        IpFamily.IPV4, "berth-10.100.0.64-28", ServiceRange.parse("10.100.0.64/28")));
    }

    @Test
    void networkToAvoid_thatIsNone_holdsGrowth() {
        RangeGrowth.Outcome.Held held = held(spec(false, List.of("10.0.0.0/33")));

        assertThat(held.reason()).isEqualTo(Reason.InvalidSettings);
        assertThat(held.message()).contains("spec.growth.excluded", "10.0.0.0/33");
        assertThat(network.writes).isEmpty();
    }
}
