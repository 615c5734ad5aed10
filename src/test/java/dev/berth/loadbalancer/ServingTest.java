package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcements;
import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Outcome.ClaimTried.Whose;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.pool.Requester;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The ways of a Service that is served: the effects, in order, by what comes of each. */
class ServingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Outcome NONE_FREE = new Outcome.NotChosen(List.of(
            new Refusal("pool", IpFamily.IPV4, RefusalReason.FULL, "", BigInteger.ZERO, BigInteger.valueOf(256))));
    private static final ServiceFailure DENIED =
            new ServiceFailure("claiming 192.0.2.1", Reason.ClaimFailed, "denied", new Attempt.TearDown(List.of()));
    private static final Choice.Pick FREE = new Choice.Pick(Ip.parse("192.0.2.7"), "pool", null);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final ServedClass EDGE = SampleClasses.one(
                    "x/y", "edge", Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS)
            .served()
            .getFirst();

    private SampleService service = SampleService.named(WEB, "u1").finalizer(WellKnownNames.FINALIZER);
    private List<Step.Serving> steps = List.of();
    private boolean marks;
    private boolean live = true;
    private List<Holding> holdings = List.of(claimed("192.0.2.1"));
    private ProviderState provider = ProviderState.nothing();
    private @Nullable List<Published> published;

    /** Null: all that it publishes. */
    private @Nullable List<Published> stays;

    private Overwrites overwrites = Overwrites.none("u1");

    /** Null: nothing was written since it was looked at. */
    private @Nullable SinceLook since;

    private Waits waits = Waits.NONE;
    private Optional<Duration> wordsWait = Optional.empty();
    private Optional<Duration> targetsDue = Optional.empty();
    private IpModes ipModes = new IpModes(true, IpModes.Answer.KEPT);
    private Outcome turn = new Outcome.TurnTaken();

    /** What the effects of the last way tried: each may fail, and then has to wait. */
    private List<Ip> mayBePublished = List.of();

    private final List<Attempt> tried = new ArrayList<>();

    /** What comes of an effect, beside what always does; by its name. */
    private final Map<String, List<Outcome>> outcomes = new HashMap<>();

    /** What others do while an effect is carried out; by its name. */
    private final Map<String, Runnable> meanwhile = new HashMap<>();

    private static final PoolSet POOLS = PoolSet.of(
            List.of(new PoolDeclaration(
                    "pool",
                    Instant.EPOCH,
                    List.of("192.0.2.0/24", "2001:db8::/64"),
                    List.of(),
                    false,
                    PoolPolicy.OPEN,
                    false)),
            List.of());

    private static Holding claimed(String ip) {
        return Holding.of(new Claim(Ip.parse(ip), "c-" + ip, "5", ClaimSpec.of("pool", "x/y", new Owner(WEB, "u1"))));
    }

    private static Step.Acquire acquire() {
        return new Step.Acquire(new AddressRequest(
                WEB,
                "u1",
                "x/y",
                List.of(IpFamily.IPV4),
                false,
                new Requester(List.of(), Map.of(), Map.of()),
                AddressConstraints.NONE,
                List.of(),
                QueuePosition.FIRST));
    }

    private static EnsureOutcome.Ready ready(String ip) {
        return EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp(ip, IpMode.VIP))));
    }

    /** Plays the part of the executor, with each effect done as it should be. */
    private List<String> way() {
        ServiceState planned = service.build();
        ServicePlan.Serve serve = new ServicePlan.Serve(
                planned, EDGE, AddressConstraints.NONE, steps, marks, stays == null ? planned.ingress() : stays);
        List<String> way = new ArrayList<>();
        tried.clear();
        Facts facts = Facts.NONE;
        for (int effects = 0; effects < 60; effects++) {
            ServingEffect effect = Serving.next(serve, known(), facts);
            String name = name(effect);
            way.add(name);
            tried(effect).ifPresent(tried::add);
            if (isLast(effect)) {
                return way;
            }
            facts = facts.with(perform(serve, effect));
            if (!(effect instanceof ServingEffect.Call)) {
                facts = facts.with(outcomes.getOrDefault(name, List.of()));
            }
            meanwhile.getOrDefault(name, () -> {}).run();
        }
        throw new AssertionError("no end: " + way);
    }

    private Serving.Known known() {
        return new Serving.Known(
                new ObservedState(
                        live,
                        holdings,
                        POOLS,
                        provider,
                        NamedLoadBalancer.NONE,
                        waits,
                        wordsWait,
                        Announcements.NONE,
                        since == null ? SinceLook.nothing(holdings) : since,
                        mayBePublished,
                        false,
                        NOW),
                AnsweredAddresses.NONE,
                published,
                overwrites,
                NOW,
                ipModes,
                targetsDue);
    }

    private Optional<Attempt> tried(ServingEffect effect) {
        return switch (effect) {
            case ServingEffect.TakeTurn(LoadBalancerRequest request) -> Optional.of(new Attempt.Call(request));
            case ServingEffect.AddFinalizer marked -> Optional.of(marked.mark());
            case ServingEffect.Publish publish -> publish.patch().map(Publication.Difference::timeless);
            case ServingEffect.AskForIpMode(Publication.Difference patch) -> Optional.of(patch.timeless());
            default -> Optional.empty();
        };
    }

    private static boolean isLast(ServingEffect effect) {
        return effect instanceof ServingEffect.Rest
                || effect instanceof TerminalEffect
                || effect instanceof ServingEffect.AddFinalizer;
    }

    private static String name(ServingEffect effect) {
        return switch (effect) {
            case ServingEffect.Call call -> call.call().getClass().getSimpleName();
            case ServingEffect.CheckPublished(Ip ip) -> "CheckPublished[" + ip + "]";
            case ServingEffect.ConfirmClaim(Claim claim) -> "ConfirmClaim[" + claim.ip() + "]";
            case ServingEffect.ReleaseSurplus(Leaving leaving) -> "ReleaseSurplus[" + leaving.ip() + "]";
            case ServingEffect.Publish publish -> "Publish" + publish.wanted().ingress();
            case ServingEffect.Rest(Optional<Duration> again, boolean settled, boolean forgetsTurn) ->
                "Rest" + again.map(Duration::toString).orElse("") + (forgetsTurn ? "" : ", keeps its turn");
            case TerminalEffect.Wait(Duration delay) -> "Wait" + delay;
            case TerminalEffect.PlanAgain(boolean isLive) -> isLive ? "ReadLive" : "PlanAgain";
            case TerminalEffect.Fail(ServiceFailure what, boolean losesTurn, Optional<Duration> again) ->
                "Fail " + what.reason() + (losesTurn ? ", loses turn" : "");
            default -> effect.getClass().getSimpleName();
        };
    }

    private List<Outcome> perform(ServicePlan.Serve serve, ServingEffect effect) {
        return switch (effect) {
            case ServingEffect.StopWaiting none -> did(Done.QUEUE_LEFT);
            case ServingEffect.Note(List<Outcome> what) -> what;
            case ServingEffect.OfStep step -> List.of(new Outcome.StepsDone(step.index() + 1));
            case ServingEffect.Choose(AddressRequest request) ->
                unlessOther(effect, new Outcome.Chosen(new Choice.Assigned(request, List.of(FREE), List.of())));
            case ServingEffect.ClaimChosen claim -> unlessOther(effect, new Outcome.ClaimTried(claim.ip(), Whose.OURS));
            case ServingEffect.CountAssigned counted -> did(Done.ASSIGNED_COUNTED);
            case ServingEffect.JoinQueue(AddressRequest request, List<Refusal> refusals, WaitReason why) ->
                List.of(new Outcome.Lacks(why));
            case ServingEffect.ReadService read -> List.of();
            case ServingEffect.GiveUpClaim(Ip ip) -> List.of(new Outcome.GivenUp(ip));
            case ServingEffect.ReadAgain read -> List.of(new Outcome.Changed(true));
            case ServingEffect.AskFor none ->
                List.of(new Outcome.Asks(Demand.of(
                        serve.service(),
                        EDGE,
                        "c",
                        1,
                        AddressConstraints.NONE,
                        holdings.stream().map(Holding::ip).limit(1).toList(),
                        Backends.NONE)));
            case ServingEffect.TakeTurn taken -> List.of(turn);
            case ServingEffect.Call call -> called(call.call());
            case ServingEffect.Accept(LoadBalancerRequest request, EnsureOutcome.Ready answer) -> {
                provider = provider.ensured(request, EDGE, answer);
                yield List.of(new Outcome.Judged());
            }
            case ServingEffect.MakeDue none -> List.of(new Outcome.MadeDue());
            case ServingEffect.Refresh(LoadBalancerStatus found) -> {
                provider = provider.seen(found);
                yield List.of(new Outcome.Judged());
            }
            case ServingEffect.AskAgain again -> {
                provider = provider.unsure();
                yield List.of(new Outcome.Judged());
            }
            case ServingEffect.Keep(List<Published> ingress) ->
                List.of(new Outcome.ToPublish(ingress), new Outcome.Did(Done.PROVIDER_ASKED));
            case ServingEffect.Postpone(ServiceFailure what) ->
                List.of(new Outcome.BackedOff(what, Duration.ofSeconds(5)));
            case ServingEffect.CheckPublished(Ip ip) ->
                unlessOther(effect, new Outcome.GoingRead(ip, Optional.empty(), false));
            case DrawDelay draw -> List.of(new Outcome.DelayDrawn(draw.of(), Duration.ofSeconds(5)));
            case ServingEffect.CountOverwrite counted -> {
                overwrites = counted.after();
                yield List.of(new Outcome.OverwriteCounted(counted.standsFor()));
            }
            case ServingEffect.AskForIpMode asked -> unlessOther(effect, new Outcome.Did(Done.IP_MODE_ASKED));
            case ServingEffect.ConfirmClaim(Claim claim) -> unlessOther(effect, new Outcome.Confirmed(claim.ip()));
            case ServingEffect.Publish publish -> {
                assertThat(publish.patch()).isEqualTo(publish.wanted().differenceFrom(service.build()));
                yield List.of(new Outcome.Wrote(publish.wanted()));
            }
            case ServingEffect.DelayWords(Publication wanted, Duration left) ->
                List.of(new Outcome.Wrote(wanted), new Outcome.LookAgain(left));
            case SayReleasing say -> {
                since = new SinceLook(List.of(), List.of(), Optional.empty(), Optional.of(List.of()), List.of());
                yield did(Done.RELEASING_SAID);
            }
            case ServingEffect.ReleaseSurplus(Leaving leaving) -> {
                if (!outcomes.containsKey(name(effect))) {
                    holdings = holdings.stream()
                            .filter(holding -> !leaving.ip().equals(holding.ip()))
                            .toList();
                }
                yield unlessOther(effect, new Outcome.ReleaseTried(leaving.ip(), false));
            }
            case ServingEffect.ReleaseNodePorts ports -> List.of(new Outcome.Changed(false));
            case ServingEffect.AddFinalizer marked -> List.of(new Outcome.Changed(false));
            case ServingEffect.Rest rest -> List.of();
            case TerminalEffect ending -> List.of();
        };
    }

    /** It is done, but where a test says what comes of it. */
    private List<Outcome> unlessOther(ServingEffect effect, Outcome what) {
        return outcomes.containsKey(name(effect)) ? List.of() : List.of(what);
    }

    private static List<Outcome> did(Done what) {
        return List.of(new Outcome.Did(what));
    }

    /** The first outcome that a test says of a call is what came of it. */
    private List<Outcome> called(ProviderCall.Made call) {
        Outcome.OfCall came = outcomes.getOrDefault(call.getClass().getSimpleName(), List.of()).stream()
                .filter(Outcome.OfCall.class::isInstance)
                .map(Outcome.OfCall.class::cast)
                .findFirst()
                .orElseGet(() -> whenItSucceeds(call));
        provider = provider.calling(call, EDGE).called(call, EDGE, came);
        return List.of(new Outcome.Called(), came);
    }

    private static Outcome.OfCall whenItSucceeds(ProviderCall.Made call) {
        return switch (call) {
            case ProviderCall.Ensure(LoadBalancerRequest request) ->
                new Outcome.Answered(ready(request.addresses().getFirst()), AnsweredAddresses.NONE);
            case ProviderCall.Look(LoadBalancerRequest request, EnsureOutcome.Ready known) ->
                new Outcome.Looked(known, Optional.of(known.status()));
            case ProviderCall.Update update -> new Outcome.Updated();
            case ProviderCall.Delete delete -> new Outcome.UnservedDeleted();
        };
    }

    @Test
    void newService_isMarked_beforeTheWorldIsTouched() {
        steps = List.of(acquire());
        marks = true;

        assertThat(way()).containsExactly("Choose", "CreateChosen", "CountAssigned", "StopWaiting", "AddFinalizer");
    }

    @Test
    void markedService_isReadLive_beforeItsProviderIsAskedTheFirstTime() {
        live = false;

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "TakeTurn", "ReadLive");
    }

    @Test
    void firstServe_asksTheProvider_confirmsTheClaim_andPublishes() {
        assertThat(way())
                .containsExactly(
                        "StopWaiting",
                        "AskFor",
                        "TakeTurn",
                        "Ensure",
                        "Accept",
                        "Keep",
                        "ConfirmClaim[192.0.2.1]",
                        "Publish[192.0.2.1 (VIP)]",
                        "Rest");
    }

    @Test
    void serviceForWhichNoAddressIsFree_saysSo_andRests_inItsTurn() {
        steps = List.of(acquire());
        holdings = List.of();
        outcomes.put("Choose", List.of(NONE_FREE));
        service = SampleService.named(WEB, "u1");

        assertThat(way()).containsExactly("Choose", "JoinQueue", "AskFor", "Note", "Publish[]", "Rest, keeps its turn");
    }

    @Test
    void serviceWhoseChoicesAreAllLost_saysSo_andThoseBehindGoFirst() {
        steps = List.of(acquire());
        holdings = List.of();
        outcomes.put("CreateChosen", List.of(new Outcome.ClaimTried(FREE.ip(), Whose.ANOTHERS)));

        assertThat(way())
                .startsWith("Choose", "CreateChosen", "Choose")
                .endsWith("CreateChosen", "Postpone", "Publishnull", "Fail ClaimFailed, loses turn")
                .filteredOn("Choose"::equals)
                .hasSize(20);
    }

    @Test
    void halfThatIsOfNoUseWithoutTheRest_isNotSecured() {
        steps = List.of(acquire(), new Step.ConfirmClaim(claimed("192.0.2.9"), EDGE));
        outcomes.put("Choose", List.of(NONE_FREE));

        assertThat(way()).contains("Publish[192.0.2.1 (VIP)]").doesNotContain("UpdateClaim", "ReadLive");
    }

    @Test
    void claimThatIsRefused_isGivenUpWithoutARead_andSaid_andLosesItsTurn_withNoCallToTheProvider() {
        live = false;
        steps = List.of(acquire());
        holdings = List.of();
        outcomes.put(
                "CreateChosen", List.of(new Outcome.ClaimTried(FREE.ip(), Whose.NOT_MADE), new Outcome.Failed(DENIED)));

        assertThat(way())
                .containsExactly(
                        "Choose",
                        "CreateChosen",
                        "Postpone",
                        "GiveUpClaim",
                        "Publishnull",
                        "Fail ClaimFailed, loses turn");
    }

    @Test
    void providerThatFails_isSaid_andWhatIsPublishedStays() {
        outcomes.put(
                "Ensure",
                List.of(new Outcome.Failed(new ServiceFailure(
                        "ensuring load balancer", Reason.EnsureFailed, "quota", new Attempt.TearDown(List.of())))));

        assertThat(way())
                .containsExactly(
                        "StopWaiting", "AskFor", "TakeTurn", "Ensure", "Postpone", "Publishnull", "Fail EnsureFailed");
    }

    @Test
    void serviceThatAnotherServes_isLeftToIt() {
        outcomes.put("Ensure", List.of(new Outcome.ServedElsewhere()));

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "TakeTurn", "Ensure", "AwaitEvent");
        assertThat(way()).containsExactly("StopWaiting", "AskFor", "AwaitEvent");
    }

    @Test
    void serviceThatLostItsAddress_hasItsLoadBalancerDeletedOnce() {
        holdings = List.of();

        assertThat(way()).containsSubsequence("Note", "TakeTurn", "Delete", "Note", "Rest");
        assertThat(way()).doesNotContain("Delete");
    }

    @Test
    void answerThatBreaksARule_isSaid_andNothingOfItIsRemembered() {
        outcomes.put("Ensure", List.of(new Outcome.Answered(ready("198.51.100.9"), AnsweredAddresses.NONE)));

        assertThat(way())
                .containsExactly(
                        "StopWaiting", "AskFor", "TakeTurn", "Ensure", "Postpone", "Publishnull", "Fail AnswerRefused");
        assertThat(provider.lastAnswer()).isEmpty();
    }

    @Test
    void nodeThatComesWhileTheProviderIsNotifiedOfOthers_isNotLost() {
        Backends more = new Backends(List.of(LoadBalancerRequest.Node.named("new")), true, List::of);
        outcomes.put("Accept", List.of(new Outcome.TargetsNow(more)));

        assertThat(way()).containsSubsequence("Accept", "MakeDue", "Keep", "Rest");
    }

    @Test
    void serviceWhoseTargetsAreThoseThatTheProviderTook_isNotLookedAtAgain() {
        outcomes.put("Accept", List.of(new Outcome.TargetsNow(Backends.NONE)));

        assertThat(way()).contains("Accept").doesNotContain("MakeDue");
    }

    @Test
    void targetsThatChangeAgainWhileTheProviderIsNotified_areNotLost() {
        Backends one = new Backends(List.of(LoadBalancerRequest.Node.named("new")), true, List::of);

        Facts notified = Facts.NONE.with(new Outcome.TargetsNow(one), new Outcome.MadeDue());

        assertThat(notified.targetsNow()).isEmpty();
        assertThat(notified.with(new Outcome.TargetsNow(one)).targetsNow()).contains(one);
    }

    private void isDoubted() {
        assertThat(way()).endsWith("Rest");
        provider = provider.doubted();
    }

    @Test
    void providerThatHasWhatItAnswered_isRefreshed_andNotAskedAgain() {
        isDoubted();

        assertThat(way())
                .containsSubsequence("TakeTurn", "Look", "Refresh", "Keep")
                .doesNotContain("Ensure");
    }

    @Test
    void providerThatHasSomethingElse_isAskedAgain_andItIsSaid() {
        for (Optional<LoadBalancerStatus> found : List.of(
                Optional.<LoadBalancerStatus>empty(),
                Optional.of(ready("192.0.2.99").status()))) {
            isDoubted();
            outcomes.put("Look", List.of(new Outcome.Looked(ready("192.0.2.1"), found)));

            assertThat(way()).containsSubsequence("Look", "AskAgain", "TakeTurn", "Ensure", "Accept", "Keep");
        }
    }

    @Test
    void providerThatCannotBeLookedAt_isNotAskedAgain() {
        isDoubted();
        outcomes.put("Look", List.of(new Outcome.NotSeen()));

        assertThat(way()).containsSubsequence("Look", "Keep").doesNotContain("AskAgain", "Ensure");
    }

    @Test
    void addressThatGoesFromTheStatus_andIsNotTheServicesOwn_isReadFirst() {
        service = service.ingress("192.0.2.7");

        assertThat(way()).containsSubsequence("Keep", "CheckPublished[192.0.2.7]", "Publish[192.0.2.1 (VIP)]");
    }

    @Test
    void addressesThatGoFromTheStatus_areReadOneAfterTheOther() {
        service = service.ingress("192.0.2.7", "2001:db8::7");

        assertThat(way())
                .containsSubsequence(
                        "CheckPublished[192.0.2.7]", "CheckPublished[2001:db8::7]", "Publish[192.0.2.1 (VIP)]");
    }

    @Test
    void moreThanOneAddressAFamily_isAStrangersWork_andIsNotLookedUp() {
        service = service.ingress("192.0.2.7", "192.0.2.8", "192.0.2.9");

        assertThat(way()).noneMatch(effect -> effect.startsWith("CheckPublished"));
    }

    @Test
    void whatIsHeldBeyondNeed_isReleased_afterItIsPublishedNoLonger_andAllIsPlannedAgain() {
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"));

        assertThat(way())
                .containsSubsequence(
                        "Publish[192.0.2.1 (VIP)]", "SayReleasing", "ReleaseSurplus[192.0.2.2]", "PlanAgain");
    }

    @Test
    void addressesHeldBeyondNeed_areReleasedOneAfterTheOther() {
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"), claimed("192.0.2.3"));

        assertThat(way())
                .endsWith("SayReleasing", "ReleaseSurplus[192.0.2.2]", "ReleaseSurplus[192.0.2.3]", "PlanAgain");
    }

    @Test
    void addressThatCannotBeReleased_isTriedAgainLater_andHindersNoOther() {
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"), claimed("192.0.2.3"));
        outcomes.put("ReleaseSurplus[192.0.2.2]", List.of(new Outcome.ReleaseTried(Ip.parse("192.0.2.2"), true)));

        assertThat(way()).endsWith("ReleaseSurplus[192.0.2.2]", "ReleaseSurplus[192.0.2.3]", "DrawDelay", "RestPT5S");
    }

    @Test
    void addressThatAnotherChangedBeforeItsRelease_isPlannedForAgain_whateverIsLeftBesideIt() {
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"), claimed("192.0.2.3"));
        outcomes.put("ReleaseSurplus[192.0.2.2]", List.of(new Outcome.ReleaseTried(Ip.parse("192.0.2.2"), true)));
        outcomes.put("ReleaseSurplus[192.0.2.3]", List.of(new Outcome.Changed(true)));

        assertThat(way()).endsWith("ReleaseSurplus[192.0.2.2]", "ReleaseSurplus[192.0.2.3]", "ReadLive");
    }

    @Test
    void whatIsReleasedAfterTheStatusWasWritten_needsNoFurtherWrite() {
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"));
        since = new SinceLook(List.of(), List.of(), Optional.empty(), Optional.of(List.of()), List.of());

        assertThat(way()).contains("ReleaseSurplus[192.0.2.2]").doesNotContain("SayReleasing");
    }

    @Test
    void addressThatSomebodyWroteSinceThePlan_isNotReleased() {
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"));
        since = new SinceLook(List.of(), List.of(), Optional.empty(), Optional.empty(), List.of());

        assertThat(way()).endsWith("Publish[192.0.2.1 (VIP)]", "PlanAgain");
    }

    @Test
    void releaseThatCannotBeSaid_isNotMade_andLosesNoTurn() {
        steps = List.of(acquire());
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"));
        outcomes.put("SayReleasing", List.of(new Outcome.Failed(DENIED)));

        assertThat(way()).endsWith("SayReleasing", "Fail ClaimFailed");
    }

    @Test
    void nodePorts_areReleased_ofTheServiceAsItIsByNow() {
        service = service.ports(new Port("", Protocol.TCP, 80, 30080));
        ServiceState planned = service.build();
        ServiceState newest = service.resourceVersion("9").build();
        since = new SinceLook(List.of(), List.of(), Optional.of(newest), Optional.of(List.of()), List.of());

        assertThat(delivered(planned))
                .isEqualTo(new ServingEffect.ReleaseNodePorts(newest, new ServingEffect.NodePorts("80/TCP")));
    }

    @Test
    void whatIsSaidAfterACall_isSaidOnlyIfTheProviderDidAllThatItWasAsked() {
        ServiceEvent updated = ServiceEvent.normal(Reason.UpdatedLoadBalancer, "Updated load balancer");
        ServingEffect.Call call = new ServingEffect.Call(
                new ProviderCall.Update(
                        LoadBalancerRequest.builder("c", new ServiceIdentity("prod", "web", "u1"), IpMode.VIP)
                                .build()),
                List.of(),
                List.of(updated));

        assertThat(call.after(new Outcome.Updated())).containsExactly(updated);
        assertThat(call.after(new Outcome.NotUpdated("quota"))).isEmpty();
    }

    @Test
    void nodePortsThatCannotBeReleasedYet_delayNeitherTheLookAtTargets_norTheReleaseOfAnAddress() {
        ServiceState planned =
                service.ports(new Port("", Protocol.TCP, 80, 30080)).build();
        waits = new Waits(List.of(new Waits.Waiting(
                new ServingEffect.NodePorts("80/TCP"), new Postponed(new Postponed.Why.Failed(DENIED), LONG))));

        assertThat(delivered(planned)).isEqualTo(new TerminalEffect.Wait(LONG));
        targetsDue = Optional.of(Duration.ofSeconds(5));
        assertThat(delivered(planned)).isEqualTo(new TerminalEffect.Wait(Duration.ofSeconds(5)));
        assertThat(delivered(
                        planned,
                        new Outcome.ReleaseTried(Ip.parse("192.0.2.2"), true),
                        new Outcome.DelayDrawn(DrawDelay.Of.RELEASE, Duration.ofSeconds(3))))
                .isEqualTo(new TerminalEffect.Wait(Duration.ofSeconds(3)));
    }

    @Test
    void whatFailsAfterTheProviderWasAsked_delaysNoLookAtTargets() {
        targetsDue = Optional.of(Duration.ofSeconds(5));
        List<Outcome> asked = List.of(new Outcome.Did(Done.PROVIDER_ASKED), new Outcome.Did(Done.STATUS_WRITTEN));

        assertThat(Serving.next(
                        serve(),
                        known(),
                        Facts.NONE.with(new Outcome.Failed(DENIED)).with(asked)))
                .isEqualTo(new TerminalEffect.Fail(DENIED, false, targetsDue));
        assertThat(Serving.next(
                        serve(),
                        known(),
                        Facts.NONE.with(new Outcome.Failed(DENIED)).with(asked.getLast())))
                .isEqualTo(new TerminalEffect.Fail(DENIED, false, Optional.empty()));
    }

    private ServicePlan.Serve serve() {
        return new ServicePlan.Serve(service.build(), EDGE, AddressConstraints.NONE, steps, marks);
    }

    /** What is next for one that is delivered, and whose class needs no node ports. */
    private ServingEffect delivered(ServiceState planned, Outcome... beside) {
        ServedClass releases = new ServedClass(
                EDGE.name(),
                EDGE.value(),
                EDGE.provider(),
                EDGE.capabilities(),
                EDGE.parameters(),
                EDGE.pools(),
                EDGE.ipMode(),
                EDGE.healthCheck(),
                true,
                false);
        Demand demand = Demand.of(
                planned, releases, "c", 1, AddressConstraints.NONE, List.of(Ip.parse("192.0.2.1")), Backends.NONE);
        provider = provider.ensured(demand.request(), releases, ready("192.0.2.1"));
        return Serving.next(
                new ServicePlan.Serve(planned, releases, AddressConstraints.NONE, steps, marks),
                known(),
                Facts.NONE
                        .with(
                                new Outcome.Asks(demand),
                                new Outcome.Did(Done.PROVIDER_ASKED),
                                new Outcome.Wrote(new Publication(true, null, List.of(), List.of())))
                        .with(beside));
    }

    /**
     * What is done by the state of a holding.
     *
     * @param way the first of it
     */
    private record Held(String sentence, Holding holding, boolean live, List<Outcome> outcomes, List<String> way) {
        Held(String sentence, Holding holding, boolean live, List<Outcome> outcomes, String... way) {
            this(sentence, holding, live, outcomes, List.of(way));
        }
    }

    private static Holding unseen(Holding.State state) {
        return new Holding(Ip.parse("192.0.2.9"), state, ClaimSpec.of("gone", "old/class", new Owner(WEB, "u1")), null);
    }

    private static Holding named(String uid) {
        return Holding.of(
                new Claim(Ip.parse("192.0.2.9"), "c9", "5", ClaimSpec.of("pool", "x/y", new Owner(WEB, uid))));
    }

    private static Outcome found(String uid, String className) {
        return new Outcome.Found(
                new Claim(Ip.parse("192.0.2.9"), "c9", "5", ClaimSpec.of("pool", className, new Owner(WEB, uid))));
    }

    private static final Outcome NOT_MADE = new Outcome.NotMade(Ip.parse("192.0.2.9"));

    private static final List<Held> HELD = List.of(
            new Held(
                    "one that is held is created",
                    unseen(Holding.State.HELD),
                    true,
                    List.of(),
                    "CreateClaim",
                    "AskFor"),
            new Held(
                    "one that cannot be created is given up",
                    unseen(Holding.State.HELD),
                    true,
                    List.of(NOT_MADE, new Outcome.Failed(DENIED)),
                    "CreateClaim",
                    "Postpone",
                    "GiveUpClaim",
                    "Publishnull"),
            new Held(
                    "but not before the Service is read: the cache may be older than what it publishes",
                    unseen(Holding.State.HELD),
                    false,
                    List.of(NOT_MADE, new Outcome.Failed(DENIED)),
                    "CreateClaim",
                    "Postpone",
                    "ReadService"),
            new Held(
                    "one that is unsure is read", unseen(Holding.State.UNSURE), true, List.of(), "ReadClaim", "AskFor"),
            new Held(
                    "one that is found, and its own, is kept",
                    unseen(Holding.State.UNSURE),
                    true,
                    List.of(found("u1", "x/y")),
                    "ReadClaim",
                    "AskFor"),
            new Held(
                    "one that is found to be another's is planned again",
                    unseen(Holding.State.UNSURE),
                    true,
                    List.of(found("u2", "x/y")),
                    "ReadClaim",
                    "PlanAgain"),
            new Held(
                    "one that is found to be of another class is planned again",
                    unseen(Holding.State.UNSURE),
                    true,
                    List.of(found("u1", "old/class")),
                    "ReadClaim",
                    "PlanAgain"),
            new Held(
                    "one that is not there is given up, and all is planned again",
                    unseen(Holding.State.UNSURE),
                    true,
                    List.of(NOT_MADE, new Outcome.Changed(false)),
                    "ReadClaim",
                    "GiveUpClaim",
                    "PlanAgain"),
            new Held(
                    "one of a Service of its name is taken over after a live read",
                    named("u0"),
                    true,
                    List.of(),
                    "ReadLive"));

    @Test
    void whatIsDoneAboutAHolding_goesByItsState() {
        assertThat(HELD).allSatisfy(row -> {
            steps = List.of(new Step.ConfirmClaim(row.holding(), EDGE));
            live = row.live();
            outcomes.clear();
            outcomes.put(row.way().getFirst(), row.outcomes());
            outcomes.put("ReadService", List.of(new Outcome.ServiceNotRead()));

            assertThat(way()).as(row.sentence()).containsSubsequence(row.way());
        });
    }

    @Test
    void serviceWhoseAddressIsConfirmedOrAmended_isPlannedForAgain_onceItIsPublished() {
        Holding held = claimed("192.0.2.1");
        List<Step.Serving> changing = List.of(
                new Step.ConfirmClaim(new Holding(held.ip(), Holding.State.HELD, held.spec(), null), EDGE),
                new Step.Amend(held, held.spec()));

        assertThat(changing).allSatisfy(step -> {
            steps = List.of(step);
            assertThat(way()).endsWith("Publish[192.0.2.1 (VIP)]", "PlanAgain");
        });
    }

    @Test
    void serviceWhoseAddressIsNeitherConfirmedNorAmended_rests() {
        Holding held = claimed("192.0.2.1");
        steps = List.of(acquire(), new Step.ConfirmClaim(unseen(Holding.State.HELD), EDGE));
        outcomes.put("Choose", List.of(NONE_FREE));
        assertThat(way()).doesNotContain("CreateClaim").endsWith("Rest, keeps its turn");

        steps = List.of(new Step.Amend(held, held.spec().retainedFor(WEB, true)));
        assertThat(way()).endsWith("Publish[192.0.2.1 (VIP)]", "Rest");
    }

    @Test
    void serviceThatGetsOneMoreAddress_isPlannedForAgain_butNotWhileItWaits() {
        service = service.families(ServiceState.FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6);
        steps = List.of(acquire());
        assertThat(way()).endsWith("PlanAgain");

        outcomes.put("Choose", List.of(NONE_FREE));
        assertThat(way()).endsWith("Rest, keeps its turn");
    }

    @Test
    void addressThatAWriteWithoutAnAnswerMayHavePublished_isNotGivenUp() {
        steps = List.of(new Step.ConfirmClaim(unseen(Holding.State.HELD), EDGE));
        outcomes.put("CreateClaim", List.of(NOT_MADE, new Outcome.Failed(DENIED)));
        mayBePublished = List.of(Ip.parse("192.0.2.9"));

        assertThat(way()).doesNotContain("GiveUpClaim", "ReadService").contains("Postpone", "Publishnull");
    }

    @Test
    void addressThatMayStillBePublished_isNotGivenUp() {
        ServiceState publishes =
                SampleService.named(WEB, "u1").ingress("192.0.2.9").build();
        ServiceState another =
                SampleService.named(WEB, "u2").ingress("192.0.2.9").build();
        Map<Outcome, Boolean> givesUp = Map.of(
                new Outcome.ServiceNotRead(), false,
                new Outcome.ServiceRead(Optional.of(publishes)), false,
                new Outcome.ServiceRead(Optional.of(another)), true,
                new Outcome.ServiceRead(Optional.empty()), true);
        live = false;

        givesUp.forEach((read, expected) -> {
            steps = List.of(new Step.ConfirmClaim(unseen(Holding.State.HELD), EDGE));
            outcomes.put("CreateClaim", List.of(NOT_MADE, new Outcome.Failed(DENIED)));
            outcomes.put("ReadService", List.of(read));

            assertThat(way().contains("GiveUpClaim")).as("%s", read).isEqualTo(expected);
        });
    }

    @Test
    void addressOfTheOneBefore_isTakenOver_onceALiveReadIsNewerThanItsClaim() {
        Holding before = named("u0");
        steps = List.of(new Step.ConfirmClaim(before, EDGE));
        since = new SinceLook(
                List.of(Objects.requireNonNull(before.claim())),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                List.of());

        assertThat(way()).containsSubsequence("UpdateClaim", "AskFor");
        ServingEffect.UpdateClaim update = (ServingEffect.UpdateClaim) Serving.next(
                new ServicePlan.Serve(service.build(), EDGE, AddressConstraints.NONE, steps, marks),
                known(),
                Facts.NONE.with(new Outcome.Did(Done.QUEUE_LEFT)));
        assertThat(update.spec().owners()).containsExactly(new Owner(WEB, "u1"));
    }

    @Test
    void claimThatIsCreatedAgain_isOfThePoolThatHasTheAddressByNow_andOfItsClass() {
        steps = List.of(new Step.ConfirmClaim(unseen(Holding.State.HELD), EDGE));

        ServingEffect effect = Serving.next(
                new ServicePlan.Serve(service.build(), EDGE, AddressConstraints.NONE, steps, marks),
                known(),
                Facts.NONE.with(new Outcome.Did(Done.QUEUE_LEFT)));

        assertThat(effect)
                .isEqualTo(new ServingEffect.CreateClaim(
                        0, Ip.parse("192.0.2.9"), ClaimSpec.of("pool", "x/y", new Owner(WEB, "u1"))));
    }

    @Test
    void addressThatWasWrittenForTheServiceAsItIs_isNotConfirmedAgain() {
        since = new SinceLook(List.of(), List.of(), Optional.empty(), Optional.empty(), List.of(Ip.parse("192.0.2.1")));

        assertThat(way()).contains("Publish[192.0.2.1 (VIP)]").noneMatch(effect -> effect.startsWith("Confirm"));
    }

    @Test
    void addressThatGoesFromTheStatus_andIsFoundToBeItsOwn_staysForNow() {
        theOneThatGoesIsItsOwn(false);

        assertThat(way()).endsWith("CheckPublished[192.0.2.7]", "ReadLive");
    }

    @Test
    void addressThatGoesFromTheStatus_andThatAnotherBerthClaimedForTheService_goes() {
        theOneThatGoesIsItsOwn(true);

        assertThat(way()).containsSubsequence("CheckPublished[192.0.2.7]", "Publish[192.0.2.1 (VIP)]");
    }

    private void theOneThatGoesIsItsOwn(boolean servedElsewhere) {
        service = service.ingress("192.0.2.7");
        outcomes.put(
                "CheckPublished[192.0.2.7]",
                List.of(new Outcome.GoingRead(
                        Ip.parse("192.0.2.7"),
                        Optional.ofNullable(claimed("192.0.2.7").claim()),
                        servedElsewhere)));
    }

    @Test
    void statusThatAnotherWrote_isCounted_andPutRight() {
        published = List.of(new Published("192.0.2.1", null, IpMode.VIP));
        service = service.ingress("198.51.100.9");

        assertThat(way()).containsSubsequence("CountOverwrite", "Publish[192.0.2.1 (VIP)]", "Rest");
    }

    @Test
    void overwriteIsJudgedByThoseBefore_andSaidOnce() {
        published = List.of(new Published("192.0.2.1", null, IpMode.VIP));
        service = service.ingress("198.51.100.9");
        overwrites = new Overwrites("u1", List.of(NOW.minusSeconds(9), NOW.minusSeconds(5)), 0, Instant.EPOCH, null);

        assertThat(overwritten()).isEqualTo(new DrawDelay(DrawDelay.Of.OVERWRITE, 1));
        ServingEffect.CountOverwrite third = (ServingEffect.CountOverwrite)
                overwritten(new Outcome.DelayDrawn(DrawDelay.Of.OVERWRITE, Duration.ofSeconds(5)));
        assertThat(third.standsFor()).contains(Duration.ofSeconds(5));
        assertThat(third.after().letStandUntil()).isEqualTo(NOW.plusSeconds(5));
        assertThat(third.news().map(ServiceEvent::message))
                .contains(
                        "another controller changed status.loadBalancer to [198.51.100.9]; expected [192.0.2.1 (VIP)]");
        overwrites = third.after();
        assertThat(overwritten())
                .isEqualTo(new ServingEffect.CountOverwrite(
                        overwrites, Optional.of(Duration.ofSeconds(5)), Optional.empty()));
    }

    /** What is next, once {@code outcomes} came of it. */
    private ServingEffect overwritten(Outcome... outcomes) {
        return Serving.next(
                new ServicePlan.Serve(service.build(), EDGE, AddressConstraints.NONE, steps, marks),
                known(),
                Facts.NONE
                        .with(
                                new Outcome.ToPublish(List.of(new Published("192.0.2.1", null, IpMode.VIP))),
                                new Outcome.GoingRead(Ip.parse("198.51.100.9"), Optional.empty(), false),
                                new Outcome.Did(Done.PROVIDER_ASKED))
                        .with(outcomes));
    }

    @Test
    void delayThatWasDrawnForAStatusThatIsPutRightAfterAll_isNotWaited_norForARelease() {
        Facts drawn = Facts.NONE.with(new Outcome.DelayDrawn(DrawDelay.Of.OVERWRITE, Duration.ofSeconds(5)));

        assertThat(drawn.again()).isEmpty();
        assertThat(drawn.with(new Outcome.ReleaseTried(Ip.parse("192.0.2.2"), true))
                        .needsDelayForRelease())
                .isTrue();
        assertThat(drawn.with(new Outcome.OverwriteCounted(Optional.of(Duration.ofSeconds(5))))
                        .again())
                .contains(Duration.ofSeconds(5));
    }

    @Test
    void statusThatAnotherKeepsWriting_isLetStandForAWhile() {
        published = List.of(new Published("192.0.2.1", null, IpMode.VIP));
        service = service.ingress("198.51.100.9");
        overwrites = new Overwrites("u1", List.of(NOW.minusSeconds(9), NOW.minusSeconds(5)), 0, Instant.EPOCH, null);

        assertThat(way()).endsWith("DrawDelay", "CountOverwrite", "Publishnull", "RestPT5S");
    }

    @Test
    void addressThatIsPublished_andWhoseClaimVanishesMeanwhile_isPlannedAgain_beforeTheStatusIsWritten() {
        service = service.ingress("192.0.2.1");
        meanwhile.put(
                "Ensure",
                () -> holdings = holdings.stream()
                        .map(holding -> new Holding(holding.ip(), Holding.State.HELD, holding.spec(), null))
                        .toList());

        assertThat(way()).doesNotContain("Publish[192.0.2.1 (VIP)]").endsWith("Keep", "PlanAgain");
    }

    @Test
    void addressWhoseClaimVanishes_whileItIsConfirmed_isNotPublished() {
        meanwhile.put(
                "ConfirmClaim[192.0.2.1]",
                () -> holdings = holdings.stream()
                        .map(holding -> new Holding(holding.ip(), Holding.State.HELD, holding.spec(), null))
                        .toList());

        assertThat(way()).endsWith("ConfirmClaim[192.0.2.1]", "PlanAgain");
    }

    @Test
    void claimThatIsUnsure_isNotPublished() {
        outcomes.put("ConfirmClaim[192.0.2.1]", List.of(new Outcome.NotConfirmed(DENIED)));

        assertThat(way()).endsWith("ConfirmClaim[192.0.2.1]", "Publishnull", "Fail ClaimFailed");
    }

    @Test
    void addressThatGoesFromTheStatus_andCannotBeRead_stays() {
        service = service.ingress("192.0.2.7");
        outcomes.put("CheckPublished[192.0.2.7]", List.of(new Outcome.NotConfirmed(DENIED)));

        assertThat(way()).endsWith("CheckPublished[192.0.2.7]", "Publishnull", "Fail ClaimFailed");
    }

    private void publishesAnothersWhileItsProviderFails() {
        service = service.ingress("192.0.2.1", "192.0.2.7");
        stays = service.build().ingress().subList(0, 1);
        outcomes.put("Ensure", List.of(new Outcome.Failed(DENIED)));
    }

    @Test
    void addressThatIsAnothersByNow_goesFromTheStatus_alsoIfItsProviderFails() {
        publishesAnothersWhileItsProviderFails();

        assertThat(way())
                .containsSubsequence("Postpone", "CheckPublished[192.0.2.7]", "Publish" + stays, "Fail ClaimFailed");
    }

    @Test
    void addressThatSeemsAnothersByNow_andCannotBeRead_stays() {
        publishesAnothersWhileItsProviderFails();
        outcomes.put("CheckPublished[192.0.2.7]", List.of(new Outcome.NotConfirmed(DENIED)));

        assertThat(way()).endsWith("CheckPublished[192.0.2.7]", "Publishnull", "Fail ClaimFailed");
    }

    @Test
    void addressThatIsAnothersByNow_goesFromTheStatus_alsoIfAnotherIsUnsure() {
        service = service.ingress("192.0.2.7");
        stays = List.of();
        outcomes.put("ConfirmClaim[192.0.2.1]", List.of(new Outcome.NotConfirmed(DENIED)));

        assertThat(way()).endsWith("ConfirmClaim[192.0.2.1]", "Publish[]", "Fail ClaimFailed");
    }

    @Test
    void addressThatIsAnothersByNow_goesFromTheStatus_alsoIfWhatStaysIsNotHeldAgainYet() {
        publishesAnothersWhileItsProviderFails();
        holdings = List.of(claimed("192.0.2.9"));

        assertThat(way()).endsWith("CheckPublished[192.0.2.7]", "Publish" + stays, "Fail ClaimFailed");
    }

    /** And nobody knows yet whether the API server keeps modes. */
    private void hasItsAddressWithAnotherMode() {
        service = service.ingress(List.of(new Published("192.0.2.1", null, IpMode.PROXY)));
        ipModes = new IpModes(true, IpModes.Answer.UNKNOWN);
    }

    @Test
    void modeAlone_isNoReasonToWrite_beforeADryRunTellsWhetherItIsKept() {
        hasItsAddressWithAnotherMode();

        assertThat(way()).containsSubsequence("AskForIpMode", "Publish[192.0.2.1 (VIP)]");
    }

    @Test
    void modeThatAnotherJustAsksFor_isWaitedFor() {
        hasItsAddressWithAnotherMode();
        outcomes.put("AskForIpMode", List.of(new Outcome.AnotherAsks()));

        assertThat(way()).endsWith("AskForIpMode", "WaitPT1S");
    }

    @Test
    void modeThatCannotBeAskedFor_isNotWritten_norAnythingElse() {
        hasItsAddressWithAnotherMode();
        outcomes.put("AskForIpMode", List.of(new Outcome.IpModeNotAsked(DENIED)));

        assertThat(way()).endsWith("AskForIpMode", "Fail ClaimFailed");
    }

    @Test
    void ipModeThatCouldNotBeAskedFor_isNotAskedForAgainBeforeItsTime_alsoWhereTargetsAreDueSooner() {
        hasItsAddressWithAnotherMode();
        outcomes.put("AskForIpMode", List.of(new Outcome.IpModeNotAsked(DENIED)));

        waits = postponed(Publication.Difference.class, DENIED);

        assertThat(way()).doesNotContain("AskForIpMode").endsWith("WaitPT5S");
        targetsDue = Optional.of(Duration.ofSeconds(3));
        assertThat(way()).doesNotContain("AskForIpMode").endsWith("WaitPT3S");
    }

    @Test
    void patchThatFailed_waitsForItsTime_andIsNotSentWithoutTheClaimsBeingWrittenFirst() {
        waits = postponed(Publication.Difference.class, DENIED);

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "TakeTurn", "Ensure", "Accept", "Keep", "WaitPT5S");
    }

    /** What is of this kind failed in a way before, and must wait five seconds still. */
    private Waits postponed(Class<?> kind, ServiceFailure what) {
        ProviderState before = provider;
        assertThat(way()).isNotEmpty();
        provider = before;
        return new Waits(tried.stream()
                .filter(kind::isInstance)
                .map(attempt -> new Waits.Waiting(
                        attempt, new Postponed(new Postponed.Why.Failed(what), Duration.ofSeconds(5))))
                .toList());
    }

    @Test
    void failureThatWasSaidBefore_isSaidStill_andWaits_forItIsNoNewOne() {
        waits = postponed(Attempt.Call.class, DENIED);

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "Note", "Publishnull", "WaitPT5S");
    }

    @Test
    void callThatAnEarlierOneHeldUp_takesItsTurn_andIsPostponedIfThatHasNotReturned() {
        waits = postponed(Attempt.Call.class, DENIED.heldUpByEarlierCall());
        turn = new Outcome.Stuck("an earlier call has not returned yet");

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "TakeTurn", "Note", "Publishnull", "WaitPT5S");
    }

    @Test
    void callThatIsHeldUp_isSaid_andTriedAgainLater() {
        turn = new Outcome.Stuck("an earlier call has not returned yet");

        assertThat(way())
                .containsExactly("StopWaiting", "AskFor", "TakeTurn", "Postpone", "Publishnull", "Fail ProviderStuck");
    }

    @Test
    void serviceInLineForItsProvider_waitsForItsTurn_andSaysNothing() {
        turn = new Outcome.InLine();

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "TakeTurn", "WaitPT1M");
    }

    @Test
    void finalizerThatWasRefused_isNotSentAgainBeforeItsTime() {
        steps = List.of(acquire());
        marks = true;
        service = SampleService.named(WEB, "u1");
        waits = postponed(ServingEffect.Mark.class, DENIED);

        assertThat(way()).containsExactly("Choose", "CreateChosen", "CountAssigned", "StopWaiting", "WaitPT5S");
    }

    @Test
    void otherWordsOfItsProvider_areNotWrittenTooOften() {
        wordsWait = Optional.of(Duration.ofSeconds(20));
        outcomes.put("Ensure", List.of(new Outcome.OnItsWay(Duration.ofMinutes(1), "is half made")));
        service = service.annotation(WellKnownNames.SERVED_BY_CLASS, EDGE.value())
                .conditions(List.of(
                        saysOf(WellKnownNames.ADDRESS_ASSIGNED, true, "Assigned", "holds 192.0.2.1"),
                        saysOf(WellKnownNames.PROGRAMMED, false, "Pending", "is being made")));

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "TakeTurn", "Ensure", "DelayWords", "RestPT20S");
    }

    private static Condition saysOf(String type, boolean holds, String reason, String message) {
        return new Condition(type, Condition.Status.of(holds), reason, message, NOW);
    }
}
