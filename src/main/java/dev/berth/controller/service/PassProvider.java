package dev.berth.controller.service;

import dev.berth.controller.service.Bulkhead.Entry;
import dev.berth.ip.Ip;
import dev.berth.kube.Events.About;
import dev.berth.loadbalancer.AnswerRules;
import dev.berth.loadbalancer.AnsweredAddresses;
import dev.berth.loadbalancer.Demand;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.OneLine;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.PredecessorDeletion;
import dev.berth.loadbalancer.PredecessorEffect;
import dev.berth.loadbalancer.ProviderCall;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.ProviderState.Made;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.TearDownEffect;
import dev.berth.loadbalancer.Trouble;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The calls to the provider of one Service's class, in one pass. */
final class PassProvider {
    private static final Logger LOG = LoggerFactory.getLogger(PassProvider.class);

    /** How many nodes an event names. */
    private static final int NODES_NAMED = 20;

    private final Pass pass;

    PassProvider(Pass pass) {
        this.pass = pass;
    }

    Demand demand(ServiceState state, ServedClass served) {
        return Demand.of(
                state,
                served,
                pass.parts().clusterName(),
                pass.parts().fencingToken().getAsLong(),
                pass.plan().wishes(),
                pass.addressesOf(state),
                pass.parts().backends().apply(pass.key()),
                pass.parts().certificates());
    }

    /**
     * Whether the provider may be asked once, now; before any other work is done for it.
     *
     * @param what is to be tried: if it was held up by an earlier call, it is so no longer
     */
    Outcome takeTurn(ServedClass by, LoadBalancerRequest request, Object what) {
        return switch (pass.visit()
                .enter(by.name(), pass.parts().providers().named(by.provider()), request.service())) {
            case Entry.In mayCall -> {
                pass.memory().retries.heldUpNoLonger(what);
                yield new Outcome.TurnTaken();
            }
            case Entry.InLine inLine -> new Outcome.InLine();
            case Entry.Stuck(String message) -> new Outcome.Stuck(message);
        };
    }

    /** Makes the call. */
    List<Outcome> call(ServicePlan.Serve serve, ProviderCall.Made call) {
        ServedClass served = serve.servedClass();
        List<Outcome> came = switch (call) {
            case ProviderCall.Look(LoadBalancerRequest request, EnsureOutcome.Ready known) -> {
                look(serve, served, request, known);
                yield List.of();
            }
            case ProviderCall.Update(LoadBalancerRequest request) -> {
                update(serve, served, request);
                yield List.of();
            }
            case ProviderCall.Ensure(LoadBalancerRequest request) -> ensure(serve, served, request);
            case ProviderCall.Withdraw(LoadBalancerRequest request) -> withdraw(served, request);
        };
        return Stream.concat(Stream.of(new Outcome.Called()), came.stream()).toList();
    }

    /** What it answered holds, and is to be published. */
    List<Outcome> keep(ServedClass served, List<Published> ingress) {
        pass.memory().provider(state -> state.kept(served));
        return List.of(new Outcome.ToPublish(ingress), new Outcome.Did(Done.PROVIDER_ASKED));
    }

    /** Deletes what was made for another that bore the name before. */
    List<Outcome> delete(PredecessorEffect.Delete effect) {
        try {
            pass.visit().delete(pass.parts().providers().named(effect.by().provider()), effect.request());
            pass.memory().provider(state -> ProviderState.nothing());
            LOG.info(
                    "the former load balancer of Service {} is deleted by provider {}",
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
    List<Outcome> remember(Trouble what) {
        Duration delay = pass.memory().retries.failed(what, pass.parts().backoff(), pass.steady());
        LOG.warn("{}, which is gone; trying again in {} s", what.message(), delay.toSeconds());
        return List.of(new Outcome.Did(Done.FAILURE_REMEMBERED), new Outcome.LookAgain(delay));
    }

    private List<Outcome> ensure(ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request) {
        LoadBalancerProvider provider = pass.parts().providers().named(served.provider());
        About about = About.service(serve.service());
        if (!served.capabilities().immediate()) {
            pass.parts().events().normal(about, "EnsuringLoadBalancer", "Ensuring load balancer");
        }
        if (targetsNodes(served) && request.nodes().isEmpty()) {
            pass.parts()
                    .events()
                    .warning(about, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
        }
        pass.memory().provider(state -> state.asks(request, served));
        try {
            switch (pass.visit().ensure(provider, request)) {
                case EnsureOutcome.Ready ready -> {
                    Optional<AnswerRules.Broken> broken = AnswerRules.broken(
                            ready.status(), request, served.capabilities(), whoHas(served, ready.status()));
                    if (broken.isPresent()) {
                        return pass.postpone(refused(served, broken.get(), request));
                    }
                    pass.memory().provider(state -> state.ensured(request, served, ready));
                    pass.memory().changed(pass.steady());
                    lookAgainAtTargets();
                }
                case EnsureOutcome.Pending pending -> {
                    LOG.info("Service {}: {}", pass.key(), pending.message());
                    Duration delay = pass.memory()
                            .retries
                            .pending(request, pending.retryAfter(), pending.message(), pass.steady());
                    return List.of(new Outcome.OnItsWay(delay, pending.message()));
                }
                case EnsureOutcome.ImplementedElsewhere none ->
                    pass.memory().provider(state -> state.elsewhere(request, served));
            }
        } catch (ProviderException failure) {
            return pass.postpone(Trouble.ofEnsuring(pass.key(), failure, request));
        }
        return List.of();
    }

    /** Who has the addresses of the answer that is remembered. */
    AnsweredAddresses whoHasAnswered(ServedClass served, ProviderState provider) {
        return provider.lastAnswer().map(answer -> whoHas(served, answer.status())).orElse(AnsweredAddresses.NONE);
    }

    private AnsweredAddresses whoHas(ServedClass served, LoadBalancerStatus answer) {
        List<Ip> addresses = AnsweredAddresses.toLookUp(answer, served.capabilities());
        return addresses.isEmpty()
                ? AnsweredAddresses.NONE
                : new AnsweredAddresses(
                        addresses.stream()
                                .flatMap(ip -> pass.parts().ledger().holding(ip).stream())
                                .toList(),
                        pass.parts().ledger().pools(),
                        addresses.stream().filter(pass.parts().isNodes()).toList());
    }

    private Trouble refused(ServedClass served, AnswerRules.Broken broken, LoadBalancerRequest request) {
        return new Trouble(
                "ensuring load balancer for " + pass.key(),
                Reason.AnswerRefused,
                "provider \"" + served.provider() + "\" answered " + broken + "; nothing of it is published",
                request);
    }

    /** Whether the provider has something else than it answered. That it cannot be found out is no drift. */
    private void look(
            ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request, EnsureOutcome.Ready known) {
        pass.memory().provider(ProviderState::looked);
        pass.memory().looks(pass.steady());
        try {
            Optional<LoadBalancerStatus> found =
                    pass.visit().get(pass.parts().providers().named(served.provider()), request);
            if (found.filter(status -> status.canonical().equals(known.status().canonical()))
                    .isPresent()) {
                pass.memory().provider(state -> state.seen(found.get()));
                return;
            }
            pass.parts()
                    .events()
                    .warning(
                            About.service(serve.service()),
                            "LoadBalancerDrifted",
                            "The load balancer "
                                    + found.map(status ->
                                                    "has " + ingress(status) + " instead of " + ingress(known.status()))
                                            .orElse("is gone")
                                    + "; ensuring it again");
            pass.memory().provider(ProviderState::unsure);
        } catch (ProviderException failure) {
            LOG.atLevel(pass.memory().provider().isOutOfSight() ? Level.DEBUG : Level.WARN)
                    .log("looking at the load balancer of Service {}: {}", pass.key(), failure.getMessage());
            pass.memory().provider(ProviderState::missed);
        }
    }

    private static String ingress(LoadBalancerStatus status) {
        return OneLine.of(status.ingress().stream()
                .map(entry -> (entry.ip() == null ? entry.hostname() : entry.ip())
                        + (entry.ipMode() == null ? "" : " (" + entry.ipMode() + ")"))
                .collect(Collectors.joining(", ")));
    }

    /** Notifies the provider of other targets; what fails is done again from the ground up. */
    private void update(ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request) {
        About about = About.service(serve.service());
        try {
            pass.visit().update(pass.parts().providers().named(served.provider()), request);
            if (targetsNodes(served)) {
                // Endpoints change with each roll-out, and nobody wants to read of them.
                pass.parts().events().normal(about, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
            }
            pass.memory().provider(state -> state.updated(request, served));
            pass.memory().changed(pass.steady());
            lookAgainAtTargets();
        } catch (ProviderException failure) {
            pass.memory().provider(ProviderState::unsure);
            pass.parts()
                    .events()
                    .warning(
                            about,
                            "UpdateLoadBalancerFailed",
                            "Error updating load balancer with new "
                                    + (targetsNodes(served)
                                            ? "hosts " + names(request.nodes())
                                            : request.endpoints().size() + " endpoints")
                                    + ", error: "
                                    + failure.getMessage());
        }
    }

    private static String names(List<Node> nodes) {
        String some = nodes.stream().limit(NODES_NAMED).map(Node::name).collect(Collectors.joining(" "));
        return nodes.size() > NODES_NAMED ? "[" + some + " ...] (" + nodes.size() + " in all)" : "[" + some + "]";
    }

    /** A node or an endpoint that came while the provider was being notified of others must not be lost. */
    private void lookAgainAtTargets() {
        if (pass.memory().provider().knowsOther(pass.parts().backends().apply(pass.key()))) {
            pass.due().accept(List.of(pass.key()));
        }
    }

    private static boolean targetsNodes(ServedClass served) {
        return served.capabilities().targets() == Targets.NODE_PORTS;
    }

    /** It lost its addresses: what the provider made of them must not outlive them. */
    private List<Outcome> withdraw(ServedClass served, LoadBalancerRequest request) {
        try {
            pass.memory().provider(ProviderState::unsure);
            pass.visit().delete(pass.parts().providers().named(served.provider()), request);
            pass.memory().provider(state -> state.withdrawn(request.service()));
            return List.of();
        } catch (ProviderException failure) {
            return pass.postpone(Trouble.ofDeleting(request.service(), String.valueOf(failure.getMessage()), request)
                    .after(failure.retryAfter()));
        }
    }

    /** Deletes what was made for a Service that is served no longer. */
    List<Outcome> delete(ServiceState service, TearDownEffect.Delete effect) {
        ServedClass served = effect.by();
        LoadBalancerRequest request = effect.request();
        About about = About.service(service);
        try {
            if (!served.capabilities().immediate()) {
                pass.parts().events().normal(about, "DeletingLoadBalancer", "Deleting load balancer");
            }
            pass.memory().provider(state -> state.deletes(request.service(), served));
            pass.visit().delete(pass.parts().providers().named(served.provider()), request);
            if (!served.capabilities().immediate()) {
                pass.parts().events().normal(about, "DeletedLoadBalancer", "Deleted load balancer");
            }
            pass.memory().provider(state -> state.deleted(request.service(), served));
            return List.of(new Outcome.Called());
        } catch (ProviderException failure) {
            return List.of(
                    new Outcome.Called(),
                    new Outcome.Failed(
                            Trouble.ofDeleting(request.service(), String.valueOf(failure.getMessage()), effect.what())
                                    .after(failure.retryAfter())));
        }
    }
}
