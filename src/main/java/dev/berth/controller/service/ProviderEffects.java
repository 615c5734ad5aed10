package dev.berth.controller.service;

import dev.berth.controller.service.Bulkhead.Entry;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.AnsweredAddresses;
import dev.berth.loadbalancer.Attempt;
import dev.berth.loadbalancer.Demand;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.PredecessorDeletion;
import dev.berth.loadbalancer.PredecessorEffect;
import dev.berth.loadbalancer.ProviderCall;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.ProviderState.Made;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServiceEvent;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.loadbalancer.TearDownEffect;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The calls to the provider of one Service's class, in one pass. */
final class ProviderEffects {
    private static final Logger LOG = LoggerFactory.getLogger(ProviderEffects.class);

    private final ReconcileContext pass;

    ProviderEffects(ReconcileContext pass) {
        this.pass = pass;
    }

    Demand demand(ServiceState state, ServedClass served) {
        return Demand.of(
                state,
                served,
                pass.parts().settings().clusterName(),
                pass.parts().settings().fencingToken().getAsLong(),
                pass.plan().constraints(),
                pass.addressesOf(state),
                pass.parts().environment().backends().apply(pass.key()),
                pass.parts().environment().certificates());
    }

    /**
     * Whether the provider may be asked once, now; before any other work is done for it.
     *
     * @param what is to be tried: if it was held up by an earlier call, it is so no longer
     */
    Outcome takeTurn(ServedClass by, LoadBalancerRequest request, Attempt what) {
        return switch (pass.visit()
                .enter(CallLine.of(by), pass.parts().providers().named(by.provider()), request.service())) {
            case Entry.In mayCall -> {
                pass.memory().retries.heldUpNoLonger(what);
                yield new Outcome.TurnTaken();
            }
            case Entry.InLine inLine -> new Outcome.InLine();
            case Entry.Stuck(String message) -> new Outcome.Stuck(message);
        };
    }

    /** Calls the provider, and remembers what came of it. */
    List<Outcome> call(ServicePlan.Serve serve, ServingEffect.Call effect) {
        ServedClass served = serve.servedClass();
        ProviderMemory memory = pass.memory().provider;
        effect.before().forEach(event -> pass.say(serve.service(), event));
        memory.calling(effect.call(), served, pass.steady());
        Outcome.OfCall came = switch (effect.call()) {
            case ProviderCall.Look(LoadBalancerRequest request, EnsureOutcome.Ready known) ->
                look(served, request, known);
            case ProviderCall.Update(LoadBalancerRequest request) -> update(served, request);
            case ProviderCall.Ensure(LoadBalancerRequest request) -> ensure(served, request);
            case ProviderCall.Delete(LoadBalancerRequest request) -> deleteUnserved(served, request);
        };
        memory.change(state -> state.called(effect.call(), served, came));
        effect.after(came).forEach(event -> pass.say(serve.service(), event));
        List<Outcome> outcomes = new ArrayList<>(List.of(new Outcome.Called(), came));
        if (came instanceof Outcome.Updated) {
            outcomes.add(targetsChanged(served));
        }
        return outcomes;
    }

    /** What it answered breaks no rule, and is remembered. */
    List<Outcome> accept(ServedClass served, ServingEffect.Accept effect) {
        pass.memory().provider.change(state -> state.ensured(effect.request(), served, effect.answer()));
        return List.of(new Outcome.Judged(), targetsChanged(served));
    }

    /** What the provider knows is noted before: whoever changes the targets after this looks at that. */
    private Outcome targetsChanged(ServedClass served) {
        pass.memory().provider.targetsChanged(pass.steady());
        return new Outcome.TargetsNow(pass.parts()
                .environment()
                .backends()
                .apply(pass.key())
                .read(served.capabilities().targets()));
    }

    /** It has what it answered, but maybe for the health of its targets. */
    Outcome refresh(LoadBalancerStatus found) {
        pass.memory().provider.change(state -> state.seen(found));
        return new Outcome.Judged();
    }

    /** What it has is not what it should be: that is said, and it is asked again. */
    Outcome askAgain(ServiceState service, ServiceEvent why) {
        pass.memory().provider.change(ProviderState::unsure);
        pass.say(service, why);
        return new Outcome.Judged();
    }

    /** What it answered holds, and is to be published. */
    List<Outcome> keep(ServedClass served, List<Published> ingress) {
        pass.memory().provider.change(state -> state.kept(served));
        return List.of(new Outcome.ToPublish(ingress), new Outcome.Did(Done.PROVIDER_ASKED));
    }

    /** Deletes what was made for another that had the name before. */
    List<Outcome> delete(PredecessorEffect.Delete effect) {
        try {
            delete(effect.by(), effect.request());
            pass.memory().provider.change(state -> ProviderState.nothing());
            LOG.info(
                    "the former {} of Service {} is deleted by provider {}",
                    called(effect.by(), effect.request()),
                    pass.key(),
                    effect.by().provider());
            return List.of(new Outcome.Called(), new Outcome.Did(Done.PREDECESSOR_DELETED));
        } catch (ProviderException failure) {
            return List.of(
                    new Outcome.Called(),
                    new Outcome.Failed(PredecessorDeletion.stays(
                                    new Made(effect.request(), effect.by()), String.valueOf(failure.getMessage()))
                            .after(failure.retryAfter())));
        }
    }

    /** Remembers when to try again what failed for a Service that is gone. */
    List<Outcome> remember(ServiceFailure what) {
        Duration delay = pass.memory().retries.failed(what);
        LOG.warn("{}, which no longer exists; trying again in {} s", what.message(), delay.toSeconds());
        return List.of(new Outcome.Did(Done.FAILURE_REMEMBERED), new Outcome.LookAgain(delay));
    }

    private Outcome.OfCall ensure(ServedClass served, LoadBalancerRequest request) {
        LoadBalancerProvider provider = pass.parts().providers().named(served.provider());
        try {
            return switch (pass.visit().ensure(provider, request, asksForName(served, request))) {
                case EnsureOutcome.Ready ready -> new Outcome.Answered(ready, whoHas(served, ready.status()));
                case EnsureOutcome.Pending pending -> {
                    LOG.info("Service {}: {}", pass.key(), pending.message());
                    Duration delay = pass.memory().retries.pending(request, pending.retryAfter(), pending.message());
                    yield new Outcome.OnItsWay(delay, pending.message());
                }
                case EnsureOutcome.ImplementedElsewhere none -> new Outcome.ServedElsewhere();
            };
        } catch (ProviderException failure) {
            return new Outcome.Failed(ServiceFailure.ofEnsuring(pass.key(), called(served, request), failure, request));
        }
    }

    /** Who has the addresses of the answer that is remembered. */
    AnsweredAddresses whoHasAnswered(ServedClass served, ProviderState provider) {
        return provider.lastAnswer()
                .map(answer -> whoHas(served, answer.status()))
                .orElse(AnsweredAddresses.NONE);
    }

    private AnsweredAddresses whoHas(ServedClass served, LoadBalancerStatus answer) {
        List<Ip> addresses = AnsweredAddresses.toLookUp(answer, served.capabilities());
        // First: a pool may name one since, and must not give it to another meanwhile.
        pass.due().accept(pass.parts().ledger().withholdNext(pass.key(), addresses));
        return addresses.isEmpty()
                ? AnsweredAddresses.NONE
                : new AnsweredAddresses(
                        addresses.stream()
                                .flatMap(ip -> pass.parts().ledger().holding(ip).stream())
                                .toList(),
                        pass.parts().ledger().pools(),
                        addresses.stream()
                                .filter(pass.parts().environment().isNodes())
                                .toList());
    }

    /** Asks what the provider has. */
    private Outcome.OfCall look(ServedClass served, LoadBalancerRequest request, EnsureOutcome.Ready known) {
        try {
            return new Outcome.Looked(
                    known, pass.visit().get(pass.parts().providers().named(served.provider()), request));
        } catch (ProviderException failure) {
            LOG.atLevel(pass.memory().provider.state().isOutOfSight() ? Level.DEBUG : Level.WARN)
                    .log("looking at the load balancer of Service {}: {}", pass.key(), failure.getMessage());
            return new Outcome.NotSeen();
        }
    }

    /** Notifies the provider of other targets. */
    private Outcome.OfCall update(ServedClass served, LoadBalancerRequest request) {
        try {
            pass.visit().update(pass.parts().providers().named(served.provider()), request);
            return new Outcome.Updated();
        } catch (ProviderException failure) {
            return new Outcome.NotUpdated(String.valueOf(failure.getMessage()));
        }
    }

    /** It lost its addresses: what the provider made of them must not outlive them. */
    private Outcome.OfCall deleteUnserved(ServedClass served, LoadBalancerRequest request) {
        try {
            delete(served, request);
            return new Outcome.UnservedDeleted();
        } catch (ProviderException failure) {
            return new Outcome.Failed(notDeleted(served, request, failure, new Attempt.Call(request)));
        }
    }

    /** Deletes what was made for a Service that is served no longer. */
    List<Outcome> delete(TearDownEffect.Delete effect) {
        ServiceState service = effect.service();
        ServedClass served = effect.by();
        LoadBalancerRequest request = effect.request();
        effect.before().forEach(event -> pass.say(service, event));
        try {
            pass.memory().provider.change(state -> state.deletes(request.service(), served));
            delete(served, request);
            effect.after(called(served, request)).forEach(event -> pass.say(service, event));
            pass.memory().provider.change(state -> state.deleted(request.service(), served));
            return List.of(new Outcome.Called());
        } catch (ProviderException failure) {
            return List.of(
                    new Outcome.Called(), new Outcome.Failed(notDeleted(served, request, failure, effect.what())));
        }
    }

    private void delete(ServedClass by, LoadBalancerRequest request) {
        pass.visit().delete(pass.parts().providers().named(by.provider()), request, asksForName(by, request));
    }

    private ServiceFailure notDeleted(
            ServedClass by, LoadBalancerRequest request, ProviderException failure, Attempt what) {
        return ServiceFailure.ofDeleting(
                        called(by, request), request.service(), String.valueOf(failure.getMessage()), what)
                .after(failure.retryAfter());
    }

    private Runnable asksForName(ServedClass by, LoadBalancerRequest request) {
        LoadBalancerProvider provider = pass.parts().providers().named(by.provider());
        return () -> pass.memory().provider.name.ask(by, provider, request.service());
    }

    private String called(ServedClass by, LoadBalancerRequest request) {
        return pass.memory().provider.name.known().called(by, request.service().uid());
    }
}
