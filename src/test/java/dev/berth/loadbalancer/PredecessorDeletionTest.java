package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcements;
import dev.berth.claim.AddressConstraints;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.ProviderState.Made;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The ways of what was made for another Service of the same name. */
class PredecessorDeletionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ServedClass EDGE = SampleClasses.one(
                    "x/y", "edge", Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS)
            .served()
            .getFirst();
    private static final LoadBalancerRequest REQUEST = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "web", "u0"), IpMode.VIP)
            .build();
    private static final ServiceFailure FAILED =
            PredecessorDeletion.stays(new Made(REQUEST, EDGE), "denied").after(Optional.of(Duration.ofMinutes(9)));
    private static final ServiceState SERVICE =
            SampleService.named(new ServiceKey("prod", "web"), "u1").build();
    private static final ServicePlan SERVE =
            new ServicePlan.Serve(SERVICE, EDGE, AddressConstraints.NONE, List.of(), false);
    private static final ServicePlan GONE =
            new ServicePlan.TearDown("it is gone", List.of(new Step.Release(List.of(Ip.parse("192.0.2.1")))));
    private static final PredecessorEffect TURN = new PredecessorEffect.TakeTurn(EDGE, REQUEST);
    private static final PredecessorEffect DELETE = new PredecessorEffect.Delete(EDGE, REQUEST);

    private boolean live = true;
    private boolean queued;
    private ProviderState provider = ProviderState.nothing().asks(REQUEST, EDGE);
    private Optional<ServiceFailure> before = Optional.empty();

    private ObservedState situation() {
        return new ObservedState(
                live,
                List.of(),
                PoolSet.of(List.of(), List.of()),
                provider,
                NamedLoadBalancer.NONE,
                before.map(what -> new Waits(List.of(new Waits.Waiting(
                                new Attempt.Call(REQUEST),
                                new Postponed(new Postponed.Why.Failed(what), Duration.ofSeconds(5))))))
                        .orElse(Waits.NONE),
                Optional.empty(),
                Announcements.NONE,
                SinceLook.nothing(List.of()),
                List.of(),
                queued,
                NOW);
    }

    private Way<Optional<PredecessorEffect>> way(ServicePlan plan) {
        Optional<ServiceState> service = plan.equals(GONE) ? Optional.empty() : Optional.of(SERVICE);
        return Way.of(facts -> PredecessorDeletion.next(plan, service, situation(), facts));
    }

    private static Optional<PredecessorEffect> next(PredecessorEffect effect) {
        return Optional.of(effect);
    }

    private static Optional<PredecessorEffect> sayWhy(ServiceFailure what) {
        return Optional.of(new PredecessorEffect.SayWhy(
                SERVICE,
                what,
                Optional.of(new Publication(
                                false,
                                null,
                                List.of(new Condition(
                                        WellKnownNames.ADDRESS_ASSIGNED,
                                        Condition.Status.FALSE,
                                        "PredecessorNotDeleted",
                                        what.message(),
                                        NOW)))
                        .differenceFrom(SERVICE)
                        .orElseThrow()),
                false));
    }

    @Test
    void whatWasMadeForAnother_isDeleted_beforeTheServicesOwnPlan() {
        way(SERVE)
                .then(next(TURN), new Outcome.TurnTaken())
                .then(next(DELETE), new Outcome.Called(), new Outcome.Did(Done.PREDECESSOR_DELETED))
                .ends(Optional.empty());
    }

    @Test
    void whatWasMadeForOneThatIsGone_isDeletedOutsideOfPasses_unlessItHoldsAddresses() {
        Holding its = new Holding(
                Ip.parse("192.0.2.1"),
                Holding.State.HELD,
                ClaimSpec.of("pool", "x/y", new Owner(new ServiceKey("prod", "web"), "u0")),
                null);

        assertThat(PredecessorDeletion.ofGone(provider, List.of())).contains(new Made(REQUEST, EDGE));
        assertThat(PredecessorDeletion.ofGone(provider, List.of(its))).isEmpty();
        assertThat(PredecessorDeletion.ofGone(ProviderState.nothing(), List.of()))
                .isEmpty();
    }

    private static ServedClass edgeInZone(String zone) {
        return new ServedClass(
                EDGE.name(),
                EDGE.value(),
                EDGE.provider(),
                EDGE.capabilities(),
                Map.of("zone", zone),
                EDGE.pools(),
                EDGE.ipMode(),
                EDGE.healthCheck(),
                EDGE.releasesNodePorts(),
                EDGE.refusesUnenforcedSourceRanges());
    }

    @Test
    void whatWasMadeAsItsClassSaidBeforeItWasCreatedAgain_isDeletedSo_beforeTheServicesOwnPlan() {
        ServedClass otherProvider = SampleClasses.one(
                        "x/y", "other", Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS)
                .served()
                .getFirst();
        LoadBalancerRequest own = LoadBalancerRequest.builder("c", new ServiceIdentity("prod", "web", "u1"), IpMode.VIP)
                .build();
        provider = ProviderState.nothing().asks(own, EDGE);

        for (ServedClass recreated : List.of(otherProvider, edgeInZone("b"))) {
            for (ServicePlan plan : List.of(
                    new ServicePlan.Serve(SERVICE, recreated, AddressConstraints.NONE, List.of(), false),
                    new ServicePlan.TearDown("deleted", List.of(new Step.DeleteLoadBalancer(recreated))))) {
                way(plan)
                        .then(next(new PredecessorEffect.TakeTurn(EDGE, own)), new Outcome.TurnTaken())
                        .then(
                                next(new PredecessorEffect.Delete(EDGE, own)),
                                new Outcome.Called(),
                                new Outcome.Did(Done.PREDECESSOR_DELETED))
                        .ends(Optional.empty());
            }
        }
        way(SERVE).ends(Optional.empty());
        way(new ServicePlan.TearDown("deleted", List.of(new Step.DeleteLoadBalancer(EDGE))))
                .ends(Optional.empty());
    }

    /** Those behind it would wait until the provider of another Service can be called. */
    @Test
    void serviceThatWaitsForAnAddress_leavesTheQueue_ifItsPredecessorCannotBeDeletedNow() {
        before = Optional.of(FAILED);
        queued = true;

        assertThat(PredecessorDeletion.next(SERVE, Optional.of(SERVICE), situation(), Facts.NONE))
                .contains(new PredecessorEffect.StopWaiting());
    }

    @Test
    void serviceWithNoPredecessor_hasItsOwnPlanCarriedOut() {
        provider = ProviderState.nothing();

        way(SERVE).ends(Optional.empty());
    }

    @Test
    void nothingIsDeleted_beforeALiveRead() {
        live = false;

        way(SERVE).then(next(TURN), new Outcome.TurnTaken()).ends(next(new TerminalEffect.PlanAgain(true)));
    }

    @Test
    void deletionThatFails_isSaidOnTheServiceThatWaitsForIt_andTriedAgain() {
        way(SERVE)
                .then(next(TURN), new Outcome.TurnTaken())
                .then(next(DELETE), new Outcome.Called(), new Outcome.Failed(FAILED))
                .then(sayWhy(FAILED), new Outcome.Did(Done.STATUS_WRITTEN))
                .ends(next(new TerminalEffect.Fail(FAILED, false, Optional.empty())));
    }

    @Test
    void serviceThatIsNoneOfOurBusiness_isNotWritten() {
        way(new ServicePlan.NotOurs(List.of()))
                .then(next(TURN), new Outcome.TurnTaken())
                .then(next(DELETE), new Outcome.Called(), new Outcome.Failed(FAILED))
                .ends(next(new TerminalEffect.Fail(FAILED, false, Optional.empty())));
    }

    @Test
    void whatFailedBefore_waitsForItsTime_alsoWhereAnEarlierCallStillHoldsItUp() {
        before = Optional.of(FAILED);
        way(SERVE).ends(next(new TerminalEffect.Wait(Duration.ofSeconds(5))));

        before = Optional.of(FAILED.heldUpByEarlierCall());
        way(SERVE)
                .then(next(TURN), new Outcome.Stuck("an earlier call has not returned yet"))
                .ends(next(new TerminalEffect.Wait(Duration.ofSeconds(5))));
    }

    @Test
    void providerThatCannotBeCalled_isSaid_andOneThatIsBusyIsWaitedFor() {
        ServiceFailure stuck =
                PredecessorDeletion.stays(new Made(REQUEST, EDGE), "stuck").heldUpByEarlierCall();
        way(SERVE)
                .then(next(TURN), new Outcome.Stuck("stuck"))
                .then(sayWhy(stuck), new Outcome.Did(Done.STATUS_WRITTEN))
                .ends(next(new TerminalEffect.Fail(stuck, false, Optional.empty())));
        way(SERVE).then(next(TURN), new Outcome.InLine()).ends(next(new TerminalEffect.Wait(Duration.ofMinutes(1))));
    }

    @Test
    void failureForOneThatIsGone_isRemembered_andWhatItHoldsIsReleasedByItsOwnPlan_whichTriesAgain() {
        before = Optional.of(FAILED);

        way(GONE)
                .then(next(TURN), new Outcome.TurnTaken())
                .then(next(DELETE), new Outcome.Called(), new Outcome.Failed(FAILED))
                .then(
                        next(new PredecessorEffect.Remember(FAILED)),
                        new Outcome.Did(Done.FAILURE_REMEMBERED),
                        new Outcome.LookAgain(Duration.ofMinutes(9)))
                .ends(Optional.empty());
        way(GONE).then(next(TURN), new Outcome.InLine()).ends(Optional.empty());
    }
}
