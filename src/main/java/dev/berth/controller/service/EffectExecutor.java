package dev.berth.controller.service;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.claim.Holding;
import dev.berth.controller.Next;
import dev.berth.controller.service.EffectResult.End;
import dev.berth.controller.service.EffectResult.Finished;
import dev.berth.controller.service.EffectResult.Learned;
import dev.berth.ip.Ip;
import dev.berth.kube.Events.About;
import dev.berth.loadbalancer.Attempt;
import dev.berth.loadbalancer.DrawDelay;
import dev.berth.loadbalancer.Facts;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Leaving;
import dev.berth.loadbalancer.ObservedState;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.PredecessorDeletion;
import dev.berth.loadbalancer.PredecessorEffect;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SayReleasing;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServiceEvent;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Serving;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.loadbalancer.Skipping;
import dev.berth.loadbalancer.SkippingEffect;
import dev.berth.loadbalancer.TakeOverEffect;
import dev.berth.loadbalancer.TakingOver;
import dev.berth.loadbalancer.TearDownEffect;
import dev.berth.loadbalancer.TearingDown;
import dev.berth.loadbalancer.TerminalEffect;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.pool.Refusal;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out one plan for one Service: does one effect at a time, and decides nothing. Used once. */
final class EffectExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(EffectExecutor.class);

    /** Many more effects than any plan has beside steps and releases, also where each choice of an address is lost. */
    private static final int MOST_BESIDE_STEPS = 200;

    private final ReconcileContext pass;
    private final ClaimEffects claims;
    private final ProviderEffects provider;
    private final StatusEffects status;
    private final NodePortEffects nodePorts;

    EffectExecutor(ReconcileContext pass) {
        this.pass = pass;
        claims = new ClaimEffects(pass);
        provider = new ProviderEffects(pass);
        status = new StatusEffects(pass);
        nodePorts = new NodePortEffects(pass);
    }

    /**
     * What came of it.
     *
     * @param facts of the loop that ended it
     */
    record Passed(End end, Facts facts) {}

    Passed run() {
        EffectLoop before = EffectLoop.of(
                mostEffects(),
                facts -> PredecessorDeletion.next(pass.plan(), pass.service(), pass.situation(), facts)
                        .map(this::perform));
        if (before.end().isPresent()) {
            return new Passed(before.end().get(), before.facts());
        }
        if (!(pass.plan() instanceof ServicePlan.Serve)) {
            pass.parts().metrics().waits(pass.key(), Optional.empty());
        }
        return switch (pass.plan()) {
            case ServicePlan.NotOurs none ->
                passed(facts -> perform(Skipping.next(none, pass.service(), pass.situation(), facts)));
            case ServicePlan.Skip skip -> passed(facts -> perform(Skipping.next(skip, pass.situation(), facts)));
            case ServicePlan.Adopt adopt -> passed(facts -> perform(TakingOver.next(adopt, pass.situation(), facts)));
            case ServicePlan.TearDown down -> {
                Map<String, LoadBalancerRequest> requests = requests(down);
                yield passed(facts -> perform(down, TearingDown.next(down, pass.service(), known(requests), facts)));
            }
            case ServicePlan.Serve serve -> {
                pass.memory().provider.doubtIfDue(pass.steady());
                yield passed(facts -> perform(serve, Serving.next(serve, known(serve), facts)));
            }
        };
    }

    private Passed passed(Function<Facts, EffectResult> next) {
        EffectLoop way = EffectLoop.of(mostEffects(), facts -> Optional.of(next.apply(facts)));
        return new Passed(way.end().orElseThrow(), way.facts());
    }

    /** No step of a plan takes more than two: the provider's turn, and its call. What is held is released one by one. */
    private int mostEffects() {
        return MOST_BESIDE_STEPS
                + 2 * pass.plan().steps().size()
                + pass.parts().ledger().heldFor(pass.key()).size();
    }

    private EffectResult perform(TerminalEffect ending) {
        return switch (ending) {
            case TerminalEffect.PlanAgain(boolean live) -> new EffectResult.Again(live);
            case TerminalEffect.Wait(Duration delay) -> new Finished(Next.after(delay));
            case TerminalEffect.AwaitEvent none -> {
                pass.memory().status.settled();
                yield new Finished(Next.ON_EVENT);
            }
            case TerminalEffect.Fail failed -> {
                if (failed.losesTurn()) {
                    pass.service().ifPresent(claims::loseTurn);
                }
                yield pass.fail(failed);
            }
        };
    }

    private EffectResult perform(PredecessorEffect effect) {
        return switch (effect) {
            case PredecessorEffect.TakeTurn(ServedClass by, LoadBalancerRequest request) ->
                new Learned(provider.takeTurn(by, request, new Attempt.Call(request)));
            case PredecessorEffect.Delete delete -> new Learned(provider.delete(delete));
            case PredecessorEffect.SayWhy sayWhy -> new Learned(status.sayWhy(sayWhy));
            case PredecessorEffect.Remember(ServiceFailure what) -> new Learned(provider.remember(what));
            case PredecessorEffect.StopWaiting none -> stopWaiting();
            case TerminalEffect ending -> perform(ending);
        };
    }

    private EffectResult perform(SkippingEffect effect) {
        return switch (effect) {
            case SkippingEffect.StopWaiting none -> stopWaiting();
            case SkippingEffect.Report(ServicePlan.Skip why) -> {
                pass.parts().events().warning(About.service(why.service()), why.reason(), why.message());
                yield did(Done.REPORTED);
            }
            case SkippingEffect.Publish publish -> new Learned(status.publish(publish));
            case TerminalEffect ending -> perform(ending);
        };
    }

    private EffectResult perform(TakeOverEffect effect) {
        return switch (effect) {
            case TakeOverEffect.Hold(AddressRequest request) ->
                new Learned(
                        switch (pass.parts().ledger().adopt(request)) {
                            case Choice.Refused(AddressRequest same, List<Refusal> refusals) ->
                                new Outcome.NotHeld(refusals);
                            case Choice.Assigned assigned ->
                                new Outcome.Held(assigned.picks().stream()
                                        .flatMap(pick -> Optional.ofNullable(pick.joins()).stream())
                                        .toList());
                        });
            case TakeOverEffect.Join join -> new Learned(claims.join(join));
            case SkippingEffect refraining -> perform(refraining);
        };
    }

    private Serving.Known known(ServicePlan.Serve serve) {
        String uid = serve.service().uid();
        ObservedState situation = pass.situation();
        return new Serving.Known(
                situation,
                provider.whoHasAnswered(serve.servedClass(), situation.provider()),
                pass.memory().status.published(uid),
                pass.memory().status.overwrites(uid),
                pass.steady(),
                pass.parts().ipMode().known(pass.steady()),
                pass.memory().provider.nextLook(pass.steady()));
    }

    private EffectResult perform(ServicePlan.Serve serve, ServingEffect effect) {
        ServiceState state = serve.service();
        return switch (effect) {
            case ServingEffect.StopWaiting none -> stopWaiting();
            case ServingEffect.Note(List<Outcome> what) -> new Learned(what);
            case ServingEffect.OfStep step ->
                new Learned(Stream.concat(
                                Stream.of(new Outcome.StepsDone(step.index() + 1)), claims.take(serve, step).stream())
                        .toList());
            case ServingEffect.Choose(AddressRequest request) -> new Learned(claims.choose(request));
            case ServingEffect.ClaimChosen chosen -> new Learned(claims.claim(serve, chosen));
            case ServingEffect.CountAssigned none -> {
                pass.parts().metrics().assigned();
                yield did(Done.ASSIGNED_COUNTED);
            }
            case ServingEffect.JoinQueue(AddressRequest request, List<Refusal> refusals, WaitReason why) -> {
                pass.due().accept(pass.parts().ledger().await(request, refusals));
                yield new Learned(new Outcome.Lacks(why));
            }
            case ServingEffect.ReadService none -> new Learned(claims.readService());
            case ServingEffect.GiveUpClaim(Ip ip) -> new Learned(claims.giveUp(serve, ip));
            case ServingEffect.AddFinalizer mark -> new Learned(status.addFinalizer(state, mark));
            case ServingEffect.AskFor none ->
                new Learned(new Outcome.Asks(provider.demand(state, serve.servedClass())));
            case ServingEffect.TakeTurn(LoadBalancerRequest request) ->
                new Learned(provider.takeTurn(serve.servedClass(), request, new Attempt.Call(request)));
            case ServingEffect.Call call -> new Learned(provider.call(serve, call));
            case ServingEffect.Accept accept -> new Learned(provider.accept(serve.servedClass(), accept));
            case ServingEffect.MakeDue none -> {
                pass.due().accept(List.of(pass.key()));
                yield new Learned(new Outcome.MadeDue());
            }
            case ServingEffect.Refresh(LoadBalancerStatus found) -> new Learned(provider.refresh(found));
            case ServingEffect.AskAgain(ServiceEvent why) -> new Learned(provider.askAgain(state, why));
            case ServingEffect.Keep(List<Published> ingress) ->
                new Learned(provider.keep(serve.servedClass(), ingress));
            case ServingEffect.Postpone(ServiceFailure what) -> new Learned(pass.postpone(what));
            case ServingEffect.CheckPublished(Ip going) -> new Learned(claims.checkPublished(serve, going));
            case ServingEffect.CountOverwrite counted -> new Learned(status.countOverwrite(state, counted));
            case ServingEffect.AskForIpMode(Publication.Difference patch) ->
                new Learned(status.askForIpMode(state, patch));
            case ServingEffect.ReadAgain(Holding known) -> new Learned(claims.readAgain(serve, known));
            case ServingEffect.ConfirmClaim(Claim unsure) -> new Learned(claims.confirm(serve, unsure));
            case ServingEffect.Publish publish -> new Learned(status.publish(state, publish));
            case ServingEffect.DelayWords delay -> new Learned(status.delayWords(delay));
            case DrawDelay draw -> drawDelay(draw);
            case SayReleasing say -> new Learned(status.sayReleasing(say));
            case ServingEffect.ReleaseSurplus(Leaving address) -> new Learned(claims.release(address));
            case ServingEffect.ReleaseNodePorts release -> new Learned(nodePorts.release(release));
            case ServingEffect.Rest(Optional<Duration> again, boolean settled, boolean forgetsTurn) -> {
                pass.memory().status.settled();
                if (settled) {
                    pass.memory().succeeded();
                }
                if (forgetsTurn) {
                    pass.turns().forget(pass.key());
                }
                yield new Finished(new Next(again));
            }
            case TerminalEffect ending -> perform(ending);
        };
    }

    private static EffectResult did(Done what) {
        return new Learned(new Outcome.Did(what));
    }

    private EffectResult drawDelay(DrawDelay draw) {
        return new Learned(new Outcome.DelayDrawn(
                draw.of(), pass.parts().timing().backoff().after(draw.failures())));
    }

    private EffectResult stopWaiting() {
        pass.due().accept(pass.parts().ledger().stopWaiting(pass.key()));
        return did(Done.QUEUE_LEFT);
    }

    private TearingDown.Known known(Map<String, LoadBalancerRequest> requests) {
        return new TearingDown.Known(pass.key(), pass.situation(), requests);
    }

    /** What the provider of each class is asked to delete, by the class value; nothing where the Service is gone. */
    private Map<String, LoadBalancerRequest> requests(ServicePlan.TearDown down) {
        Map<String, LoadBalancerRequest> requests = new HashMap<>();
        if (pass.service().isPresent()) {
            for (ServedClass served : down.deletes()) {
                requests.put(
                        served.value(),
                        provider.demand(pass.service().get(), served).request());
            }
        }
        return requests;
    }

    private EffectResult perform(ServicePlan.TearDown down, TearDownEffect effect) {
        return switch (effect) {
            case TearDownEffect.TakeTurn(ServedClass by, LoadBalancerRequest request, Attempt what) ->
                new Learned(provider.takeTurn(by, request, what));
            case TearDownEffect.StopWaiting none -> stopWaiting();
            case TearDownEffect.Delete delete -> new Learned(provider.delete(delete));
            case TearDownEffect.Clear clear -> new Learned(status.clear(clear));
            case SayReleasing say -> new Learned(status.sayReleasing(say));
            case DrawDelay draw -> drawDelay(draw);
            case TearDownEffect.Release(Leaving address) -> new Learned(claims.release(address));
            case TearDownEffect.LookAgain(Duration delay) -> {
                LOG.info("Service {} is no longer served: {}", pass.key(), down.why());
                yield new Finished(Next.after(delay));
            }
            case TearDownEffect.Finish(boolean forgets, boolean planAgain) -> {
                LOG.info("Service {} is no longer served: {}", pass.key(), down.why());
                pass.memory().succeeded();
                pass.turns().forget(pass.key());
                if (forgets) {
                    pass.memory().provider.change(state -> ProviderState.nothing());
                }
                yield planAgain ? new EffectResult.Again(false) : new Finished(Next.ON_EVENT);
            }
            case TerminalEffect ending -> perform(ending);
        };
    }
}
