package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.AddressConstraints;
import dev.berth.address.AddressRequest;
import dev.berth.address.Claim;
import dev.berth.address.ClaimSpec;
import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.Owner;
import dev.berth.address.PoolBook;
import dev.berth.address.QueuePosition;
import dev.berth.address.Requester;
import dev.berth.address.ServiceKey;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The ways of a Service that is served: the effects, in order, by what comes of each. */
class ServingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final WaitReason FULL = new WaitReason("PoolExhausted", "no free address");
    private static final Trouble DENIED = new Trouble("claiming 192.0.2.1", Reason.ClaimFailed, "denied", "request");
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
    private Serving.Waits waits = request -> Optional.empty();

    /** What comes of an effect, beside what always does; by its name. */
    private final Map<String, UnaryOperator<Facts>> outcomes = new HashMap<>();

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
        return EnsureOutcome.ready(new LoadBalancerStatus(List.of(Ingress.ofIp(ip, IpMode.VIP))));
    }

    /** Plays the part of the executor, with each effect done as it should be. */
    private List<String> way() {
        ServicePlan.Serve serve = new ServicePlan.Serve(service.build(), EDGE, AddressConstraints.NONE, steps, marks);
        List<String> way = new ArrayList<>();
        Facts facts = Facts.NONE;
        for (int effects = 0; effects < 20; effects++) {
            ServingEffect effect = Serving.next(serve, known(), facts);
            String name = name(effect);
            way.add(name);
            facts = outcomes.getOrDefault(name, UnaryOperator.identity()).apply(perform(serve, effect, facts));
            if (isLast(effect)) {
                return way;
            }
        }
        throw new AssertionError("no end: " + way);
    }

    private Serving.Known known() {
        return new Serving.Known(
                live,
                holdings,
                PoolBook.of(List.of(), List.of()),
                provider,
                answer -> true,
                published,
                false,
                new IpModes(true, IpModes.Answer.KEPT),
                waits,
                NOW);
    }

    private static boolean isLast(ServingEffect effect) {
        return effect instanceof ServingEffect.Rest
                || effect instanceof ServingEffect.Fail
                || effect instanceof ServingEffect.PlanAgain
                || effect instanceof ServingEffect.AddFinalizer
                || effect instanceof ServingEffect.Wait
                || (effect instanceof ServingEffect.Call(ProviderCall call) && call instanceof ProviderCall.ReadLive);
    }

    private static String name(ServingEffect effect) {
        return switch (effect) {
            case ServingEffect.TakeStep(int index, Step.Serving step) ->
                step.getClass().getSimpleName();
            case ServingEffect.Call(ProviderCall call) -> call.getClass().getSimpleName();
            case ServingEffect.CheckPublished(List<Ip> ips) -> "CheckPublished" + ips;
            case ServingEffect.ConfirmClaims(List<Ip> ips) -> "ConfirmClaims" + ips;
            case ServingEffect.ReleaseSurplus(List<Ip> ips) -> "ReleaseSurplus" + ips;
            case ServingEffect.Publish(Publication wanted) -> "Publish" + wanted.ingress();
            case ServingEffect.Rest(Optional<Duration> again) ->
                "Rest" + again.map(Duration::toString).orElse("");
            case ServingEffect.Wait(Duration delay) -> "Wait" + delay;
            case ServingEffect.Fail(Trouble what, boolean losesTurn) ->
                "Fail " + what.reason() + (losesTurn ? ", loses turn" : "");
            default -> effect.getClass().getSimpleName();
        };
    }

    private Facts perform(ServicePlan.Serve serve, ServingEffect effect, Facts facts) {
        return switch (effect) {
            case ServingEffect.StopWaiting none -> facts.with(Done.QUEUE_LEFT);
            case ServingEffect.TakeStep(int index, Step.Serving step) -> facts.withSteps(index + 1);
            case ServingEffect.AskFor none ->
                facts.withDemand(Demand.of(
                        serve.service(),
                        EDGE,
                        "c",
                        1,
                        AddressConstraints.NONE,
                        holdings.stream().map(Holding::ip).limit(1).toList(),
                        Backends.NONE));
            case ServingEffect.Call(ProviderCall call) -> called(call, facts);
            case ServingEffect.CheckPublished checked -> facts.with(Done.PUBLISHED_CHECKED);
            case ServingEffect.CountOverwrite counted -> facts.with(Done.OVERWRITE_COUNTED);
            case ServingEffect.AskForIpMode asked -> facts.with(Done.IP_MODE_ASKED);
            case ServingEffect.ConfirmClaims confirmed -> facts.with(Done.CLAIMS_CONFIRMED);
            case ServingEffect.Publish(Publication wanted) -> facts.published(wanted, true);
            case ServingEffect.ReleaseSurplus(List<Ip> ips) -> {
                holdings = holdings.stream()
                        .filter(holding -> !ips.contains(holding.ip()))
                        .toList();
                yield facts.with(Done.SURPLUS_RELEASED);
            }
            default -> facts;
        };
    }

    private Facts called(ProviderCall call, Facts facts) {
        return switch (call) {
            case ProviderCall.Ensure(var request) -> {
                provider = provider.ensured(
                        request, EDGE, ready(request.addresses().getFirst()));
                yield facts;
            }
            case ProviderCall.Keep(EnsureOutcome.Ready answer) ->
                facts.withIngress(Publication.ingressOf(
                                answer.status(), true, service.build().ports(), List.of()))
                        .with(Done.PROVIDER_ASKED);
            case ProviderCall.NothingToServe none ->
                facts.withIngress(List.of()).with(Done.PROVIDER_ASKED);
            default -> facts;
        };
    }

    @Test
    void newService_isMarked_beforeTheWorldIsTouched() {
        steps = List.of(acquire());
        marks = true;

        assertThat(way()).containsExactly("Acquire", "AddFinalizer");
    }

    @Test
    void markedService_isReadLive_beforeItsProviderIsAskedTheFirstTime() {
        live = false;

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "ReadLive");
    }

    @Test
    void firstServe_asksTheProvider_confirmsTheClaim_andPublishes() {
        assertThat(way())
                .containsExactly(
                        "StopWaiting",
                        "AskFor",
                        "Ensure",
                        "Keep",
                        "ConfirmClaims[192.0.2.1]",
                        "Publish[192.0.2.1 (VIP)]",
                        "Rest");
    }

    @Test
    void serviceForWhichNoAddressIsFree_saysSo_andRests() {
        steps = List.of(acquire());
        holdings = List.of();
        outcomes.put("Acquire", facts -> facts.waitingFor(FULL));
        service = SampleService.named(WEB, "u1");

        assertThat(way()).containsExactly("Acquire", "AskFor", "NothingToServe", "Publish[]", "Rest");
    }

    @Test
    void halfThatIsOfNoUseWithoutTheRest_isNotConfirmed() {
        steps = List.of(acquire(), new Step.ConfirmClaim(claimed("192.0.2.9"), EDGE));
        outcomes.put("Acquire", facts -> facts.waitingFor(FULL));

        assertThat(way()).doesNotContain("ConfirmClaim");
    }

    @Test
    void claimThatIsRefused_isSaid_andLosesItsTurn_withNoCallToTheProvider() {
        steps = List.of(acquire());
        holdings = List.of();
        outcomes.put("Acquire", facts -> facts.withTrouble(DENIED));

        assertThat(way()).containsExactly("Acquire", "Publishnull", "Fail ClaimFailed, loses turn");
    }

    @Test
    void providerThatFails_isSaid_andWhatIsPublishedStays() {
        outcomes.put(
                "Ensure",
                facts -> facts.withTrouble(
                        new Trouble("ensuring load balancer", Reason.EnsureFailed, "quota", "request")));

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "Ensure", "Publishnull", "Fail EnsureFailed");
    }

    @Test
    void addressThatGoesFromTheStatus_andIsNotTheServicesOwn_isReadFirst() {
        service = service.ingress("192.0.2.7");

        assertThat(way()).containsSubsequence("Keep", "CheckPublished[192.0.2.7]", "Publish[192.0.2.1 (VIP)]");
    }

    @Test
    void moreThanOneAddressAFamily_isAStrangersWork_andIsNotLookedUp() {
        service = service.ingress("192.0.2.7", "192.0.2.8", "192.0.2.9");

        assertThat(way()).noneMatch(effect -> effect.startsWith("CheckPublished"));
    }

    @Test
    void whatIsHeldBeyondNeed_isReleased_afterItIsPublishedNoLonger_andAllIsPlannedAgain() {
        holdings = List.of(claimed("192.0.2.1"), claimed("192.0.2.2"));

        assertThat(way()).containsSubsequence("Publish[192.0.2.1 (VIP)]", "ReleaseSurplus[192.0.2.2]", "PlanAgain");
    }

    @Test
    void statusThatAnotherWrote_isCounted_andPutRight() {
        published = List.of(new Published("192.0.2.1", null, IpMode.VIP));
        service = service.ingress("198.51.100.9");

        assertThat(way()).containsSubsequence("CountOverwrite", "Publish[192.0.2.1 (VIP)]", "Rest");
    }

    @Test
    void statusThatAnotherKeepsWriting_isLetStandForAWhile() {
        published = List.of(new Published("192.0.2.1", null, IpMode.VIP));
        service = service.ingress("198.51.100.9");
        outcomes.put(
                "CountOverwrite", facts -> facts.with(Done.OVERWRITE_LET_STAND).lookingAgain(Duration.ofSeconds(5)));

        assertThat(way()).endsWith("CountOverwrite", "Publishnull", "RestPT5S");
    }

    @Test
    void addressWhoseClaimVanishes_whileItIsConfirmed_isNotPublished() {
        outcomes.put("ConfirmClaims[192.0.2.1]", facts -> {
            holdings = holdings.stream()
                    .map(holding -> new Holding(holding.ip(), Holding.State.HELD, holding.spec(), null))
                    .toList();
            return facts;
        });

        assertThat(way()).endsWith("ConfirmClaims[192.0.2.1]", "PlanAgain");
    }

    @Test
    void claimThatIsUnsure_isNotPublished() {
        outcomes.put(
                "ConfirmClaims[192.0.2.1]", facts -> facts.withTrouble(DENIED).withoutIngress());

        assertThat(way()).endsWith("ConfirmClaims[192.0.2.1]", "Publishnull", "Fail ClaimFailed");
    }

    @Test
    void patchThatFailed_waitsForItsTime_andIsNotSentWithoutTheClaimsBeingWrittenFirst() {
        waits = request ->
                request instanceof Publication.Difference ? Optional.of(Duration.ofSeconds(5)) : Optional.empty();

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "Ensure", "Keep", "WaitPT5S");
    }

    @Test
    void failureThatWasSaidBefore_isSaidStill_andWaits_forItIsNoNewOne() {
        outcomes.put("Ensure", facts -> facts.putOff(new PutOff.Failed(DENIED), Duration.ofMinutes(50)));

        assertThat(way()).containsExactly("StopWaiting", "AskFor", "Ensure", "Publishnull", "WaitPT50M");
    }
}
