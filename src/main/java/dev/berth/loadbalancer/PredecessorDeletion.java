package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.ProviderState.Made;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Optional;

/**
 * What to do next about what was made for another Service of the same name, which lost our finalizer to somebody and is
 * gone, or by another provider, for the class was created again: that provider deletes it before anything else is done.
 * Pure: whoever does it asks again with what came of it.
 */
public final class PredecessorDeletion {
    private final ServicePlan plan;
    private final Optional<ServiceState> service;
    private final Made made;
    private final ObservedState situation;
    private final Facts facts;

    private PredecessorDeletion(
            ServicePlan plan, Optional<ServiceState> service, Made made, ObservedState situation, Facts facts) {
        this.plan = plan;
        this.service = service;
        this.made = made;
        this.situation = situation;
        this.facts = facts;
    }

    /**
     * Decides; absent: nothing is left to do, and the Service's own plan is carried out.
     *
     * @param plan of the Service that has the name now
     * @param service empty: none has it
     */
    public static Optional<PredecessorEffect> next(
            ServicePlan plan, Optional<ServiceState> service, ObservedState situation, Facts facts) {
        return facts.did(Done.PREDECESSOR_DELETED)
                ? Optional.empty()
                : toDelete(plan, service, situation.provider())
                        .filter(found -> !found.by().capabilities().immediate())
                        .flatMap(found -> new PredecessorDeletion(plan, service, found, situation, facts).next());
    }

    /**
     * What is to be deleted once a Service is gone, outside of all passes; absent: nothing, or a pass does it, for the one
     * it was made for holds addresses still: these are released once it is deleted.
     *
     * @param holdings those of the name of the Service that is gone
     */
    public static Optional<Made> ofGone(ProviderState provider, List<Holding> holdings) {
        return provider.madeForAnother(Optional.empty()).filter(made -> {
            ServiceIdentity service = made.request().service();
            ServiceKey key = new ServiceKey(service.namespace(), service.name());
            return holdings.stream().noneMatch(holding -> holding.isFor(key, service.uid()));
        });
    }

    private static Optional<Made> toDelete(ServicePlan plan, Optional<ServiceState> service, ProviderState provider) {
        return provider.madeForAnother(service.map(ServiceState::uid))
                .or(() -> Optional.of(classes(plan))
                        .filter(classes -> !classes.isEmpty())
                        .flatMap(provider::madeByOther));
    }

    /** Those whose providers are asked to make or to delete something by the plan; empty: none is. */
    private static List<ServedClass> classes(ServicePlan plan) {
        return switch (plan) {
            case ServicePlan.Serve serve -> List.of(serve.servedClass());
            case ServicePlan.TearDown down -> down.deletes();
            case ServicePlan.Adopt none -> List.of();
            case ServicePlan.Skip none -> List.of();
            case ServicePlan.NotOurs none -> List.of();
        };
    }

    private Optional<PredecessorEffect> next() {
        Optional<PredecessorEffect> effect = effect();
        // Those behind it must not wait until it can be served.
        return situation.isQueued()
                        && effect.filter(PredecessorDeletion::endsPass).isPresent()
                ? Optional.of(new PredecessorEffect.StopWaiting())
                : effect;
    }

    private static boolean endsPass(PredecessorEffect effect) {
        return effect instanceof TerminalEffect && !(effect instanceof TerminalEffect.PlanAgain);
    }

    private Optional<PredecessorEffect> effect() {
        if (facts.trouble().isPresent()) {
            return failed(facts.trouble().get());
        }
        // What the provider of a Service that is gone asked to wait for is not wanted any more.
        Optional<Postponed> waits = service.flatMap(state -> situation.waits().on(new Attempt.Call(made.request())));
        return switch (CallTurn.of(waits, facts)) {
            case CallTurn.Taken taken ->
                Optional.of(
                        situation.live()
                                ? new PredecessorEffect.Delete(made.by(), made.request())
                                : new TerminalEffect.PlanAgain(true));
            case CallTurn.Untried untried -> Optional.of(new PredecessorEffect.TakeTurn(made.by(), made.request()));
            case CallTurn.NotYet(Postponed postponed) -> Optional.of(new TerminalEffect.Wait(postponed.left()));
            case CallTurn.InLine inLine -> unlessOthersDelete(new TerminalEffect.Wait(ProviderCall.IN_LINE));
            case CallTurn.Stuck(String message) ->
                service.isPresent()
                        ? failed(stays(made, message).heldUpByEarlierCall())
                        : unlessOthersDelete(new TerminalEffect.Wait(ProviderCall.IN_LINE));
        };
    }

    /** That it could not be deleted. */
    public static ServiceFailure stays(Made made, String cause) {
        return new ServiceFailure(
                "deleting the former load balancer of Service "
                        + made.request().service() + ", of uid "
                        + made.request().service().uid() + ", by provider \""
                        + made.by().provider() + "\"",
                Reason.PredecessorNotDeleted,
                cause,
                new Attempt.Call(made.request()));
    }

    /** Of one that is gone no timer comes; the pass that releases what it holds deletes first, and tries again. */
    private Optional<PredecessorEffect> unlessOthersDelete(PredecessorEffect otherwise) {
        return service.isEmpty() && plan instanceof ServicePlan.TearDown ? Optional.empty() : Optional.of(otherwise);
    }

    private Optional<PredecessorEffect> failed(ServiceFailure what) {
        if (service.isEmpty()) {
            return facts.did(Done.FAILURE_REMEMBERED)
                    ? unlessOthersDelete(TerminalEffect.after(facts.again()))
                    : Optional.of(new PredecessorEffect.Remember(what));
        }
        return Optional.of(
                isWaiting(service.get()) && !facts.did(Done.STATUS_WRITTEN)
                        ? sayWhy(service.get(), what)
                        : new TerminalEffect.Fail(what, false, facts.again()));
    }

    private PredecessorEffect sayWhy(ServiceState state, ServiceFailure what) {
        Publication wanted =
                ServiceConditions.whyItIsLeft(state, plan.constraints(), situation, what.reason(), what.message());
        Optional<Publication.Difference> difference = wanted.differenceFrom(state);
        boolean inWordsOnly =
                difference.filter(patch -> patch.isInWordsOnly(state)).isPresent();
        Optional<Publication.Difference> due = difference
                .filter(patch -> !inWordsOnly || situation.wordsWait().isEmpty())
                .filter(patch -> situation.waits().on(patch.timeless()).isEmpty());
        return new PredecessorEffect.SayWhy(state, what, due, inWordsOnly);
    }

    /** Whether the Service that has the name now waits until it is deleted, and is one of Berth's. */
    private boolean isWaiting(ServiceState state) {
        String named = state.loadBalancerClass();
        return plan instanceof ServicePlan.Serve
                || (plan instanceof ServicePlan.TearDown
                        && state.wantsLoadBalancer()
                        && (named == null || named.equals(made.by().value())));
    }
}
