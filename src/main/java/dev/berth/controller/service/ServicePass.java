package dev.berth.controller.service;

import dev.berth.address.AddressRequest;
import dev.berth.address.Choice;
import dev.berth.address.ClaimSpec;
import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.Refusal;
import dev.berth.controller.Next;
import dev.berth.controller.service.PassClaims.Checked;
import dev.berth.kube.Events.About;
import dev.berth.loadbalancer.Adoption;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.ProviderCall;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServicePlan.Skip.Reason;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Serving;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.loadbalancer.Step;
import dev.berth.loadbalancer.TearDownEffect;
import dev.berth.loadbalancer.TearingDown;
import dev.berth.loadbalancer.Trouble;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out one plan for one Service: the only place that acts for it. Used once. */
final class ServicePass {
    private static final Logger LOG = LoggerFactory.getLogger(ServicePass.class);

    /** When one that shares the address of another looks whether that one has claimed it. */
    private static final Duration SHARED_SOON = Duration.ofSeconds(1);

    /** When one that cannot be taken over is looked at again. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    /** What came of it. */
    sealed interface Outcome {
        record Finished(Next next) implements Outcome {}

        /** Something is not as the plan thought: plan again, from a live read or from the cache. */
        record Again(boolean live) implements Outcome {}
    }

    private final PassState pass;
    private final PassClaims claims;
    private final PassProvider provider;
    private final PassStatus status;
    private final PassNodePorts nodePorts;

    ServicePass(PassState pass) {
        this.pass = pass;
        claims = new PassClaims(pass);
        provider = new PassProvider(pass);
        status = new PassStatus(pass);
        nodePorts = new PassNodePorts(pass);
    }

    /** What it carries out; after it ran, what came of the plan that it was given. */
    ServicePlan plan() {
        return pass.plan;
    }

    /** Whether it could not ask the provider, which alone knows if it has a load balancer for the Service. */
    boolean isProviderStillToBeAsked() {
        return provider.isStillToBeAsked();
    }

    /** That it was the last of {@code looks}, and is no more use than those before. */
    Outcome overtaken(int looks) {
        return pass.service
                .map(state -> pass.overtaken(state, looks))
                .orElseGet(() ->
                        new Outcome.Finished(Next.after(pass.parts.backoff().after(1))));
    }

    Outcome run() {
        Optional<Outcome> before = provider.deletePredecessors();
        if (before.isPresent()) {
            pass.service.ifPresent(state -> pass.facts.trouble().ifPresent(what -> sayWhyItWaits(state, what)));
            return before.get();
        }
        if (!(pass.plan instanceof ServicePlan.Serve)) {
            pass.parts.metrics().waits(pass.key, Optional.empty());
        }
        return switch (pass.plan) {
            case ServicePlan.NotOurs none -> {
                pass.due.accept(pass.parts.ledger().stopWaiting(pass.key));
                yield withdraw(none.steps());
            }
            case ServicePlan.Skip leave -> leaveAlone(leave);
            case ServicePlan.Adopt adopt -> adopt(adopt);
            case ServicePlan.TearDown tearDown -> tearDown(tearDown);
            case ServicePlan.Serve serve -> serve(serve);
        };
    }

    private Outcome leaveAlone(ServicePlan.Skip leave) {
        pass.due.accept(pass.parts.ledger().stopWaiting(pass.key));
        pass.parts
                .events()
                .warning(About.service(leave.service()), leave.reason().name(), leave.message());
        for (Step.Refraining step : leave.steps()) {
            if (step instanceof Step.Explain(String reason, String message)) {
                return explain(leave.service(), reason, message);
            }
        }
        return withdraw(leave.steps());
    }

    /** It is tried again in any case. */
    private void sayWhyItWaits(ServiceState state, Trouble what) {
        pass.parts.metrics().waits(pass.key, Optional.of(what.reason().name()));
        status.write(state, explained(state, what.reason().name(), what.message()), "saying why it waits");
    }

    /** An event is gone after an hour; this stays as long as it is so. */
    private Outcome explain(ServiceState state, String reason, String message) {
        return writeAlone(state, explained(state, reason, message), "saying why it is left alone");
    }

    private Publication explained(ServiceState state, String reason, String message) {
        List<Ip> own = pass.addressesOf(state);
        String holds = own.stream().map(Ip::toString).collect(Collectors.joining(", "));
        boolean hasItsProviders = state.servedByClass().isPresent()
                && !state.ingress().isEmpty()
                && pass.parts.ledger().heldFor(pass.key).isEmpty();
        List<Condition> conditions = new ArrayList<>();
        conditions.add(Publication.condition(
                state,
                WellKnownNames.ADDRESS_ASSIGNED,
                !own.isEmpty() || hasItsProviders,
                reason,
                own.isEmpty() ? message : "holds " + holds + "; " + message,
                pass.now()));
        state.conditions().stream()
                .filter(other -> WellKnownNames.CONDITIONS.contains(other.type())
                        && !other.type().equals(WellKnownNames.ADDRESS_ASSIGNED)
                        && !other.type().equals(WellKnownNames.RELEASING))
                .forEach(conditions::add);
        // After a restart nothing else tells which provider made something for it.
        return pass.memory
                .provider()
                .bringsItsOwn(state.uid())
                .map(madeBy -> new Publication(true, madeBy, null, conditions))
                .orElseGet(() -> new Publication(false, null, conditions));
    }

    /** Takes it over with all that it publishes, or leaves it alone: no part of it, and nothing else. */
    private Outcome adopt(ServicePlan.Adopt adopt) {
        AddressRequest request = adopt.request();
        return switch (pass.parts.ledger().adopt(request)) {
            case Choice.Refused(AddressRequest same, List<Refusal> refusals) -> {
                if (Adoption.isSharedSoon(refusals)) {
                    yield new Outcome.Finished(Next.after(SHARED_SOON));
                }
                WaitReason why = Adoption.refused(request, refusals);
                ServicePlan.Skip leave = new ServicePlan.Skip(
                        adopt.service(), Reason.ServedByAnother, adopt.className(), why.message(), adopt.steps());
                pass.plan = leave;
                Outcome left = leaveAlone(leave);
                // What hinders it may end without an event on it: a quota, a label of its namespace.
                yield left.equals(new Outcome.Finished(Next.ON_EVENT))
                        ? new Outcome.Finished(Next.after(LOOK_AGAIN))
                        : left;
            }
            case Choice.Assigned assigned -> {
                assigned.picks().stream()
                        .flatMap(pick -> Optional.ofNullable(pick.joins()).stream())
                        .forEach(shared -> claims.join(shared, request, request));
                yield pass.facts
                        .trouble()
                        .map(what -> pass.failed(adopt.service(), what))
                        .orElse(new Outcome.Again(false));
            }
        };
    }

    private Outcome withdraw(List<Step.Refraining> steps) {
        if (pass.service.isEmpty() || !steps.contains(new Step.RemoveConditions())) {
            return new Outcome.Finished(Next.ON_EVENT);
        }
        return writeAlone(pass.service.get(), new Publication(false, null, List.of()), "taking the conditions back");
    }

    private Outcome writeAlone(ServiceState state, Publication wanted, String doing) {
        return status.write(state, wanted, doing)
                .orElseGet(() -> pass.facts
                        .trouble()
                        .map(what -> pass.failed(state, what))
                        .orElse(new Outcome.Finished(Next.ON_EVENT)));
    }

    /** Does one effect, adds what came of it to the facts, and asks again. */
    private Outcome serve(ServicePlan.Serve serve) {
        pass.memory.doubtIfDue(pass.steady());
        while (true) {
            Optional<Outcome> end = perform(serve, Serving.next(serve, known(serve), pass.facts));
            if (end.isPresent()) {
                return end.get();
            }
        }
    }

    private Serving.Known known(ServicePlan.Serve serve) {
        ServiceState state = serve.service();
        return new Serving.Known(
                pass.live,
                pass.parts.ledger().heldFor(pass.key),
                pass.parts.ledger().pools(),
                pass.memory.provider(),
                ready -> provider.isUnbroken(serve, ready),
                pass.memory.status.published(state.uid()),
                status.isInConflict(state),
                pass.parts.ipMode().known(pass.steady()),
                request -> pass.memory.retries.mustWait(request, pass.steady()),
                pass.now());
    }

    private Optional<Outcome> perform(ServicePlan.Serve serve, ServingEffect effect) {
        ServiceState state = serve.service();
        return switch (effect) {
            case ServingEffect.Wait(Duration delay) -> Optional.of(new Outcome.Finished(Next.after(delay)));
            case ServingEffect.StopWaiting none -> {
                pass.due.accept(pass.parts.ledger().stopWaiting(pass.key));
                yield did(Done.QUEUE_LEFT);
            }
            case ServingEffect.TakeStep(int index, Step.Serving step) -> {
                pass.facts = pass.facts.withSteps(index + 1);
                yield take(serve, step);
            }
            case ServingEffect.AddFinalizer(Publication wanted) -> status.addFinalizer(state, wanted);
            case ServingEffect.AskFor none -> {
                pass.facts = pass.facts.withDemand(provider.demand(state, serve.servedClass()));
                yield Optional.empty();
            }
            case ServingEffect.Call(ProviderCall call) -> provider.call(serve, call);
            case ServingEffect.CheckPublished(List<Ip> going) ->
                checked(Done.PUBLISHED_CHECKED, claims.checkPublished(serve, going));
            case ServingEffect.CountOverwrite(List<Published> wanted) -> {
                status.countOverwrite(state, wanted);
                yield Optional.empty();
            }
            case ServingEffect.AskForIpMode(Publication wanted) -> status.askForIpMode(state, wanted);
            case ServingEffect.ConfirmClaims(List<Ip> first) ->
                checked(Done.CLAIMS_CONFIRMED, claims.confirm(serve, first));
            case ServingEffect.Publish(Publication wanted) -> status.publish(state, wanted);
            case ServingEffect.ReleaseSurplus(List<Ip> addresses) -> {
                pass.facts = pass.facts.with(Done.SURPLUS_RELEASED);
                yield claims.release(addresses);
            }
            case ServingEffect.ReleaseNodePorts none -> nodePorts.release(serve);
            case ServingEffect.PlanAgain none -> Optional.of(new Outcome.Again(false));
            case ServingEffect.Fail(Trouble what, boolean losesTurn) -> {
                if (losesTurn) {
                    claims.loseTurn(state);
                }
                yield Optional.of(pass.failed(state, what));
            }
            case ServingEffect.Rest(Optional<Duration> again) -> {
                rest(again);
                yield Optional.of(new Outcome.Finished(new Next(pass.memory.nextLook(again, pass.steady()))));
            }
        };
    }

    private Optional<Outcome> did(Done what) {
        pass.facts = pass.facts.with(what);
        return Optional.empty();
    }

    private Optional<Outcome> checked(Done what, Checked checked) {
        return switch (checked) {
            case AS_KNOWN -> did(what);
            case OTHERWISE -> Optional.of(new Outcome.Again(true));
            case UNSURE -> {
                pass.facts = pass.facts.withoutIngress();
                yield did(what);
            }
        };
    }

    private void rest(Optional<Duration> again) {
        if (again.isEmpty()) {
            pass.memory.succeeded();
        }
        if (pass.parts.ledger().turnOf(pass.key).isEmpty()) {
            // It does not wait. One that does may leave the queue for a while, when its class is not accepted.
            pass.memory.forgetTurn();
        }
    }

    private Optional<Outcome> take(ServicePlan.Serve serve, Step.Serving step) {
        return switch (step) {
            case Step.ConfirmClaim(Holding holding, ServedClass served) -> claims.secure(serve, holding, served);
            case Step.Amend(Holding holding, ClaimSpec spec) -> claims.amend(serve, holding, spec);
            case Step.Acquire(AddressRequest request) -> claims.acquire(serve, request);
            case Step.Refuse(WaitReason why) -> {
                pass.facts = pass.facts.waitingFor(why);
                yield Optional.empty();
            }
            case Step.Warn(WaitReason why) -> {
                pass.facts = pass.facts.withSharingConflict(why);
                yield Optional.empty();
            }
        };
    }

    private Outcome tearDown(ServicePlan.TearDown down) {
        while (true) {
            Optional<Outcome> end = perform(down, TearingDown.next(down, pass.service, knownToTearDown(), pass.facts));
            if (end.isPresent()) {
                return end.get();
            }
        }
    }

    private TearingDown.Known knownToTearDown() {
        return new TearingDown.Known(
                pass.live,
                pass.memory.provider(),
                served -> pass.service
                        .map(state -> provider.demand(state, served).request())
                        .orElseThrow(),
                request -> pass.memory.retries.mustWait(request, pass.steady()),
                pass.service.filter(pass::isReleasing).isPresent());
    }

    private Optional<Outcome> perform(ServicePlan.TearDown down, TearDownEffect effect) {
        return switch (effect) {
            case TearDownEffect.Wait(Duration delay) -> Optional.of(new Outcome.Finished(Next.after(delay)));
            case TearDownEffect.TakeTurn(ServedClass by, LoadBalancerRequest request) -> {
                Optional<Outcome> hindered = provider.takeTurn(down, by, request);
                yield hindered.isPresent() ? hindered : did(Done.TURN_TAKEN);
            }
            case TearDownEffect.ReadLive none -> Optional.of(new Outcome.Again(true));
            case TearDownEffect.StopWaiting none -> {
                pass.due.accept(pass.parts.ledger().stopWaiting(pass.key));
                yield did(Done.QUEUE_LEFT);
            }
            case TearDownEffect.Delete(ServedClass by, LoadBalancerRequest request) ->
                provider.delete(down, by, request);
            case TearDownEffect.Clear(ServiceState state, List<Published> others) -> {
                Optional<Outcome> end = status.clear(state, others, down.steps());
                yield end.isPresent() ? end : did(Done.CLEARED);
            }
            case TearDownEffect.Release(List<Ip> addresses) -> {
                Optional<Outcome> end = claims.release(addresses);
                yield end.isPresent() ? end : did(Done.RELEASED);
            }
            case TearDownEffect.LookAgain(Duration delay) -> {
                LOG.info("Service {} is no longer served: {}", pass.key, down.why());
                yield Optional.of(new Outcome.Finished(Next.after(delay)));
            }
            case TearDownEffect.Finish(boolean forgets, boolean planAgain) -> {
                LOG.info("Service {} is no longer served: {}", pass.key, down.why());
                pass.memory.succeeded();
                pass.memory.forgetTurn();
                if (forgets) {
                    pass.memory.provider(state -> ProviderState.nothing());
                }
                yield Optional.of(planAgain ? new Outcome.Again(false) : new Outcome.Finished(Next.ON_EVENT));
            }
        };
    }
}
