package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.pool.Requester;
import dev.berth.reason.Reason;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The ways of a Service that another controller gave its addresses. */
class TakingOverTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip IP = Ip.parse("192.0.2.1");
    private static final ServiceState SERVICE =
            SampleService.named(WEB, "u1").ingress("192.0.2.1").build();
    private static final AddressRequest REQUEST = new AddressRequest(
            WEB,
            "u1",
            "x/y",
            List.of(IpFamily.IPV4),
            true,
            new Requester(List.of(), Map.of(), Map.of()),
            new AddressConstraints(List.of(IP), List.of(), new Sharing("dns", "", List.of()), false),
            List.of(),
            QueuePosition.FIRST);
    private static final Claim SHARED =
            new Claim(IP, "c1", "5", ClaimSpec.of("pool", "x/y", new Owner(new ServiceKey("prod", "dns"), "u2")));
    private static final ServiceFailure DENIED =
            new ServiceFailure("joining 192.0.2.1", Reason.ClaimFailed, "denied", new Attempt.TakeOver(REQUEST));

    private List<Step.Skipping> steps = List.of();
    private Waits waits = Waits.NONE;

    private ServicePlan.Adopt plan() {
        return new ServicePlan.Adopt(SERVICE, "edge", REQUEST, steps);
    }

    private Way<TakeOverEffect> way() {
        return Way.of(facts -> TakingOver.next(plan(), situation(), facts));
    }

    private ObservedState situation() {
        return new ObservedState(
                false,
                List.of(),
                PoolSet.of(List.of(), List.of()),
                ProviderState.nothing(),
                waits,
                Optional.empty(),
                Instant.EPOCH);
    }

    private static Outcome.NotHeld refused(RefusalReason reason) {
        return new Outcome.NotHeld(
                List.of(new Refusal("pool", IpFamily.IPV4, reason, "", BigInteger.ZERO, BigInteger.TEN)));
    }

    private ServicePlan.Skip skip(Outcome.NotHeld refused) {
        return TakingOver.skipped(plan(), Facts.NONE.with(refused)).orElseThrow();
    }

    @Test
    void serviceWhoseAddressesAreHeld_isPlannedAgain_asOurOwn() {
        way().then(new TakeOverEffect.Hold(REQUEST), new Outcome.Held(List.of()))
                .ends(new TerminalEffect.PlanAgain(false));
    }

    @Test
    void addressThatOthersShare_isJoinedFirst() {
        way().then(new TakeOverEffect.Hold(REQUEST), new Outcome.Held(List.of(SHARED, SHARED)))
                .then(new TakeOverEffect.Join(0, SHARED, REQUEST.joining(SHARED), REQUEST), new Outcome.StepsDone(1))
                .then(new TakeOverEffect.Join(1, SHARED, REQUEST.joining(SHARED), REQUEST), new Outcome.StepsDone(2))
                .ends(new TerminalEffect.PlanAgain(false));
    }

    @Test
    void joinThatFails_isSaid() {
        way().then(new TakeOverEffect.Hold(REQUEST), new Outcome.Held(List.of(SHARED)))
                .then(
                        new TakeOverEffect.Join(0, SHARED, REQUEST.joining(SHARED), REQUEST),
                        new Outcome.StepsDone(1),
                        new Outcome.Failed(DENIED))
                .ends(new TerminalEffect.Fail(DENIED, false, Optional.empty()));
    }

    @Test
    void joinThatFailed_isNotTriedAgainBeforeItsTime() {
        waits = new Waits(List.of(new Waits.Waiting(
                new Attempt.TakeOver(REQUEST),
                new Postponed(new Postponed.Why.Failed(DENIED), Duration.ofSeconds(5)))));

        way().ends(new TerminalEffect.Wait(Duration.ofSeconds(5)));
    }

    @Test
    void serviceThatCannotHaveAllOfThem_leavesTheQueue_isReported_andLookedAtAgain() {
        Outcome.NotHeld refused = refused(RefusalReason.NOT_ITS_ADDRESS);

        way().then(new TakeOverEffect.Hold(REQUEST), refused)
                .then(new SkippingEffect.StopWaiting(), new Outcome.Did(Done.QUEUE_LEFT))
                .then(new SkippingEffect.Report(skip(refused)), new Outcome.Did(Done.REPORTED))
                .ends(new TerminalEffect.Wait(Duration.ofMinutes(1)));
        assertThat(skip(refused).reason()).isEqualTo(Reason.ServedByOtherController);
        assertThat(Skipping.skipped(plan(), Facts.NONE.with(refused))).contains(skip(refused));
    }

    @Test
    void serviceWhoseAddressIsJustBeingClaimedForBoth_isLookedAtSoon_andSaysNothing() {
        way().then(new TakeOverEffect.Hold(REQUEST), refused(RefusalReason.SHARED_SOON))
                .ends(new TerminalEffect.Wait(Duration.ofSeconds(1)));
        assertThat(TakingOver.skipped(plan(), Facts.NONE.with(refused(RefusalReason.SHARED_SOON))))
                .isEmpty();
    }
}
