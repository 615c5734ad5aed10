package dev.berth.controller.service;

import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.Owner;
import dev.berth.controller.Next;
import dev.berth.controller.service.ProviderGuard.Entry;
import dev.berth.controller.service.ServicePass.Outcome;
import dev.berth.kube.Events.About;
import dev.berth.loadbalancer.AnswerRules;
import dev.berth.loadbalancer.Demand;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.OneLine;
import dev.berth.loadbalancer.ProviderCall;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.loadbalancer.ProviderState.Made;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Trouble;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.provider.Capabilities.AddressSource;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The calls to the provider of one Service's class, in one pass. */
final class PassProvider {
    private static final Logger LOG = LoggerFactory.getLogger(PassProvider.class);

    /** How many nodes an event names. */
    private static final int NODES_NAMED = 20;

    /** It is made due in its turn, and looks again even if nobody could tell it. */
    private static final Outcome IN_LINE = new Outcome.Finished(Next.after(Duration.ofMinutes(1)));

    private final PassState pass;

    /** Whether it could not be asked for a load balancer. */
    private boolean isTurnedAway;

    PassProvider(PassState pass) {
        this.pass = pass;
    }

    /** Whether it could not be asked, and nothing else tells if it has a load balancer for the Service. */
    boolean isStillToBeAsked() {
        return isTurnedAway
                && pass.service
                        .flatMap(state -> pass.memory.provider().bringsItsOwn(state.uid()))
                        .isEmpty();
    }

    Demand demand(ServiceState state, ServedClass served) {
        return Demand.of(
                state,
                served,
                pass.parts.clusterName(),
                pass.parts.fencingToken().getAsLong(),
                pass.wishes(),
                pass.addressesOf(state),
                pass.parts.backends().apply(pass.key),
                pass.parts.certificates());
    }

    /** Makes the call, if it may be made now. */
    Optional<Outcome> call(ServicePlan.Serve serve, ProviderCall call) {
        ServedClass served = serve.servedClass();
        if (call instanceof ProviderCall.Withdraw) {
            pass.facts = pass.facts.withIngress(List.of());
        }
        if (call instanceof ProviderCall.InTurn inTurn) {
            Optional<Outcome> hindered = inTurn(inTurn, served);
            if (hindered.isPresent() || pass.facts.trouble().isPresent() || pass.facts.did(Done.PROVIDER_ASKED)) {
                return hindered;
            }
        }
        return switch (call) {
            case ProviderCall.LeaveToAnother none -> Optional.of(new Outcome.Finished(Next.ON_EVENT));
            case ProviderCall.ReadLive none -> Optional.of(new Outcome.Again(true));
            case ProviderCall.Hold(LoadBalancerRequest request, String why) -> hold(request, why);
            case ProviderCall.NothingToServe none -> asked(List.of());
            case ProviderCall.Keep(EnsureOutcome.Ready answer) -> {
                pass.memory.provider(state -> state.kept(served));
                yield asked(published(serve, answer));
            }
            case ProviderCall.Look(LoadBalancerRequest request, EnsureOutcome.Ready known) ->
                // What is in line stays in doubt until its turn.
                enter(served, request) instanceof Entry.In
                        ? look(serve, served, request, known)
                        : asked(published(serve, known));
            case ProviderCall.Update(LoadBalancerRequest request) -> update(serve, served, request);
            case ProviderCall.Ensure(LoadBalancerRequest request) -> askProvider(serve, served, request);
            case ProviderCall.Withdraw(LoadBalancerRequest request) -> withdraw(served, request);
        };
    }

    /** Says what is lacking; whoever brings it makes the Service due. */
    private Optional<Outcome> hold(LoadBalancerRequest request, String why) {
        Optional<Duration> mustWait = pass.memory.retries.mustWait(request, pass.steady());
        if (mustWait.isPresent()) {
            saidBefore(request, mustWait.get());
        } else {
            pass.trouble("ensuring load balancer for " + pass.key, Reason.CertificateMissing, why, request);
        }
        return Optional.empty();
    }

    /** Somebody may have taken it off the status meanwhile. */
    private void saidBefore(LoadBalancerRequest request, Duration left) {
        pass.facts = pass.facts.putOff(pass.memory.retries.why(request).orElseThrow(), left);
    }

    /** All that had to be asked. */
    private Optional<Outcome> asked(List<Published> ingress) {
        pass.facts = pass.facts.withIngress(ingress).with(Done.PROVIDER_ASKED);
        return Optional.empty();
    }

    /** Why the provider may not be asked now; absent: it may, or what hinders it is a trouble. */
    private Optional<Outcome> inTurn(ProviderCall.InTurn call, ServedClass served) {
        LoadBalancerRequest request = call.request();
        Optional<Duration> mustWait = mustWait(request, served, request);
        if (mustWait.isPresent()) {
            saidBefore(request, mustWait.get());
            return Optional.empty();
        }
        Entry entry = enter(served, request);
        isTurnedAway = !(entry instanceof Entry.In) && served.capabilities().addresses() == AddressSource.PROVIDER;
        return switch (entry) {
            case Entry.In mayCall -> Optional.empty();
            case Entry.InLine inLine -> Optional.of(IN_LINE);
            case Entry.Stuck(String message) -> {
                pass.troubleOfProvider((call instanceof ProviderCall.Withdraw
                                ? notDeleted(message, request)
                                : new Trouble(
                                        "ensuring load balancer for " + pass.key,
                                        Reason.ProviderStuck,
                                        message,
                                        request))
                        .heldUpByEarlierCall());
                yield Optional.empty();
            }
        };
    }

    /** Whether the provider may be asked once, now; before any other work is done for it. */
    private Entry enter(ServedClass served, LoadBalancerRequest request) {
        return pass.visit.enter(served.name(), pass.parts.providers().named(served.provider()), request.service());
    }

    /**
     * How long {@code what} must still wait after it failed; absent: not at all. One that an earlier call held up keeps
     * its place in line, and waits no longer once it may call.
     */
    private Optional<Duration> mustWait(Object what, ServedClass served, LoadBalancerRequest request) {
        Optional<Duration> wait = pass.memory.retries.mustWait(what, pass.steady());
        if (wait.isEmpty() || !pass.memory.retries.isHeldUp(what) || !(enter(served, request) instanceof Entry.In)) {
            return wait;
        }
        pass.memory.retries.heldUpNoLonger(what);
        return Optional.empty();
    }

    /** Whether the provider that deletes first may be called now; absent: it may. */
    Optional<Outcome> takeTurn(ServicePlan.TearDown down, ServedClass by, LoadBalancerRequest request) {
        Optional<Duration> mustWait = mustWait(down.steps(), by, request);
        return mustWait.isPresent()
                ? Optional.of(new Outcome.Finished(Next.after(mustWait.get())))
                : mayDelete(down, by, request);
    }

    private Optional<Outcome> mayDelete(ServicePlan.TearDown down, ServedClass by, LoadBalancerRequest request) {
        return switch (enter(by, request)) {
            case Entry.In mayCall -> Optional.empty();
            case Entry.InLine inLine -> Optional.of(IN_LINE);
            case Entry.Stuck(String message) ->
                pass.service.map(state ->
                        pass.failed(state, notDeleted(message, down.steps()).heldUpByEarlierCall()));
        };
    }

    /**
     * One that bore the name before lost our finalizer to somebody, and is gone: what its provider made goes first.
     */
    Optional<Outcome> deletePredecessors() {
        Optional<Made> made = pass.memory
                .provider()
                .madeForAnother(pass.service.map(ServiceState::uid))
                .filter(found -> !found.by().capabilities().immediate());
        if (made.isEmpty()) {
            return Optional.empty();
        }
        LoadBalancerRequest request = made.get().request();
        // What the provider of a Service that is gone asked to wait for is not wanted any more.
        ServedClass served = made.get().by();
        Optional<Duration> mustWait = pass.service.isEmpty() ? Optional.empty() : mustWait(request, served, request);
        if (mustWait.isPresent()) {
            return Optional.of(new Outcome.Finished(Next.after(mustWait.get())));
        }
        // Of one that is gone no timer comes; the pass that releases what it holds deletes first, and tries again.
        boolean isDeletedByOthers = pass.service.isEmpty() && pass.plan instanceof ServicePlan.TearDown;
        switch (enter(served, request)) {
            case Entry.In mayCall -> {}
            case Entry.InLine inLine -> {
                return isDeletedByOthers ? Optional.empty() : Optional.of(IN_LINE);
            }
            case Entry.Stuck(String message) -> {
                return isDeletedByOthers
                        ? Optional.empty()
                        : Optional.of(pass.service
                                .map(state -> waitsForPredecessor(
                                        state,
                                        predecessorStays(made.get(), message).heldUpByEarlierCall(),
                                        made.get()))
                                .orElse(IN_LINE));
            }
        }
        if (!pass.live) {
            return Optional.of(new Outcome.Again(true));
        }
        try {
            pass.visit.delete(pass.parts.providers().named(served.provider()), request);
            pass.memory.provider(state -> ProviderState.nothing());
            LOG.info("Service {} is another than before: the load balancer of the one before is deleted", pass.key);
            return Optional.empty();
        } catch (ProviderException failure) {
            if (pass.service.isPresent()) {
                return Optional.of(waitsForPredecessor(
                        pass.service.get(),
                        predecessorStays(made.get(), String.valueOf(failure.getMessage()))
                                .after(failure.retryAfter()),
                        made.get()));
            }
            Duration delay = pass.memory.retries.failed(
                    predecessorStays(made.get(), String.valueOf(failure.getMessage()))
                            .after(failure.retryAfter()),
                    pass.parts.backoff(),
                    pass.steady());
            LOG.warn(
                    "deleting the load balancer of Service {}, which is gone: {}; trying again in {} s",
                    request.service(),
                    failure.getMessage(),
                    delay.toSeconds());
            return isDeletedByOthers ? Optional.empty() : Optional.of(new Outcome.Finished(Next.after(delay)));
        }
    }

    /** The Service that has the name now waits until it is deleted, and says so if it is one of Berth's. */
    private Outcome waitsForPredecessor(ServiceState state, Trouble what, Made made) {
        String named = state.loadBalancerClass();
        boolean isWaiting = pass.plan instanceof ServicePlan.Serve
                || (pass.plan instanceof ServicePlan.TearDown
                        && state.wantsLoadBalancer()
                        && (named == null || named.equals(made.by().value())));
        if (isWaiting) {
            pass.trouble(what);
        }
        return pass.failed(state, what);
    }

    private Trouble predecessorStays(Made made, String cause) {
        return new Trouble(
                "deleting the load balancer of another Service " + pass.key + ", of uid "
                        + made.request().service().uid(),
                Reason.PredecessorNotDeleted,
                cause,
                made.request());
    }

    private Optional<Outcome> askProvider(ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request) {
        LoadBalancerProvider provider = pass.parts.providers().named(served.provider());
        About about = About.service(serve.service());
        if (!served.capabilities().immediate()) {
            pass.parts.events().normal(about, "EnsuringLoadBalancer", "Ensuring load balancer");
        }
        if (targetsNodes(served) && request.nodes().isEmpty()) {
            pass.parts
                    .events()
                    .warning(about, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
        }
        pass.memory.provider(state -> state.asks(request, served));
        try {
            switch (pass.visit.ensure(provider, request)) {
                case EnsureOutcome.Ready ready -> {
                    Optional<AnswerRules.Broken> broken = broken(serve, served, request, ready.status());
                    if (broken.isPresent()) {
                        pass.troubleOfProvider(refused(served, broken.get(), request));
                        return Optional.empty();
                    }
                    pass.memory.provider(state -> state.ensured(request, served, ready));
                    pass.memory.changed(pass.steady());
                    lookAgainAtTargets();
                }
                case EnsureOutcome.Pending pending -> {
                    LOG.info("Service {}: {}", pass.key, pending.message());
                    pass.facts = pass.facts
                            .pendingFor(
                                    pass.memory.retries.pending(
                                            request, pending.retryAfter(), pending.message(), pass.steady()),
                                    pending.message())
                            .with(Done.PROVIDER_ASKED);
                }
                case EnsureOutcome.ImplementedElsewhere none ->
                    pass.memory.provider(state -> state.elsewhere(request, served));
            }
        } catch (ProviderException failure) {
            pass.troubleOfProvider(Trouble.ofEnsuring(pass.key, failure, request));
        }
        return Optional.empty();
    }

    /** Whether an answer may still be published: a pool may have come since, or another Service's claim. */
    boolean isUnbroken(ServicePlan.Serve serve, EnsureOutcome.Ready ready) {
        return pass.facts
                .demand()
                .filter(demand -> broken(serve, serve.servedClass(), demand.request(), ready.status())
                        .isEmpty())
                .isPresent();
    }

    /** What of the contract an answer breaks; absent: it may be published. */
    private Optional<AnswerRules.Broken> broken(
            ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request, LoadBalancerStatus status) {
        return AnswerRules.broken(
                status, request, served.capabilities(), ip -> whose(ip, pass.owner(serve)), pass.parts.isNodes());
    }

    private Optional<String> whose(Ip ip, Owner owner) {
        return pass.parts
                .ledger()
                .holding(ip)
                .filter(PassClaims::isSomebodys)
                .filter(holding -> !holding.owners().contains(owner))
                .map(this::holder)
                .or(() -> pass.parts.ledger().pools().whose(ip));
    }

    /** Those of other namespaces are not this one's to read. */
    private String holder(Holding holding) {
        return holding.owners().stream()
                .map(Owner::service)
                .filter(service -> service.namespace().equals(pass.key.namespace()))
                .findFirst()
                .map(service -> "Service " + service)
                .orElseGet(() -> (holding.owners().isEmpty() ? "nobody" : "a Service of another namespace")
                        + " (kubectl get address " + holding.ip().objectName() + ")");
    }

    private Trouble refused(ServedClass served, AnswerRules.Broken broken, LoadBalancerRequest request) {
        return new Trouble(
                "ensuring load balancer for " + pass.key,
                Reason.AnswerRefused,
                "provider \"" + served.provider() + "\" answered " + broken + "; nothing of it is published",
                request);
    }

    /** Whether the provider has something else than it answered. That it cannot be told is no drift. */
    private Optional<Outcome> look(
            ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request, EnsureOutcome.Ready known) {
        pass.memory.provider(ProviderState::looked);
        pass.memory.looks(pass.steady());
        try {
            Optional<LoadBalancerStatus> found =
                    pass.visit.get(pass.parts.providers().named(served.provider()), request);
            if (found.filter(status -> Publication.sameAnswer(status, known.status()))
                    .isPresent()) {
                pass.memory.provider(state -> state.seen(found.get()));
                return Optional.empty();
            }
            pass.parts
                    .events()
                    .warning(
                            About.service(serve.service()),
                            "LoadBalancerDrifted",
                            "The load balancer "
                                    + found.map(status ->
                                                    "has " + ingress(status) + " instead of " + ingress(known.status()))
                                            .orElse("is gone")
                                    + "; ensuring it again");
            pass.memory.provider(ProviderState::unsure);
        } catch (ProviderException failure) {
            LOG.atLevel(pass.memory.provider().isOutOfSight() ? Level.DEBUG : Level.WARN)
                    .log("looking at the load balancer of Service {}: {}", pass.key, failure.getMessage());
            pass.memory.provider(ProviderState::missed);
        }
        return Optional.empty();
    }

    private static String ingress(LoadBalancerStatus status) {
        return OneLine.of(status.ingress().stream()
                .map(entry -> (entry.ip() == null ? entry.hostname() : entry.ip())
                        + (entry.ipMode() == null ? "" : " (" + entry.ipMode() + ")"))
                .collect(Collectors.joining(", ")));
    }

    /** Notifies the provider of other targets; what fails is done again from the ground up. */
    private Optional<Outcome> update(ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request) {
        About about = About.service(serve.service());
        try {
            pass.visit.update(pass.parts.providers().named(served.provider()), request);
            if (targetsNodes(served)) {
                // Endpoints change with each roll-out, and nobody wants to read of them.
                pass.parts.events().normal(about, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
            }
            pass.memory.provider(state -> state.updated(request, served));
            pass.memory.changed(pass.steady());
            lookAgainAtTargets();
        } catch (ProviderException failure) {
            pass.memory.provider(ProviderState::unsure);
            pass.parts
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
        return Optional.empty();
    }

    private static String names(List<Node> nodes) {
        String some = nodes.stream().limit(NODES_NAMED).map(Node::name).collect(Collectors.joining(" "));
        return nodes.size() > NODES_NAMED ? "[" + some + " ...] (" + nodes.size() + " in all)" : "[" + some + "]";
    }

    /** A node or an endpoint that came while the provider was being notified of others must not be lost. */
    private void lookAgainAtTargets() {
        if (pass.memory.provider().knowsOther(pass.parts.backends().apply(pass.key))) {
            pass.due.accept(List.of(pass.key));
        }
    }

    private static boolean targetsNodes(ServedClass served) {
        return served.capabilities().targets() == Targets.NODE_PORTS;
    }

    /** It lost its addresses: what the provider made of them must not outlive them. */
    private Optional<Outcome> withdraw(ServedClass served, LoadBalancerRequest request) {
        try {
            pass.memory.provider(ProviderState::unsure);
            pass.visit.delete(pass.parts.providers().named(served.provider()), request);
            pass.memory.provider(state -> state.withdrawn(request.service()));
        } catch (ProviderException failure) {
            pass.troubleOfProvider(
                    notDeleted(String.valueOf(failure.getMessage()), request).after(failure.retryAfter()));
        }
        return Optional.empty();
    }

    private Trouble notDeleted(String cause, Object request) {
        return new Trouble("deleting load balancer for " + pass.key, Reason.DeleteFailed, cause, request);
    }

    private List<Published> published(ServicePlan.Serve serve, EnsureOutcome.Ready ready) {
        return Publication.ingressOf(
                ready.status(),
                pass.parts
                        .ipMode()
                        .known(pass.steady())
                        .isPublished(Publication.usesIpMode(serve.service().ingress())),
                serve.service().ports(),
                pass.facts.demand().map(Demand::portErrors).orElse(List.of()));
    }

    Optional<Outcome> delete(ServicePlan.TearDown down, ServedClass served, LoadBalancerRequest request) {
        Optional<Outcome> inLine = mayDelete(down, served, request);
        if (pass.service.isEmpty() || inLine.isPresent()) {
            return inLine;
        }
        LoadBalancerProvider provider = pass.parts.providers().named(served.provider());
        About about = About.service(pass.service.get());
        try {
            if (!served.capabilities().immediate()) {
                pass.parts.events().normal(about, "DeletingLoadBalancer", "Deleting load balancer");
            }
            pass.memory.provider(state -> state.deletes(request.service(), served));
            pass.visit.delete(provider, request);
            if (!served.capabilities().immediate()) {
                pass.parts.events().normal(about, "DeletedLoadBalancer", "Deleted load balancer");
            }
            pass.memory.provider(state -> state.deleted(request.service(), served));
            return Optional.empty();
        } catch (ProviderException failure) {
            return Optional.of(pass.failed(
                    pass.service.get(),
                    notDeleted(String.valueOf(failure.getMessage()), down.steps())
                            .after(failure.retryAfter())));
        }
    }
}
