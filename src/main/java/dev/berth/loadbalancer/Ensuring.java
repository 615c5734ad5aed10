package dev.berth.loadbalancer;

import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Facts.Turn;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Optional;

/**
 * What to do next at the provider of a Service that is served: it is called, in its turn and not before its time, or
 * what it answered holds. Pure: the part of {@link Serving} between the claims and the status.
 */
final class Ensuring {
    private final ServiceState service;
    private final ServedClass served;
    private final Serving.Known known;
    private final ObservedState situation;
    private final Facts facts;
    private final Demand demand;

    private Ensuring(ServicePlan.Serve serve, Serving.Known known, Facts facts, Demand demand) {
        this.service = serve.service();
        this.served = serve.servedClass();
        this.known = known;
        this.situation = known.situation();
        this.facts = facts;
        this.demand = demand;
    }

    /**
     * Which call its provider gets next, or what comes after the last one.
     *
     * @param demand what the Service asks of its provider
     */
    static ServingEffect next(ServicePlan.Serve serve, Serving.Known known, Facts facts, Demand demand) {
        return new Ensuring(serve, known, facts, demand).next();
    }

    private ServingEffect next() {
        // A node or an endpoint that came while the provider was being notified of others must not be lost.
        return facts.targetsNow()
                .filter(situation.provider()::knowsOther)
                .<ServingEffect>map(now -> new ServingEffect.MakeDue())
                .or(() -> facts.unjudged().map(this::judged))
                .orElseGet(this::nextCall);
    }

    private ServingEffect judged(Outcome.Unjudged came) {
        return switch (came) {
            case Outcome.Answered(EnsureOutcome.Ready answer, AnsweredAddresses addresses) ->
                broken(answer, addresses)
                        .<ServingEffect>map(broken -> new ServingEffect.Postpone(refused(broken)))
                        .orElseGet(() -> new ServingEffect.Accept(demand.request(), answer));
            case Outcome.Looked(EnsureOutcome.Ready before, Optional<LoadBalancerStatus> found) ->
                found.filter(status -> status.canonical().equals(before.status().canonical()))
                        .<ServingEffect>map(ServingEffect.Refresh::new)
                        .orElseGet(() ->
                                new ServingEffect.AskAgain(ProviderEvents.drifted(called(), before.status(), found)));
            case Outcome.NotUpdated(String cause) ->
                new ServingEffect.AskAgain(ProviderEvents.notUpdated(demand.request(), served, cause));
        };
    }

    private String called() {
        return situation.named().called(served, service.uid());
    }

    private ServiceFailure refused(AnswerRules.Broken broken) {
        return new ServiceFailure(
                "ensuring " + called() + " for " + service.key(),
                Reason.AnswerRefused,
                "provider \"" + served.provider() + "\" answered " + broken + "; nothing of it is published",
                new Attempt.Call(demand.request()));
    }

    private ServingEffect nextCall() {
        ProviderCall next = ProviderCall.next(
                situation.provider(),
                demand,
                served,
                service.hasOurFinalizer(),
                situation.live(),
                answer -> broken(answer, known.answered()).isEmpty());
        return switch (next) {
            case ProviderCall.LeaveToAnother none -> new TerminalEffect.AwaitEvent();
            case ProviderCall.Hold(LoadBalancerRequest request, String why) -> hold(request, why);
            case ProviderCall.NothingToServe none ->
                new ServingEffect.Note(List.of(new Outcome.ToPublish(List.of()), new Outcome.Did(Done.PROVIDER_ASKED)));
            case ProviderCall.Keep(EnsureOutcome.Ready answer) -> new ServingEffect.Keep(published(answer));
            case ProviderCall.Look look -> look(look);
            case ProviderCall.ReadLive first -> inTurn(first, new TerminalEffect.PlanAgain(true));
            case ProviderCall.Update update -> inTurn(update, call(update));
            case ProviderCall.Ensure ensure -> inTurn(ensure, call(ensure));
            case ProviderCall.Delete delete ->
                facts.ingress().equals(Optional.of(List.of()))
                        ? inTurn(delete, call(delete))
                        : new ServingEffect.Note(List.of(new Outcome.ToPublish(List.of())));
        };
    }

    private ServingEffect call(ProviderCall.Made made) {
        return new ServingEffect.Call(made, ProviderEvents.before(made, served), ProviderEvents.after(made, served));
    }

    /** What of the contract an answer breaks; absent: it may be published. */
    private Optional<AnswerRules.Broken> broken(EnsureOutcome.Ready answer, AnsweredAddresses addresses) {
        return AnswerRules.broken(answer.status(), demand.request(), served.capabilities(), addresses);
    }

    /** In the order of the Service's families, whatever the provider's: two operators may remember two answers. */
    private List<Published> published(EnsureOutcome.Ready answer) {
        return Published.inOrderOf(
                service.wantedFamilies(),
                Publication.ingressOf(
                        answer.status(),
                        known.ipModes().isPublished(Publication.usesIpMode(service.ingress())),
                        service.ports(),
                        demand.portErrors()));
    }

    /** Says what is lacking; whoever brings it makes the Service due. */
    private ServingEffect hold(LoadBalancerRequest request, String why) {
        return situation
                .waits()
                .on(new Attempt.Call(request))
                .map(Ensuring::saidBefore)
                .orElseGet(() -> new ServingEffect.Note(List.of(new Outcome.Failed(new ServiceFailure(
                        "ensuring load balancer for " + service.key(),
                        Reason.CertificateMissing,
                        why,
                        new Attempt.Call(request))))));
    }

    /** What is in line stays in doubt until its turn. */
    private ServingEffect look(ProviderCall.Look look) {
        Turn turn = facts.turn().orElse(null);
        if (turn == null) {
            return new ServingEffect.TakeTurn(look.request());
        }
        return turn == Turn.TAKEN ? call(look) : new ServingEffect.Keep(published(look.known()));
    }

    private ServingEffect inTurn(ProviderCall.InTurn call, ServingEffect then) {
        LoadBalancerRequest request = call.request();
        return switch (CallTurn.of(situation.waits().on(new Attempt.Call(request)), facts)) {
            case CallTurn.Taken taken -> then;
            case CallTurn.Untried untried -> new ServingEffect.TakeTurn(request);
            case CallTurn.NotYet(Postponed postponed) -> saidBefore(postponed);
            case CallTurn.InLine inLine -> new TerminalEffect.Wait(ProviderCall.IN_LINE);
            case CallTurn.Stuck(String message) ->
                new ServingEffect.Postpone(stuck(call, message).heldUpByEarlierCall());
        };
    }

    private ServiceFailure stuck(ProviderCall.InTurn call, String message) {
        LoadBalancerRequest request = call.request();
        return call instanceof ProviderCall.Delete
                ? ServiceFailure.ofDeleting(request.service(), message, new Attempt.Call(request))
                : new ServiceFailure(
                        "ensuring load balancer for " + service.key(),
                        Reason.ProviderStuck,
                        message,
                        new Attempt.Call(request));
    }

    /** Somebody may have taken it off the status meanwhile. */
    private static ServingEffect saidBefore(Postponed postponed) {
        return new ServingEffect.Note(List.of(new Outcome.StillPostponed(postponed)));
    }
}
