package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcements;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The ways of a Service that is served no longer: the effects, in order. */
class TearingDownTest {
    private static final ServedClass EDGE = served("edge", false);
    private static final ServedClass CORE = served("core", false);
    private static final ServedClass POOL = served("pool", true);
    private static final Step.Clear CLEAR = new Step.Clear(List.of());
    private static final Step.Release RELEASE = new Step.Release(List.of(Ip.parse("192.0.2.1")));

    private Optional<ServiceState> service = Optional.of(SampleService.named(new ServiceKey("prod", "web"), "u1")
            .finalizer(WellKnownNames.FINALIZER)
            .ingress("192.0.2.1")
            .deleting(true)
            .build());
    private boolean queued;
    private boolean live = true;
    private Optional<ServiceFailure> before = Optional.empty();
    private Outcome turn = new Outcome.TurnTaken();
    private Outcome cleared = new Outcome.Did(Done.CLEARED);
    private ProviderState provider = ProviderState.nothing();
    private List<Holding> holdings = List.of(held("192.0.2.1"));

    /** Whether this pass has written the Service. */
    private boolean wroteService;

    /** Whether an address cannot be released. */
    private boolean isLeft;

    private static Holding held(String ip) {
        return new Holding(
                Ip.parse(ip),
                Holding.State.HELD,
                ClaimSpec.of("pool", "x/edge", new Owner(new ServiceKey("prod", "web"), "u1")),
                null);
    }

    private static ServedClass served(String name, boolean immediate) {
        return SampleClasses.one(
                        "x/" + name,
                        name,
                        Capabilities.fromPools(IpMode.VIP).withImmediate(immediate),
                        null,
                        Classless.ALWAYS)
                .served()
                .getFirst();
    }

    private List<String> way(Step.TearingDown... steps) {
        ServicePlan.TearDown down = new ServicePlan.TearDown("it is being deleted", List.of(steps));
        List<String> way = new ArrayList<>();
        Facts facts = Facts.NONE;
        wroteService = false;
        for (int effects = 0; effects < 20; effects++) {
            TearDownEffect effect = TearingDown.next(down, service, known(down), facts);
            way.add(name(effect));
            if (effect instanceof TearDownEffect.Delete delete) {
                provider = provider.deleted(delete.request().service(), delete.by());
            }
            Optional<Outcome> came = switch (effect) {
                case TearDownEffect.TakeTurn taken -> Optional.of(turn);
                case TearDownEffect.StopWaiting stop -> {
                    queued = false;
                    yield Optional.of(new Outcome.Did(Done.QUEUE_LEFT));
                }
                case TearDownEffect.Delete delete -> Optional.of(new Outcome.Called());
                case TearDownEffect.Clear clear -> Optional.of(cleared);
                case SayReleasing say -> Optional.of(new Outcome.Did(Done.RELEASING_SAID));
                case TearDownEffect.Release(Leaving address) ->
                    Optional.of(new Outcome.ReleaseTried(address.ip(), isLeft));
                case DrawDelay draw -> Optional.of(new Outcome.DelayDrawn(draw.of(), Duration.ofSeconds(5)));
                case TearDownEffect.LookAgain again -> Optional.empty();
                case TearDownEffect.Finish finish -> Optional.empty();
                case TerminalEffect ending -> Optional.empty();
            };
            if (came.isEmpty()) {
                return way;
            }
            wroteService |= came.get().equals(new Outcome.Did(Done.CLEARED)) || effect instanceof SayReleasing;
            facts = facts.with(came.get());
        }
        throw new AssertionError("no end: " + way);
    }

    private TearingDown.Known known(ServicePlan.TearDown down) {
        ServiceIdentity web = new ServiceIdentity("prod", "web", "u1");
        return new TearingDown.Known(
                new ServiceKey("prod", "web"),
                new ObservedState(
                        live,
                        holdings,
                        PoolSet.of(List.of(), List.of()),
                        provider,
                        NamedLoadBalancer.NONE,
                        before.map(what -> new Waits(List.of(new Waits.Waiting(
                                        down.attempt(),
                                        new Postponed(new Postponed.Why.Failed(what), Duration.ofSeconds(5))))))
                                .orElse(Waits.NONE),
                        Optional.empty(),
                        Announcements.NONE,
                        new SinceLook(
                                List.of(),
                                List.of(),
                                Optional.empty(),
                                wroteService ? Optional.of(List.of()) : Optional.empty(),
                                List.of()),
                        List.of(),
                        queued,
                        Instant.EPOCH),
                down.deletes().stream()
                        .map(ServedClass::value)
                        .distinct()
                        .collect(Collectors.toMap(
                                value -> value,
                                value -> LoadBalancerRequest.builder("c", web, IpMode.VIP)
                                        .build())));
    }

    private static String name(TearDownEffect effect) {
        return switch (effect) {
            case TearDownEffect.TakeTurn taken -> "TakeTurn " + taken.by().name();
            case TearDownEffect.Delete delete -> "Delete " + delete.by().name();
            case TerminalEffect.Wait(Duration delay) -> "Wait" + delay;
            case TerminalEffect.PlanAgain(boolean isLive) -> isLive ? "ReadLive" : "PlanAgain";
            case TerminalEffect.Fail(ServiceFailure what, boolean losesTurn, Optional<Duration> again) ->
                "Fail " + what.message();
            case TearDownEffect.Finish(boolean forgets, boolean planAgain) ->
                "Finish" + (forgets ? ", forgets" : "") + (planAgain ? ", plans again" : "");
            default -> effect.getClass().getSimpleName();
        };
    }

    @Test
    void eachProviderDeletes_beforeTheStatusIsCleared_andTheAddressIsReleasedLast() {
        assertThat(way(new Step.DeleteLoadBalancer(EDGE), new Step.DeleteLoadBalancer(CORE), CLEAR, RELEASE))
                .containsExactly(
                        "TakeTurn edge",
                        "StopWaiting",
                        "Delete edge",
                        "TakeTurn core",
                        "Delete core",
                        "Clear",
                        "Release",
                        "Finish");
    }

    @Test
    void whatAProviderDeletes_isOfTheServiceAsItWasPlannedFor() {
        ServicePlan.TearDown down =
                new ServicePlan.TearDown("it is being deleted", List.of(new Step.DeleteLoadBalancer(EDGE), CLEAR));

        TearDownEffect effect = TearingDown.next(
                down, service, known(down), Facts.NONE.with(new Outcome.TurnTaken(), new Outcome.Did(Done.QUEUE_LEFT)));

        assertThat(effect)
                .isInstanceOfSatisfying(
                        TearDownEffect.Delete.class,
                        delete -> assertThat(delete.service()).isEqualTo(service.orElseThrow()));
    }

    @Test
    void providerThatHasDeleted_isNotAskedAgain() {
        ServiceIdentity web = new ServiceIdentity("prod", "web", "u1");
        provider = provider.deletes(web, EDGE).deleted(web, EDGE);

        assertThat(way(new Step.DeleteLoadBalancer(EDGE), new Step.DeleteLoadBalancer(CORE), CLEAR))
                .doesNotContain("Delete edge")
                .contains("Delete core");
    }

    @Test
    void providerOutsideTheProcess_deletesOnlyAfterALiveRead_inItsTurn() {
        live = false;

        assertThat(way(new Step.DeleteLoadBalancer(EDGE), CLEAR)).containsExactly("TakeTurn edge", "ReadLive");
        assertThat(way(new Step.DeleteLoadBalancer(POOL), CLEAR)).endsWith("Delete pool", "Clear", "Finish");
    }

    @Test
    void whatFailed_waitsForItsTime() {
        before = Optional.of(
                new ServiceFailure("clearing", Reason.ClearFailed, "denied", new Attempt.TearDown(List.of())));

        assertThat(way(CLEAR, RELEASE)).containsExactly("WaitPT5S");
        assertThat(way(new Step.DeleteLoadBalancer(EDGE), CLEAR)).containsExactly("WaitPT5S");
    }

    @Test
    void whatFailedWhileAServiceWasThere_doesNotHoldUpWhatIsLeftOfIt_forNoTimerOfItComes() {
        before = Optional.of(
                new ServiceFailure("clearing", Reason.ClearFailed, "denied", new Attempt.TearDown(List.of())));
        service = Optional.empty();

        assertThat(way(RELEASE)).containsExactly("StopWaiting", "Release", "Finish");
    }

    @Test
    void whatAnEarlierCallHeldUp_takesItsTurn_andWaitsIfThatHasNotReturned() {
        before = Optional.of(
                new ServiceFailure("deleting", Reason.DeleteFailed, "stuck", new Attempt.TearDown(List.of()))
                        .heldUpByEarlierCall());
        turn = new Outcome.Stuck("an earlier call has not returned yet");

        assertThat(way(new Step.DeleteLoadBalancer(EDGE), CLEAR)).containsExactly("TakeTurn edge", "WaitPT5S");
    }

    @Test
    void providerThatCannotBeCalled_isSaid_andOneThatIsBusyIsWaitedFor() {
        turn = new Outcome.Stuck("an earlier call has not returned yet");
        assertThat(way(new Step.DeleteLoadBalancer(EDGE), CLEAR))
                .containsExactly(
                        "TakeTurn edge",
                        "Fail deleting load balancer for prod/web: an earlier call has not returned yet");

        turn = new Outcome.InLine();
        assertThat(way(new Step.DeleteLoadBalancer(EDGE), CLEAR)).containsExactly("TakeTurn edge", "WaitPT1M");
    }

    @Test
    void serviceThatWaitsForAnAddress_leavesTheQueueFirst_soThatNobodyWaitsForItsProvider() {
        turn = new Outcome.Stuck("an earlier call has not returned yet");
        queued = true;
        live = false;
        assertThat(way(new Step.DeleteLoadBalancer(EDGE), CLEAR)).containsExactly("ReadLive");

        live = true;
        queued = true;
        assertThat(way(new Step.DeleteLoadBalancer(EDGE), CLEAR))
                .containsExactly(
                        "StopWaiting",
                        "TakeTurn edge",
                        "Fail deleting load balancer for prod/web: an earlier call has not returned yet");
    }

    @Test
    void statusThatCannotBeCleared_isSaid_andNothingIsReleased() {
        cleared = new Outcome.Failed(
                new ServiceFailure("clearing", Reason.ClearFailed, "denied", new Attempt.TearDown(List.of())));
        assertThat(way(CLEAR, RELEASE)).containsExactly("StopWaiting", "Clear", "Fail clearing: denied");

        cleared = new Outcome.Changed(true);
        assertThat(way(CLEAR, RELEASE)).containsExactly("StopWaiting", "Clear", "ReadLive");
    }

    @Test
    void addresses_areReleasedOneAfterTheOther() {
        holdings = List.of(held("192.0.2.1"), held("192.0.2.2"));

        assertThat(way(CLEAR, new Step.Release(List.of(Ip.parse("192.0.2.1"), Ip.parse("192.0.2.2")))))
                .containsExactly("StopWaiting", "Clear", "Release", "Release", "Finish");
    }

    @Test
    void addressThatCannotBeReleased_isLookedAtAgain() {
        isLeft = true;

        assertThat(way(CLEAR, RELEASE)).containsExactly("StopWaiting", "Clear", "Release", "DrawDelay", "LookAgain");
    }

    @Test
    void addressThatNobodyOfTheNameHolds_isNotReleased() {
        holdings = List.of();

        assertThat(way(CLEAR, RELEASE)).containsExactly("StopWaiting", "Clear", "Finish");
    }

    @Test
    void serviceThatIsGone_hasItsAddressesReleased_andNothingElse() {
        service = Optional.empty();

        assertThat(way(RELEASE)).containsExactly("StopWaiting", "Release", "Finish");
    }

    @Test
    void serviceThatIsCleanAlready_isWrittenForItsAddressAlone() {
        service = Optional.of(SampleService.named(new ServiceKey("prod", "web"), "u1")
                .typeLoadBalancer(false)
                .build());

        assertThat(way(CLEAR, RELEASE)).containsExactly("StopWaiting", "SayReleasing", "Release", "Finish");
        assertThat(way(CLEAR)).containsExactly("StopWaiting", "Finish");
    }

    @Test
    void serviceThatWantsALoadBalancerStill_isPlannedAgain() {
        service = service.map(state -> SampleService.from(state).deleting(false).build());

        assertThat(way(CLEAR, RELEASE)).endsWith("Finish, plans again");
    }

    @Test
    void serviceWhoseMarkOfAnotherClassIsOff_isPlannedAgain_andWhatItWasServedByForgotten() {
        service = service.map(state -> SampleService.from(state)
                .deleting(false)
                .loadBalancerClass("x/core")
                .build());

        assertThat(way(CLEAR, RELEASE)).endsWith("Finish, forgets, plans again");
    }

    @Test
    void serviceWhosePredecessorHeldAddresses_isPlannedAgain_afterTheirRelease() {
        assertThat(way(RELEASE)).containsExactly("StopWaiting", "SayReleasing", "Release", "Finish, plans again");
    }
}
