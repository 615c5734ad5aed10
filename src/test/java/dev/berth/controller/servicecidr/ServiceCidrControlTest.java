package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Next;
import dev.berth.controller.SampleParts;
import dev.berth.controller.servicecidr.ServiceCidrControl.Mode;
import dev.berth.ip.Ip;
import dev.berth.kube.Events;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.testing.cluster.Line.Fault;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceCidrControlTest {
    private static final ServiceCidr NEW = SampleCidrs.cidr("web", "10.0.0.0/24");
    private static final ServiceCidr READY = SampleCidrs.ready("web", "10.0.0.0/24");

    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final List<String> warnings = new ArrayList<>();
    private final Events events = new Events() {
        @Override
        public void normal(About about, Reason reason, String message) {
            throw new AssertionError("nothing normal is told: " + message);
        }

        @Override
        public void warning(About about, Reason reason, String message) {
            warnings.add(about.kind() + "/" + about.name() + " " + reason + ": " + message);
        }
    };

    private ServiceCidrControl control(Mode mode) {
        return control(mode, clock);
    }

    private ServiceCidrControl control(Mode mode, InstantSource clock) {
        return new ServiceCidrControl(
                new ServiceCidrControl.Settings(mode, Duration.ofMinutes(1)),
                "networking.k8s.io/v1",
                network,
                events,
                SampleParts.timing(clock, this.clock.steady()));
    }

    /** Deleted long enough ago for every API server to have seen it. */
    private ServiceCidr gone(ServiceCidr cidr) {
        return SampleCidrs.deleted(cidr, clock.instant().minusSeconds(10));
    }

    private static void assertBacksOff(Next next, int failures) {
        Duration full = Duration.ofSeconds(5L << (failures - 1));
        assertThat(next.delay())
                .hasValueSatisfying(delay ->
                        assertThat(delay).isBetween(full.multipliedBy(9).dividedBy(10), full));
    }

    @Test
    void never_doesNothing_andWatchesNothing() {
        network.put(NEW);

        assertThat(control(Mode.Never).reconcile("web")).isEqualTo(Next.ON_EVENT);

        assertThat(network.writes).isEmpty();
        assertThat(network.watched).isFalse();
    }

    @Test
    void always_actsAtOnce_stepByStep() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Always);

        assertThat(control.reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(control.reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(control.reconcile("web")).isEqualTo(Next.ON_EVENT);

        assertThat(network.writes).containsExactly("addFinalizer web", "setReady True web");
        assertThat(network.liveReads).as("marking needs no proof").isZero();
    }

    @Test
    void auto_doesNothingForAMinute_thenAsksLive_andActs() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Auto);

        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(60)));
        clock.passSeconds(59);
        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(1)));
        assertThat(network.writes).isEmpty();
        assertThat(network.liveReads).isZero();

        clock.passSeconds(1);
        control.reconcile("web");

        assertThat(network.liveReads).as("the ServiceCIDRs alone").isEqualTo(1);
        assertThat(network.writes).containsExactly("addFinalizer web");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void auto_waitsForAMinute_alsoIfTheClockIsSet(int hours) {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Auto);
        control.reconcile("web");

        clock.set(Duration.ofHours(hours));
        clock.passSeconds(59);
        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(1)));
        clock.passSeconds(1);
        control.reconcile("web");

        assertThat(network.writes).containsExactly("addFinalizer web");
    }

    @Test
    void auto_doesAllThatWasLeftUndoneForTheSameMinute() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Auto);
        control.reconcile("web");
        clock.passSeconds(60);

        control.reconcile("web");
        control.reconcile("web");

        assertThat(network.writes).containsExactly("addFinalizer web", "setReady True web");
    }

    @Test
    void auto_givesEachNewWorkItsOwnMinute() {
        network.put(NEW);
        network.put(NetworkInMemory.allocated("10.0.0.7", "settled"));
        ServiceCidrControl control = control(Mode.Auto);
        control.reconcile("web");
        clock.passSeconds(60);
        network.put(gone(SampleCidrs.with(NEW, true)));

        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(60)));
        clock.passSeconds(60);
        control.reconcile("web");

        assertThat(network.writes).containsExactly("setReady False web");
    }

    @Test
    void auto_givesAnObjectOfTheSameNameItsOwnMinute() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Auto);
        control.reconcile("web");
        clock.passSeconds(59);
        network.put(SampleCidrs.reborn(NEW));

        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(60)));
    }

    @Test
    void auto_stepsBack_whenSomebodyDidItMeanwhile_andCountsFromZeroAfterwards() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Auto);
        control.reconcile("web");
        clock.passSeconds(30);
        network.put(READY);

        assertThat(control.reconcile("web")).isEqualTo(Next.ON_EVENT);
        clock.passSeconds(30);
        network.put(NEW);
        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(60)));
        assertThat(network.writes).isEmpty();
    }

    @Test
    void auto_stepsBack_whenOnlyTheApiServerKnowsThatItIsDone() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Auto);
        control.reconcile("web");
        network.lag();
        network.put(READY);
        clock.passSeconds(60);

        assertBacksOff(control.reconcile("web"), 1);

        assertThat(network.writes).isEmpty();
        assertThat(warnings).isEmpty();
    }

    @Test
    void auto_actsNot_whenTheApiServerCannotBeAsked() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Auto);
        control.reconcile("web");
        clock.passSeconds(60);
        network.silent = true;

        assertBacksOff(control.reconcile("web"), 1);
        clock.passSeconds(5);
        assertBacksOff(control.reconcile("web"), 2);

        assertThat(network.writes).isEmpty();
        assertThat(warnings)
                .hasSize(2)
                .containsOnly("ServiceCIDR/web KubernetesServiceCIDRError: cannot add its finalizer: the API server"
                        + " cannot be asked before: no route to host");
    }

    /** A timer may fire just before the end of the grace. */
    @Test
    void graceThatEndsInTheMiddleOfALook_isWaitedFor_andTheNextLookGoesOn() {
        network.put(SampleCidrs.deleted(READY, clock.instant()));
        Instant end = clock.instant().plusSeconds(10);
        Iterator<Instant> ticks = List.of(end.minusNanos(1)).iterator();
        InstantSource ticking = () -> ticks.hasNext() ? ticks.next() : end;
        ServiceCidrControl control = control(Mode.Always, ticking);

        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ZERO));
        assertThat(network.writes).isEmpty();
        control.reconcile("web");
        assertThat(network.writes).containsExactly("removeFinalizer web");
    }

    @Test
    void rangeThatIsDeleted_waitsTenSeconds_andItsEndIsDecidedOnLiveReads() {
        network.put(SampleCidrs.deleted(READY, clock.instant()));
        ServiceCidrControl control = control(Mode.Always);

        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(10)));
        assertThat(network.writes).isEmpty();

        clock.passSeconds(10);
        control.reconcile("web");

        assertThat(network.liveReads).isEqualTo(2);
        assertThat(network.writes).containsExactly("removeFinalizer web");
    }

    @Test
    void rangeThatIsDeleted_waitsTenSecondsAtMost_alsoIfTheClockIsSetBack() {
        network.put(SampleCidrs.deleted(READY, clock.instant()));
        ServiceCidrControl control = control(Mode.Always);
        clock.set(Duration.ofHours(-1));

        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(10)));
        clock.passSeconds(9);
        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(1)));
        assertThat(network.writes).isEmpty();
        clock.passSeconds(1);
        control.reconcile("web");

        assertThat(network.writes).containsExactly("removeFinalizer web");
    }

    /** Each grace is for allocators that have not seen another change yet. */
    @Test
    void graceAfterGrace_isWaitedFor_alsoIfTheClockIsSetBack() {
        network.put(SampleCidrs.with(
                SampleCidrs.deleted(READY, clock.instant()), ReadyCondition.AFTER_ANOTHER, clock.instant()));
        ServiceCidrControl control = control(Mode.Always);
        clock.set(Duration.ofHours(-1));

        control.reconcile("web");
        assertThat(network.writes).containsExactly("setReady False web");
        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(10)));
        clock.passSeconds(10);
        assertThat(control.reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(10)));
        clock.passSeconds(10);
        control.reconcile("web");

        assertThat(network.writes).containsExactly("setReady False web", "removeFinalizer web");
    }

    @Test
    void finalizerStays_ifAnAddressAppearedThatTheCacheHasNotHeardOf() {
        network.put(gone(READY));
        network.lag();
        network.put(NetworkInMemory.allocated("10.0.0.7", "late"));
        ServiceCidrControl control = control(Mode.Always);

        assertBacksOff(control.reconcile("web"), 1);

        assertThat(network.writes).isEmpty();
        assertThat(warnings).isEmpty();
    }

    @Test
    void finalizerStays_whileAWatchIsDown() {
        network.put(gone(READY));
        network.interruption = Optional.of("the watch is down");

        assertBacksOff(control(Mode.Always).reconcile("web"), 1);

        assertThat(network.writes).isEmpty();
        assertThat(warnings).singleElement().asString().endsWith("the watch is down");
    }

    @Test
    void finalizerStays_ifTheRangeThatHasItsAddressesIsGoneByNow() {
        network.put(gone(READY));
        network.put(SampleCidrs.ready("heir", "10.0.0.0/16"));
        network.put(NetworkInMemory.allocated("10.0.0.7", "settled"));
        network.lag();
        network.remove("heir");

        control(Mode.Always).reconcile("web");

        assertThat(network.writes).isEmpty();
    }

    @Test
    void finalizerStays_ifTheApiServerCannotBeAsked() {
        network.put(gone(READY));
        network.silent = true;

        assertBacksOff(control(Mode.Always).reconcile("web"), 1);

        assertThat(network.writes).isEmpty();
    }

    @Test
    void rangeWithAddresses_isMarked_andIsAmongThoseThatWait() {
        network.put(gone(READY));
        network.put(NetworkInMemory.allocated("10.0.0.7", "settled"));
        ServiceCidrControl control = control(Mode.Always);

        control.reconcile("web");

        assertThat(network.writes).containsExactly("setReady False web");
        assertThat(network.live("web").map(ServiceCidr::ready)).hasValue(ReadyCondition.TERMINATING);
        assertThat(control.reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(control.terminating()).containsExactly("web");

        network.remove(Ip.parse("10.0.0.7"));
        control.reconcile("web");
        assertThat(network.writes).endsWith("removeFinalizer web");
    }

    @Test
    void failures_backOff_andMakeTheEventThatUpstreamMakes() {
        network.put(NEW);
        network.fault = Fault.REFUSED;
        ServiceCidrControl control = control(Mode.Always);

        assertBacksOff(control.reconcile("web"), 1);
        clock.passSeconds(5);
        assertBacksOff(control.reconcile("web"), 2);
        clock.passSeconds(10);
        assertBacksOff(control.reconcile("web"), 3);

        assertThat(warnings)
                .hasSize(3)
                .containsOnly(
                        "ServiceCIDR/web KubernetesServiceCIDRError: cannot add its finalizer: a policy denies it");
    }

    @Test
    void lostAnswersAndConflicts_areFailures_too() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Always);

        network.fault = Fault.UNKNOWN_NOT_DONE;
        assertBacksOff(control.reconcile("web"), 1);
        network.fault = Fault.CONFLICT;
        clock.passSeconds(5);
        assertBacksOff(control.reconcile("web"), 2);

        assertThat(warnings).hasSize(2);
    }

    @Test
    void success_forgetsTheFailuresBefore() {
        network.put(NEW);
        ServiceCidrControl control = control(Mode.Always);
        network.fault = Fault.UNKNOWN_NOT_DONE;
        control.reconcile("web");
        clock.passSeconds(5);
        network.fault = Fault.NONE;
        control.reconcile("web");

        network.put(NEW);
        network.fault = Fault.UNKNOWN_NOT_DONE;
        assertBacksOff(control.reconcile("web"), 1);
    }

    @Test
    void endThatIsRefused_isNotTriedAgainBeforeItsTime_whateverWakesIt() {
        network.put(gone(READY));
        network.fault = Fault.REFUSED;
        ServiceCidrControl control = control(Mode.Always);

        for (int i = 0; i < 20; i++) {
            assertBacksOff(control.reconcile("web"), 1);
        }
        assertThat(network.writes).containsExactly("removeFinalizer web");
        assertThat(network.liveReads).isEqualTo(2);
        assertThat(warnings).hasSize(1);

        clock.passSeconds(5);
        network.fault = Fault.NONE;
        control.reconcile("web");
        assertThat(network.writes).containsExactly("removeFinalizer web", "removeFinalizer web");
    }

    @Test
    void rangeThatCannotBeRead_isNeverLetGo_andIsSaid() {
        network.put(SampleCidrs.unreadable(gone(READY), "10.0.0.0/24-ish"));
        ServiceCidrControl control = control(Mode.Always);

        assertBacksOff(control.reconcile("web"), 1);

        assertThat(network.writes).isEmpty();
        assertThat(warnings)
                .containsExactly("ServiceCIDR/web KubernetesServiceCIDRError: cannot remove its finalizer:"
                        + " Berth cannot read 10.0.0.0/24-ish");
    }

    @Test
    void whatComesAfterAFailure_isNotHeldUpByIt() {
        network.put(NEW);
        network.fault = Fault.REFUSED;
        ServiceCidrControl control = control(Mode.Always);
        control.reconcile("web");
        network.fault = Fault.NONE;
        network.put(SampleCidrs.with(NEW, true));

        control.reconcile("web");

        assertThat(network.writes).containsExactly("addFinalizer web", "setReady True web");
    }

    @Test
    void anotherObjectOfTheSameName_isNotHeldUpByTheFailuresOfTheFirst() {
        network.put(NEW);
        network.fault = Fault.REFUSED;
        ServiceCidrControl control = control(Mode.Always);
        control.reconcile("web");
        network.put(SampleCidrs.reborn(NEW));

        assertBacksOff(control.reconcile("web"), 1);

        assertThat(network.writes).hasSize(2);
    }

    @Test
    void rangeThatIsGoneByNow_needsNothing() {
        network.put(NEW);
        network.fault = Fault.NOT_FOUND;

        assertThat(control(Mode.Always).reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(warnings).isEmpty();
    }

    @Test
    void addressesThatCannotBeWatched_areTriedAgain_andNothingIsDoneWithoutThem() {
        network.put(NEW);
        network.blind = Optional.of("forbidden");
        ServiceCidrControl control = control(Mode.Always);

        assertBacksOff(control.reconcile("web"), 1);
        assertBacksOff(control.reconcile("web"), 2);
        assertThat(network.writes).isEmpty();

        network.blind = Optional.empty();
        control.reconcile("web");
        assertThat(network.writes).containsExactly("addFinalizer web");
    }
}
