package dev.berth.loadbalancer;

import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Facts.Turn;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest;
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
    private final Situation situation;
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
     * Decides.
     *
     * @param demand what the Service asks of its provider
     */
    static ServingEffect next(ServicePlan.Serve serve, Serving.Known known, Facts facts, Demand demand) {
        return new Ensuring(serve, known, facts, demand).next();
    }

    private ServingEffect next() {
        ProviderCall next = ProviderCall.next(
                situation.provider(),
                demand,
                served,
                service.hasOurFinalizer(),
                situation.live(),
                answer -> broken(answer, known.answered()).isEmpty());
        return switch (next) {
            case ProviderCall.LeaveToAnother none -> new Ending.AwaitEvent();
            case ProviderCall.Hold(LoadBalancerRequest request, String why) -> hold(request, why);
            case ProviderCall.NothingToServe none ->
                new ServingEffect.Note(List.of(new Outcome.ToPublish(List.of()), new Outcome.Did(Done.PROVIDER_ASKED)));
            case ProviderCall.Keep(EnsureOutcome.Ready answer) -> new ServingEffect.Keep(published(answer));
            case ProviderCall.Look look -> look(look);
            case ProviderCall.ReadLive first -> inTurn(first, new Ending.PlanAgain(true));
            case ProviderCall.Update update -> inTurn(update, new ServingEffect.Call(update));
            case ProviderCall.Ensure ensure -> inTurn(ensure, new ServingEffect.Call(ensure));
            case ProviderCall.Withdraw withdraw ->
                facts.ingress().equals(Optional.of(List.of()))
                        ? inTurn(withdraw, new ServingEffect.Call(withdraw))
                        : new ServingEffect.Note(List.of(new Outcome.ToPublish(List.of())));
        };
    }

    /** What of the contract an answer breaks; absent: it may be published. */
    private Optional<AnswerRules.Broken> broken(EnsureOutcome.Ready answer, AnsweredAddresses addresses) {
        return AnswerRules.broken(answer.status(), demand.request(), served.capabilities(), addresses);
    }

    private List<Published> published(EnsureOutcome.Ready answer) {
        return Publication.ingressOf(
                answer.status(),
                known.ipModes().isPublished(Publication.usesIpMode(service.ingress())),
                service.ports(),
                demand.portErrors());
    }

    /** Says what is lacking; whoever brings it makes the Service due. */
    private ServingEffect hold(LoadBalancerRequest request, String why) {
        return situation
                .waits()
                .on(request)
                .map(Ensuring::saidBefore)
                .orElseGet(() -> new ServingEffect.Note(List.of(new Outcome.Failed(new Trouble(
                        "ensuring load balancer for " + service.key(), Reason.CertificateMissing, why, request)))));
    }

    /** What is in line stays in doubt until its turn. */
    private ServingEffect look(ProviderCall.Look look) {
        Turn turn = facts.turn().orElse(null);
        if (turn == null) {
            return new ServingEffect.TakeTurn(look.request());
        }
        return turn == Turn.TAKEN ? new ServingEffect.Call(look) : new ServingEffect.Keep(published(look.known()));
    }

    private ServingEffect inTurn(ProviderCall.InTurn call, ServingEffect then) {
        LoadBalancerRequest request = call.request();
        return switch (CallTurn.of(situation.waits().on(request), facts)) {
            case CallTurn.Taken taken -> then;
            case CallTurn.Untried untried -> new ServingEffect.TakeTurn(request);
            case CallTurn.NotYet(Postponed postponed) -> saidBefore(postponed);
            case CallTurn.InLine inLine -> new Ending.Wait(ProviderCall.IN_LINE);
            case CallTurn.Stuck(String message) ->
                new ServingEffect.GiveUpCall(stuck(call, message).heldUpByEarlierCall());
        };
    }

    private Trouble stuck(ProviderCall.InTurn call, String message) {
        LoadBalancerRequest request = call.request();
        return call instanceof ProviderCall.Withdraw
                ? Trouble.ofDeleting(request.service(), message, request)
                : new Trouble("ensuring load balancer for " + service.key(), Reason.ProviderStuck, message, request);
    }

    /** Somebody may have taken it off the status meanwhile. */
    private static ServingEffect saidBefore(Postponed postponed) {
        return new ServingEffect.Note(List.of(new Outcome.StillPostponed(postponed)));
    }
}
