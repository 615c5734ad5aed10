package dev.berth.controller.service;

import dev.berth.address.AddressRequest;
import dev.berth.address.Choice;
import dev.berth.address.Claim;
import dev.berth.address.ClaimSpec;
import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.Owner;
import dev.berth.address.Pool;
import dev.berth.address.Refusal;
import dev.berth.address.ServiceKey;
import dev.berth.address.Sharing;
import dev.berth.address.Wishes;
import dev.berth.controller.Next;
import dev.berth.controller.service.ServiceControl.Parts;
import dev.berth.kube.Events.About;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.plan.Adoption;
import dev.berth.plan.Condition;
import dev.berth.plan.Demand;
import dev.berth.plan.Keeping;
import dev.berth.plan.Marks;
import dev.berth.plan.Publication;
import dev.berth.plan.Published;
import dev.berth.plan.ServedClass;
import dev.berth.plan.ServicePlan;
import dev.berth.plan.ServicePlan.LeaveAlone.Reason;
import dev.berth.plan.ServiceState;
import dev.berth.plan.Step;
import dev.berth.plan.WaitReason;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.PortError;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out one plan for one Service: the only place that acts for it. Used once. */
final class ServicePass {
    private static final Logger LOG = LoggerFactory.getLogger(ServicePass.class);

    /** How often a choice may be lost to another operator before the Service is put off. */
    private static final int CHOICES = 20;

    /** When one that shares the address of another looks whether that one has claimed it. */
    private static final Duration SHARED_SOON = Duration.ofSeconds(1);

    /** When one that cannot be taken over is looked at again. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    /** How many nodes an event names. */
    private static final int NODES_NAMED = 20;

    /** What came of it. */
    sealed interface Outcome {
        record Finished(Next next) implements Outcome {}

        /** Something is not as the plan thought: plan again, from a live read or from the cache. */
        record Again(boolean live) implements Outcome {}
    }

    private final Parts parts;
    private final ProviderGuard guard;
    private final Consumer<Collection<ServiceKey>> due;
    private final ServiceMemory memory;
    private final ServiceKey key;
    private final Optional<ServiceState> service;
    private ServicePlan plan;

    /** Whether the Service is as a live read of this pass found it. */
    private final boolean live;

    // What is learned on the way.
    private Optional<WaitReason> waiting = Optional.empty();
    private Optional<WaitReason> sharingConflict = Optional.empty();
    private Optional<Trouble> trouble = Optional.empty();
    private @Nullable List<Published> ingress;
    private Optional<Duration> again = Optional.empty();
    private Optional<String> pending = Optional.empty();
    private @Nullable Demand demand;
    private boolean ingressIsWritten;

    /** Whether the Service was at the version of this pass when the API server last said so, to this pass. */
    private boolean isCurrent;

    /** The addresses whose claim the API server confirmed to this pass. */
    private final Set<Ip> confirmed = new HashSet<>();

    /**
     * What went wrong.
     *
     * @param doing what was being done: "claiming 192.0.2.1"
     * @param reason one PascalCase word
     * @param request what is not to be sent again before its time
     */
    private record Trouble(String doing, String reason, String cause, Object request, Optional<Duration> retryAfter) {
        String message() {
            return doing + ": " + cause;
        }
    }

    ServicePass(
            Parts parts,
            ProviderGuard guard,
            Consumer<Collection<ServiceKey>> due,
            ServiceMemory memory,
            ServiceKey key,
            Optional<ServiceState> service,
            ServicePlan plan,
            boolean live) {
        this.parts = parts;
        this.guard = guard;
        this.due = due;
        this.memory = memory;
        this.key = key;
        this.service = service;
        this.plan = plan;
        this.live = live;
        isCurrent = live;
    }

    /** What it carries out; after it ran, what came of the plan that it was given. */
    ServicePlan plan() {
        return plan;
    }

    Outcome run() {
        if (!(plan instanceof ServicePlan.Serve)) {
            parts.metrics().waits(key, Optional.empty());
        }
        return switch (plan) {
            case ServicePlan.NotOurs none -> {
                due.accept(parts.ledger().stopWaiting(key));
                yield withdraw(none.steps());
            }
            case ServicePlan.LeaveAlone leave -> leaveAlone(leave);
            case ServicePlan.Adopt adopt -> adopt(adopt);
            case ServicePlan.TearDown tearDown -> tearDown(tearDown);
            case ServicePlan.Serve serve -> serve(serve);
        };
    }

    private Outcome leaveAlone(ServicePlan.LeaveAlone leave) {
        due.accept(parts.ledger().stopWaiting(key));
        parts.events().warning(About.service(leave.service()), leave.reason().name(), leave.message());
        for (Step step : leave.steps()) {
            if (step instanceof Step.Explain(String reason, String message)) {
                return explain(leave.service(), reason, message);
            }
        }
        return withdraw(leave.steps());
    }

    /** An event is gone after an hour; this stays as long as it is so. */
    private Outcome explain(ServiceState state, String reason, String message) {
        List<Ip> own = addressesOf(state);
        String holds = own.stream().map(Ip::toString).collect(Collectors.joining(", "));
        List<Condition> conditions = new ArrayList<>();
        conditions.add(Publication.condition(
                state,
                Marks.ADDRESS_ASSIGNED,
                !own.isEmpty(),
                reason,
                own.isEmpty() ? message : "holds " + holds + "; " + message,
                now()));
        state.conditions().stream()
                .filter(other ->
                        Marks.CONDITIONS.contains(other.type()) && !other.type().equals(Marks.ADDRESS_ASSIGNED))
                .forEach(conditions::add);
        return writeAlone(state, new Publication(false, null, conditions), "saying why it is left alone");
    }

    /** Takes it over with all that it publishes, or leaves it alone: no part of it, and nothing else. */
    private Outcome adopt(ServicePlan.Adopt adopt) {
        AddressRequest request = adopt.request();
        return switch (parts.ledger().adopt(request)) {
            case Choice.Refused(AddressRequest same, List<Refusal> refusals) -> {
                if (Adoption.isSharedSoon(refusals)) {
                    yield new Outcome.Finished(Next.after(SHARED_SOON));
                }
                WaitReason why = Adoption.refused(request, refusals);
                ServicePlan.LeaveAlone leave = new ServicePlan.LeaveAlone(
                        adopt.service(), Reason.ServedByAnother, adopt.className(), why.message(), adopt.steps());
                plan = leave;
                Outcome left = leaveAlone(leave);
                // What hinders it may end without an event on it: a quota, a label of its namespace.
                yield left.equals(new Outcome.Finished(Next.ON_EVENT))
                        ? new Outcome.Finished(Next.after(LOOK_AGAIN))
                        : left;
            }
            case Choice.Assigned assigned -> {
                assigned.picks().stream()
                        .flatMap(pick -> Optional.ofNullable(pick.joins()).stream())
                        .forEach(shared -> join(shared, request, request));
                yield trouble.map(what -> failed(adopt.service(), what)).orElse(new Outcome.Again(false));
            }
        };
    }

    private Outcome withdraw(List<Step> steps) {
        if (service.isEmpty() || !steps.contains(new Step.Withdraw())) {
            return new Outcome.Finished(Next.ON_EVENT);
        }
        return writeAlone(service.get(), new Publication(false, null, List.of()), "taking the conditions back");
    }

    private Outcome writeAlone(ServiceState state, Publication wanted, String doing) {
        return write(state, wanted, doing)
                .orElseGet(() -> trouble.map(what -> failed(state, what)).orElse(new Outcome.Finished(Next.ON_EVENT)));
    }

    private Outcome serve(ServicePlan.Serve serve) {
        Optional<Duration> mustWait =
                memory.mustWait(serve.steps(), parts.clock().instant());
        if (mustWait.isPresent()) {
            return new Outcome.Finished(Next.after(mustWait.get()));
        }
        if (serve.steps().stream().noneMatch(Step.Acquire.class::isInstance)) {
            due.accept(parts.ledger().stopWaiting(key));
        }
        for (Step step : serve.steps()) {
            Optional<Outcome> outcome =
                    trouble.isPresent() && !(step instanceof Step.Publish) ? Optional.empty() : execute(serve, step);
            if (outcome.isPresent()) {
                return outcome.get();
            }
        }
        if (trouble.isPresent()) {
            return failed(serve.service(), trouble.get());
        }
        if (again.isEmpty()) {
            memory.succeeded();
        }
        return new Outcome.Finished(new Next(again));
    }

    private Outcome failed(ServiceState about, Trouble what) {
        parts.metrics().failed();
        parts.events()
                .warning(
                        About.service(about),
                        "SyncLoadBalancerFailed",
                        "Error syncing load balancer: " + what.message());
        Duration delay = memory.failed(
                what.request(),
                what.retryAfter(),
                parts.backoff(),
                parts.clock().instant());
        LOG.warn("Service {}: {}; trying again in {} s", key, what.message(), delay.toSeconds());
        return new Outcome.Finished(Next.after(delay));
    }

    private Optional<Outcome> execute(ServicePlan.Serve serve, Step step) {
        return switch (step) {
            case Step.Secure(Holding holding, ServedClass served) ->
                // What comes after the choice of the rest is of no use without it.
                waiting.isPresent() ? Optional.empty() : secure(serve, holding, served);
            case Step.Amend(Holding holding, ClaimSpec spec) -> amend(serve, holding, spec);
            case Step.Acquire(AddressRequest request) -> acquire(serve, request);
            case Step.Refuse(WaitReason why) -> {
                waiting = Optional.of(why);
                yield Optional.empty();
            }
            case Step.Warn(WaitReason why) -> {
                sharingConflict = Optional.of(why);
                yield Optional.empty();
            }
            case Step.AddFinalizer none -> addFinalizer(serve.service());
            case Step.Ensure(ServedClass served) -> ensure(serve, served);
            case Step.Publish none -> publish(serve);
            case Step.ReleaseRest none ->
                // What may still be published, for the provider is pending or another wrote it, stays claimed.
                ingressIsWritten ? releaseSurplus(rest(serve.service())) : Optional.empty();
            case Step.Release none -> Optional.empty();
            case Step.DeleteLoadBalancer none -> Optional.empty();
            case Step.Clear none -> Optional.empty();
            case Step.Withdraw none -> Optional.empty();
            case Step.Explain none -> Optional.empty();
        };
    }

    // ---- addresses

    private Owner owner(ServicePlan.Serve serve) {
        return new Owner(key, serve.service().uid());
    }

    private Optional<Outcome> secure(ServicePlan.Serve serve, Holding holding, ServedClass served) {
        Ip ip = holding.ip();
        return switch (holding.state()) {
            case HELD ->
                switch (create(ip, claimAgain(holding, served), owner(serve), serve.steps())) {
                    case ANOTHERS -> Optional.of(new Outcome.Again(false));
                    // What is still published stays held: it is nobody else's before it is taken off.
                    case OURS, NOT_MADE, UNSURE -> Optional.empty();
                };
            case UNSURE ->
                switch (parts.cluster().readClaim(ip)) {
                    case Read.Found<Claim>(Claim found) -> {
                        observe(found);
                        yield found.owners().contains(owner(serve))
                                ? Optional.empty()
                                : Optional.of(new Outcome.Again(false));
                    }
                    case Read.Absent<Claim> none -> {
                        parts.ledger().lost(ip);
                        yield Optional.of(new Outcome.Again(false));
                    }
                    case Read.Failed<Claim>(String message) -> {
                        trouble("reading Address " + ip, "ClaimUnsure", message, serve.steps());
                        yield Optional.empty();
                    }
                };
            case CLAIMED -> takeOver(serve, holding, served);
        };
    }

    private ClaimSpec claimAgain(Holding holding, ServedClass served) {
        ClaimSpec spec = holding.spec().takenFor(served.value(), UnaryOperator.identity());
        String pool =
                parts.ledger().pools().poolOf(holding.ip()).map(Pool::name).orElse(spec.pool());
        return new ClaimSpec(pool, served.value(), spec.owners(), spec.sharing(), null, spec.retain());
    }

    /** What is kept for the Service's name, or was of one that bore it before, becomes its claim. */
    private Optional<Outcome> takeOver(ServicePlan.Serve serve, Holding holding, ServedClass served) {
        Claim claim = holding.claim();
        if (claim == null) {
            return Optional.of(new Outcome.Again(false));
        }
        if (!live && holding.holderNamed(key).isPresent()) {
            // Only a live read tells who bears the name now.
            return Optional.of(new Outcome.Again(true));
        }
        ClaimSpec taken =
                claim.spec().takenFor(served.value(), owner -> owner.service().equals(key) ? owner(serve) : owner);
        Sharing sharing = serve.wishes().sharing();
        ClaimSpec spec = taken.owners().size() > 1 ? taken : taken.shared(sharing);
        return update(serve, claim, serve.wishes().retain() ? spec.retained(true) : spec);
    }

    private Optional<Outcome> amend(ServicePlan.Serve serve, Holding holding, ClaimSpec spec) {
        Claim claim = holding.claim();
        return claim == null ? Optional.of(new Outcome.Again(false)) : update(serve, claim, spec);
    }

    private Optional<Outcome> update(ServicePlan.Serve serve, Claim claim, ClaimSpec spec) {
        return switch (parts.cluster().updateClaim(claim, spec)) {
            case Write.Done<Claim>(Claim now) -> {
                observe(now);
                yield Optional.empty();
            }
            case Write.Conflict<Claim> changed -> readAgain(serve, claim);
            case Write.NotFound<Claim> gone -> readAgain(serve, claim);
            case Write.Refused<Claim>(String message) -> {
                trouble("claiming " + claim.ip(), "ClaimFailed", message, serve.steps());
                yield Optional.empty();
            }
            case Write.Unknown<Claim>(String message) -> {
                trouble("claiming " + claim.ip(), "ClaimFailed", message, serve.steps());
                yield Optional.empty();
            }
        };
    }

    private Optional<Outcome> readAgain(ServicePlan.Serve serve, Claim claim) {
        Ip ip = claim.ip();
        switch (parts.cluster().readClaim(ip)) {
            case Read.Found<Claim>(Claim found) -> observe(found);
            case Read.Absent<Claim> none -> due.accept(parts.ledger().vanished(claim, null));
            case Read.Failed<Claim>(String message) -> {
                trouble("reading Address " + ip, "ClaimUnsure", message, serve.steps());
                return Optional.empty();
            }
        }
        return Optional.of(new Outcome.Again(false));
    }

    private Optional<Outcome> acquire(ServicePlan.Serve serve, AddressRequest asked) {
        AddressRequest request = asked;
        List<Refusal> missing = new ArrayList<>();
        for (int lostToOthers = 0; lostToOthers < CHOICES; ) {
            Choice choice = parts.ledger().choose(request);
            if (choice instanceof Choice.Refused(AddressRequest refused, List<Refusal> refusals)) {
                return refused(asked, refused, refusals);
            }
            Choice.Assigned assigned = (Choice.Assigned) choice;
            if (!parts.ledger().hold(assigned)) {
                // Another Service of ours was quicker, so work got done: this cannot go on for ever.
                continue;
            }
            missing.addAll(assigned.missing());
            List<IpFamily> lost = new ArrayList<>();
            for (Choice.Pick pick : assigned.picks()) {
                Claim shared = pick.joins();
                Created created = shared == null
                        ? create(pick.ip(), request.claimOf(pick.pool()), request.owner(), serve.steps())
                        : join(shared, request, serve.steps());
                switch (created) {
                    case OURS -> {}
                    case ANOTHERS -> lost.add(pick.ip().family());
                    case NOT_MADE -> due.accept(parts.ledger().giveUp(pick.ip(), request.owner()));
                    case UNSURE -> {}
                }
            }
            if (trouble.isPresent()) {
                return Optional.empty();
            }
            if (lost.isEmpty()) {
                return acquired(asked, missing);
            }
            lostToOthers++;
            request = request.onlyFor(lost);
        }
        trouble(
                "choosing an address",
                "ClaimFailed",
                CHOICES + " chosen addresses were taken by another operator",
                serve.steps());
        return Optional.empty();
    }

    private Optional<Outcome> refused(AddressRequest asked, AddressRequest refused, List<Refusal> refusals) {
        due.accept(parts.ledger().await(asked.allOrNone() ? asked : refused));
        waiting = Optional.of(WaitReason.of(refusals));
        return Optional.empty();
    }

    private Optional<Outcome> acquired(AddressRequest asked, List<Refusal> missing) {
        parts.metrics().assigned();
        if (missing.isEmpty()) {
            due.accept(parts.ledger().stopWaiting(key));
            return Optional.empty();
        }
        List<IpFamily> families =
                missing.stream().map(Refusal::family).distinct().toList();
        due.accept(parts.ledger().await(asked.onlyFor(families)));
        waiting = Optional.of(WaitReason.of(missing));
        return Optional.empty();
    }

    private enum Created {
        OURS,
        ANOTHERS,
        NOT_MADE,
        UNSURE
    }

    /** Creates the Address object of an address that the ledger holds for the Service. */
    private Created create(Ip ip, ClaimSpec spec, Owner owner, Object request) {
        String doing = "claiming " + ip;
        return switch (parts.cluster().createClaim(ip, spec)) {
            case Write.Done<Claim>(Claim claim) -> {
                observe(claim);
                boolean still = parts.ledger()
                        .holding(ip)
                        .filter(holding -> holding.state() == Holding.State.CLAIMED)
                        .isPresent();
                if (!still) {
                    parts.ledger().doubt(ip);
                    trouble(doing, "ClaimUnsure", "it was deleted while it was being claimed", request);
                }
                yield still ? Created.OURS : Created.UNSURE;
            }
            case Write.Conflict<Claim> exists -> whose(ip, owner, request);
            case Write.NotFound<Claim>(String message) -> {
                trouble(
                        doing,
                        "ClaimFailed",
                        message + "; is the CustomResourceDefinition addresses.berth.dev installed?",
                        request);
                yield Created.NOT_MADE;
            }
            case Write.Refused<Claim>(String message) -> {
                trouble(doing, "ClaimFailed", message, request);
                yield Created.NOT_MADE;
            }
            case Write.Unknown<Claim>(String message) -> {
                parts.ledger().doubt(ip);
                trouble(doing, "ClaimUnsure", message, request);
                yield Created.UNSURE;
            }
        };
    }

    /** Joins those who share an address; of two who do so at once, the API server lets one in and the other look again. */
    private Created join(Claim shared, AddressRequest asked, Object request) {
        Ip ip = shared.ip();
        Sharing sharing = asked.wishes().sharing();
        if (sharing == null) {
            return Created.ANOTHERS;
        }
        return switch (parts.cluster().updateClaim(shared, shared.spec().joinedBy(asked.owner(), sharing))) {
            case Write.Done<Claim>(Claim now) -> {
                observe(now);
                yield Created.OURS;
            }
            case Write.Conflict<Claim> changed -> joined(shared, asked, request);
            case Write.NotFound<Claim> gone -> joined(shared, asked, request);
            case Write.Unknown<Claim> lost -> joined(shared, asked, request);
            case Write.Refused<Claim>(String message) -> {
                trouble("joining " + ip, "ClaimFailed", message, request);
                yield Created.UNSURE;
            }
        };
    }

    /** What became of a join: a read tells. */
    private Created joined(Claim shared, AddressRequest asked, Object request) {
        return switch (parts.cluster().readClaim(shared.ip())) {
            case Read.Found<Claim>(Claim found) -> {
                observe(found);
                yield found.owners().contains(asked.owner()) ? Created.OURS : Created.ANOTHERS;
            }
            case Read.Absent<Claim> none -> {
                due.accept(parts.ledger().vanished(shared, null));
                yield Created.ANOTHERS;
            }
            case Read.Failed<Claim>(String message) -> {
                trouble("reading Address " + shared.ip(), "ClaimUnsure", message, request);
                yield Created.UNSURE;
            }
        };
    }

    /** Takes note of what the API server said of an Address to this pass. */
    private void observe(Claim claim) {
        confirmed.add(claim.ip());
        due.accept(parts.ledger().observe(claim).due());
    }

    /** There is an Address object already: a 409 alone does not tell whose. */
    private Created whose(Ip ip, Owner owner, Object request) {
        return switch (parts.cluster().readClaim(ip)) {
            case Read.Found<Claim>(Claim found) -> {
                observe(found);
                yield found.owners().contains(owner) ? Created.OURS : Created.ANOTHERS;
            }
            case Read.Absent<Claim> none -> {
                trouble("claiming " + ip, "ClaimFailed", "it was released while it was being claimed", request);
                yield Created.NOT_MADE;
            }
            case Read.Failed<Claim>(String message) -> {
                parts.ledger().doubt(ip);
                trouble("reading Address " + ip, "ClaimUnsure", message, request);
                yield Created.UNSURE;
            }
        };
    }

    /**
     * Where nothing had to be written, the cache may be older than what another operator published. And what
     * is released may have been all that made the Service ours: whose it is now is decided anew.
     */
    private Optional<Outcome> releaseSurplus(List<Ip> addresses) {
        if (addresses.isEmpty()) {
            return Optional.empty();
        }
        if (!isCurrent) {
            return Optional.of(new Outcome.Again(true));
        }
        Optional<Outcome> outcome = release(addresses);
        return outcome.isPresent() || again.isPresent() || trouble.isPresent()
                ? outcome
                : Optional.of(new Outcome.Again(false));
    }

    private Optional<Outcome> release(List<Ip> addresses) {
        boolean all = true;
        for (Ip ip : addresses) {
            Optional<Owner> owner = parts.ledger().holding(ip).flatMap(this::whoLeaves);
            if (owner.isPresent()) {
                boolean itself = service.isPresent()
                        && service.get().uid().equals(owner.get().uid());
                all &= itself
                        ? parts.addresses().release(ip, owner.get())
                        : parts.addresses().releaseIfGone(ip, owner.get());
            }
        }
        if (!all) {
            again = Optional.of(parts.backoff().after(1));
        }
        return Optional.empty();
    }

    /** One that bore the name before goes first. */
    private Optional<Owner> whoLeaves(Holding holding) {
        return service.flatMap(state -> holding.predecessorOf(key, state.uid())).or(() -> holding.holderNamed(key));
    }

    // ---- provider

    private Demand demand(ServiceState state, ServedClass served) {
        return Demand.of(
                state,
                served,
                parts.clusterName(),
                parts.fencingToken().getAsLong(),
                wishes(),
                addressesOf(state),
                parts.nodes().get());
    }

    /** The addresses that are surely its own: one a family that it wants, in its order of families. */
    private List<Ip> addressesOf(ServiceState state) {
        return claimed(state).publishable(state);
    }

    private Keeping claimed(ServiceState state) {
        List<Holding> claimed = parts.ledger().heldFor(key).stream()
                .filter(holding -> holding.state() == Holding.State.CLAIMED)
                .toList();
        return Keeping.of(state, claimed, wishes(), parts.ledger().pools());
    }

    /**
     * What it holds beyond that, does not wait to make sure of, and did not publish just now; and what is no
     * use without the rest that it waits for.
     */
    private List<Ip> rest(ServiceState state) {
        Keeping sure = claimed(state);
        List<Ip> needed = new ArrayList<>(sure.publishable(state));
        needed.addAll(ips(ingress));
        Stream<Ip> surplus =
                Keeping.of(
                                state,
                                parts.ledger().heldFor(key),
                                wishes(),
                                parts.ledger().pools())
                        .rest()
                        .stream()
                        .map(Holding::ip)
                        .filter(ip ->
                                sure.kept().stream().noneMatch(kept -> kept.ip().equals(ip)));
        Stream<Ip> half = waiting.isPresent() ? sure.halfOfNoUse(state).stream() : Stream.empty();
        return Stream.concat(surplus, half).filter(ip -> !needed.contains(ip)).toList();
    }

    private static List<Ip> ips(@Nullable List<Published> entries) {
        return entries == null
                ? List.of()
                : entries.stream()
                        .flatMap(entry -> Optional.ofNullable(entry.ip()).flatMap(Ip::find).stream())
                        .toList();
    }

    private Wishes wishes() {
        return plan instanceof ServicePlan.Serve serve ? serve.wishes() : Wishes.NONE;
    }

    private Optional<Outcome> ensure(ServicePlan.Serve serve, ServedClass served) {
        Demand wanted = demand(serve.service(), served);
        demand = wanted;
        LoadBalancerRequest request = wanted.request();
        boolean lacksAddress = served.capabilities().addresses() == AddressSource.POOLS
                && request.addresses().isEmpty();
        if (lacksAddress || !wanted.hasPorts()) {
            ingress = List.of();
            return served.capabilities().immediate() ? Optional.empty() : withdrawTraffic(served, request);
        }
        Optional<EnsureOutcome.Ready> known = memory.answerTo(request);
        if (known.isPresent()) {
            ingress = published(serve, known.get());
            return Optional.empty();
        }
        Optional<Duration> mustWait = memory.mustWait(request, parts.clock().instant());
        if (mustWait.isPresent()) {
            return Optional.of(new Outcome.Finished(Next.after(mustWait.get())));
        }
        Optional<EnsureOutcome.Ready> before = memory.answerButForNodes(request);
        if (before.isPresent() && isUpdated(serve, served, request)) {
            memory.ensured(request, before.get(), targetsNodes(served));
            ingress = published(serve, before.get());
            lookAgainAtNodes(served, request);
            return Optional.empty();
        }
        if (!served.capabilities().immediate() && !live) {
            // A Service that is gone already has no finalizer that would have it deleted again.
            return Optional.of(new Outcome.Again(true));
        }
        return askProvider(serve, served, request);
    }

    private Optional<Outcome> askProvider(ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request) {
        LoadBalancerProvider provider = parts.providers().named(served.provider());
        About about = About.service(serve.service());
        if (!served.capabilities().immediate()) {
            parts.events().normal(about, "EnsuringLoadBalancer", "Ensuring load balancer");
        }
        if (targetsNodes(served) && request.nodes().isEmpty()) {
            parts.events().warning(about, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
        }
        memory.mayExist();
        try {
            return switch (guard.ensure(served.name(), provider, request)) {
                case EnsureOutcome.Ready ready -> {
                    memory.ensured(request, ready, targetsNodes(served));
                    ingress = published(serve, ready);
                    lookAgainAtNodes(served, request);
                    yield Optional.empty();
                }
                case EnsureOutcome.Pending(Duration retryAfter, String message) -> {
                    LOG.info("Service {}: {}", key, message);
                    pending = Optional.of(message);
                    again = Optional.of(
                            memory.putOff(request, retryAfter, parts.clock().instant()));
                    yield Optional.empty();
                }
                case EnsureOutcome.ImplementedElsewhere none -> Optional.of(new Outcome.Finished(Next.ON_EVENT));
            };
        } catch (ProviderException failure) {
            trouble = Optional.of(new Trouble(
                    "ensuring load balancer for " + key,
                    "EnsureFailed",
                    String.valueOf(failure.getMessage()),
                    request,
                    failure.retryAfter()));
            return Optional.empty();
        }
    }

    /** Tells the provider of other nodes; what fails is done again from the ground up. */
    private boolean isUpdated(ServicePlan.Serve serve, ServedClass served, LoadBalancerRequest request) {
        About about = About.service(serve.service());
        try {
            guard.update(served.name(), parts.providers().named(served.provider()), request);
            parts.events().normal(about, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
            return true;
        } catch (ProviderException failure) {
            memory.unsure();
            parts.events()
                    .warning(
                            about,
                            "UpdateLoadBalancerFailed",
                            "Error updating load balancer with new hosts " + names(request.nodes()) + ", error: "
                                    + failure.getMessage());
            return false;
        }
    }

    private static String names(List<Node> nodes) {
        String some = nodes.stream().limit(NODES_NAMED).map(Node::name).collect(Collectors.joining(" "));
        return nodes.size() > NODES_NAMED ? "[" + some + " ...] (" + nodes.size() + " in all)" : "[" + some + "]";
    }

    /** A node that came while the provider was being told of others must not be lost. */
    private void lookAgainAtNodes(ServedClass served, LoadBalancerRequest request) {
        if (targetsNodes(served) && !request.nodes().equals(parts.nodes().get())) {
            due.accept(List.of(key));
        }
    }

    private static boolean targetsNodes(ServedClass served) {
        return served.capabilities().targets() == Targets.NODE_PORTS;
    }

    /** It lost its addresses: what the provider made of them must not outlive them. */
    private Optional<Outcome> withdrawTraffic(ServedClass served, LoadBalancerRequest request) {
        if (memory.wasDeleted(request.service())) {
            return Optional.empty();
        }
        Optional<Duration> mustWait = memory.mustWait(request, parts.clock().instant());
        if (mustWait.isPresent()) {
            return Optional.of(new Outcome.Finished(Next.after(mustWait.get())));
        }
        try {
            guard.delete(served.name(), parts.providers().named(served.provider()), request);
            memory.deleted(request.service());
        } catch (ProviderException failure) {
            trouble = Optional.of(new Trouble(
                    "deleting load balancer for " + key,
                    "DeleteFailed",
                    String.valueOf(failure.getMessage()),
                    request,
                    failure.retryAfter()));
        }
        return Optional.empty();
    }

    private List<Published> published(ServicePlan.Serve serve, EnsureOutcome.Ready ready) {
        boolean inUse = usesIpMode(serve.service());
        return Publication.ingressOf(
                ready.status(),
                parts.ipMode().isPublished(inUse, now()),
                serve.service().ports(),
                demand == null ? List.of() : demand.portErrors());
    }

    // ---- status

    /** Alone, before the world is touched; the rest is planned anew, from what the API server answered. */
    private Optional<Outcome> addFinalizer(ServiceState state) {
        Optional<Outcome> outcome =
                write(state, new Publication(true, null, state.conditions()), "adding the finalizer");
        return outcome.isPresent() || trouble.isPresent() ? outcome : Optional.of(new Outcome.Again(false));
    }

    private Optional<Outcome> publish(ServicePlan.Serve serve) {
        ServiceState state = serve.service();
        boolean holds = !addressesOf(state).isEmpty()
                || serve.servedClass().capabilities().addresses() == AddressSource.PROVIDER;
        switch (ingress == null ? Checked.AS_KNOWN : checkClaims(serve, ingress)) {
            case OTHERWISE -> {
                return Optional.of(new Outcome.Again(true));
            }
            case UNSURE -> ingress = null;
            case AS_KNOWN -> {}
        }
        Publication wanted = new Publication(holds, ingress, conditions(serve));
        List<Published> entries = wanted.ingress();
        if (entries != null && isOverwritten(state, entries)) {
            Optional<Duration> wait = overwritten(state, entries);
            if (wait.isPresent()) {
                again = wait;
                wanted = new Publication(holds, null, conditions(serve));
            }
        } else if (entries != null && mustAskForIpMode(state, entries)) {
            Optional<Outcome> asked = askForIpMode(state, wanted);
            if (asked.isPresent() || trouble.isPresent()) {
                return asked;
            }
            wanted = new Publication(holds, withoutDropped(state, entries), wanted.conditions());
        }
        Optional<Outcome> outcome = write(state, wanted, "publishing the status");
        ingressIsWritten = wanted.ingress() != null && outcome.isEmpty();
        if (isInConflict(state) && again.isEmpty()) {
            // The condition goes by itself when it is over.
            again = Optional.of(ServiceMemory.OVERWRITES_WITHIN);
        }
        if (serve.servedClass().ipMode() == IpMode.PROXY
                && parts.ipMode().isMissing(hasModes(wanted.ingress()), now())
                && again.isEmpty()) {
            again = Optional.of(IpModeSupport.ASK_AGAIN);
        }
        return outcome;
    }

    private static boolean hasModes(@Nullable List<Published> entries) {
        return entries == null || entries.stream().allMatch(entry -> entry.ip() == null || entry.ipMode() != null);
    }

    private enum Checked {
        AS_KNOWN,
        OTHERWISE,
        UNSURE
    }

    /**
     * Asks the API server about claims that another operator may have changed unheard: of an address that
     * is published now for the first time and was not claimed by this very pass; and of one that is about
     * to go from the status and is not its own as far as is known. So two operators that serve one Service
     * come to agree on one address before either releases the other.
     */
    private Checked checkClaims(ServicePlan.Serve serve, List<Published> entries) {
        ServiceState state = serve.service();
        Set<Ip> wanted = new LinkedHashSet<>(ips(entries));
        List<Ip> published = state.publishedAddresses();
        List<Ip> doubtful = new ArrayList<>();
        if (published.size() <= IpFamily.values().length) {
            // More than one a family is no operator's work, but a stranger's.
            // That another seems to have it may be old, or a hold of this operator that the API server will refuse.
            published.stream()
                    .filter(ip -> !wanted.contains(ip) && !holds(ip, owner(serve)))
                    .forEach(doubtful::add);
        }
        wanted.stream()
                .filter(ip -> !confirmed.contains(ip)
                        && !state.publishes(ip)
                        && parts.ledger().holding(ip).isPresent())
                .forEach(doubtful::add);
        for (Ip ip : doubtful) {
            switch (parts.cluster().readClaim(ip)) {
                case Read.Found<Claim>(Claim found) -> {
                    observe(found);
                    if (found.owners().contains(owner(serve)) != wanted.contains(ip)) {
                        return Checked.OTHERWISE;
                    }
                }
                case Read.Absent<Claim> none -> {
                    if (wanted.contains(ip)) {
                        parts.ledger().lost(ip);
                        return Checked.OTHERWISE;
                    }
                }
                case Read.Failed<Claim>(String message) -> {
                    trouble("reading Address " + ip, "ClaimUnsure", message, serve.steps());
                    return Checked.UNSURE;
                }
            }
        }
        return Checked.AS_KNOWN;
    }

    private boolean holds(Ip ip, Owner owner) {
        return parts.ledger()
                .holding(ip)
                .filter(holding -> holding.owners().contains(owner))
                .isPresent();
    }

    private List<Condition> conditions(ServicePlan.Serve serve) {
        ServiceState state = serve.service();
        List<Condition> conditions = new ArrayList<>();
        Instant now = now();
        List<Ip> own = addressesOf(state);
        String holds = own.stream().map(Ip::toString).collect(Collectors.joining(", "));
        if (serve.servedClass().capabilities().addresses() == AddressSource.POOLS) {
            if (!own.isEmpty()) {
                parts.metrics().waits(key, waiting.map(reason -> assignedReason(state, own)));
                conditions.add(Publication.condition(
                        state,
                        Marks.ADDRESS_ASSIGNED,
                        true,
                        assignedReason(state, own),
                        "holds " + holds
                                + waiting.map(reason -> "; " + reason.message()).orElse(""),
                        now));
            } else {
                String reason = waiting.map(WaitReason::reason)
                        .or(() -> trouble.map(Trouble::reason))
                        .orElse("ClaimFailed");
                String message = waiting.map(WaitReason::message)
                        .or(() -> trouble.map(Trouble::message))
                        .orElse("no address could be claimed");
                parts.metrics().waits(key, Optional.of(reason));
                conditions.add(Publication.condition(state, Marks.ADDRESS_ASSIGNED, false, reason, message, now));
            }
        } else {
            conditions.add(ofItsProvider(serve, now));
        }
        trouble.filter(what -> what.reason().equals("EnsureFailed"))
                .ifPresent(what -> conditions.add(
                        Publication.condition(state, Marks.PROGRAMMED, false, what.reason(), what.message(), now)));
        pending.ifPresent(message ->
                conditions.add(Publication.condition(state, Marks.PROGRAMMED, false, "Pending", message, now)));
        if (demand != null) {
            conditions.addAll(demand.conditions(state, portErrors(), now));
        }
        sharingConflict.ifPresent(why -> conditions.add(
                Publication.condition(state, Marks.SHARING_CONFLICT, true, why.reason(), why.message(), now)));
        if (isInConflict(state)) {
            conditions.add(Publication.condition(
                    state,
                    Marks.STATUS_CONFLICT,
                    true,
                    "StatusOverwritten",
                    "another controller keeps writing status.loadBalancer; find it and stop it",
                    now));
        }
        return conditions;
    }

    /** Whether the provider gave it an address. With the finalizer it is the mark that Berth serves the Service. */
    private Condition ofItsProvider(ServicePlan.Serve serve, Instant now) {
        ServiceState state = serve.service();
        List<Published> entries = ingress == null ? state.ingress() : ingress;
        String provider = "provider \"" + serve.servedClass().provider() + "\"";
        if (!entries.isEmpty()) {
            parts.metrics().waits(key, Optional.empty());
            return Publication.condition(
                    state,
                    Marks.ADDRESS_ASSIGNED,
                    true,
                    "Assigned",
                    provider + " gave "
                            + entries.stream().map(Published::toString).collect(Collectors.joining(", ")),
                    now);
        }
        String reason = trouble.map(Trouble::reason).orElse("Pending");
        String message = trouble.map(Trouble::message).or(() -> pending).orElse("waiting for " + provider);
        parts.metrics().waits(key, Optional.of(reason));
        return Publication.condition(state, Marks.ADDRESS_ASSIGNED, false, reason, message, now);
    }

    /** Of the request, and of what the provider answered to it. */
    private List<PortError> portErrors() {
        return demand == null
                ? List.of()
                : Stream.concat(
                                demand.portErrors().stream(),
                                memory
                                        .answerTo(demand.request())
                                        .map(ready -> ready.status().portErrors())
                                        .orElse(List.of())
                                        .stream())
                        .toList();
    }

    /** Also where it was said not long ago: another operator, or this one before a restart, remembers why. */
    private boolean isInConflict(ServiceState state) {
        Instant now = now();
        return memory.isInConflict(now)
                || state.condition(Marks.STATUS_CONFLICT)
                        .filter(said -> said.since()
                                .plus(ServiceMemory.OVERWRITES_WITHIN)
                                .isAfter(now))
                        .isPresent();
    }

    private String assignedReason(ServiceState state, List<Ip> own) {
        if (waiting.isEmpty()) {
            return "Assigned";
        }
        return own.size() < state.wantedFamilies().size() ? "PartlyAssigned" : "KeepsFormer";
    }

    private boolean isOverwritten(ServiceState state, List<Published> wanted) {
        return memory.wasPublished(wanted) && !Publication.sameIngress(wanted, state.ingress());
    }

    private Optional<Duration> overwritten(ServiceState state, List<Published> wanted) {
        parts.metrics().statusOverwritten();
        parts.events()
                .warning(
                        About.service(state),
                        "StatusOverwritten",
                        "status.loadBalancer was changed to " + state.ingress() + " by another; it is " + wanted);
        return memory.overwritten(parts.backoff(), parts.clock().instant());
    }

    private boolean mustAskForIpMode(ServiceState state, List<Published> wanted) {
        return parts.ipMode().isUnknown(now()) && Publication.differsInIpModeOnly(wanted, state.ingress());
    }

    /** Only the mode differs: a dry run tells whether writing it would change anything. One asks for all. */
    private Optional<Outcome> askForIpMode(ServiceState state, Publication wanted) {
        if (!parts.ipMode().mayAsk()) {
            return Optional.of(new Outcome.Finished(Next.after(IpModeSupport.ANOTHER_ASKS)));
        }
        try {
            return parts.ipMode().isUnknown(now()) ? dryRun(state, wanted) : Optional.empty();
        } finally {
            parts.ipMode().asked();
        }
    }

    private Optional<Outcome> dryRun(ServiceState state, Publication wanted) {
        Publication.Difference difference = wanted.differenceFrom(state).orElseThrow();
        return switch (parts.cluster().publish(state, difference, true)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                learnIpMode(state, difference.ingress(), answer);
                yield Optional.empty();
            }
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Again(true));
            case Write.NotFound<ServiceState> gone -> Optional.of(new Outcome.Again(true));
            case Write.Refused<ServiceState>(String message) -> {
                trouble("asking for ipMode", "PublishFailed", message, difference);
                yield Optional.empty();
            }
            case Write.Unknown<ServiceState>(String message) -> {
                trouble("asking for ipMode", "PublishFailed", message, difference);
                yield Optional.empty();
            }
        };
    }

    private static boolean usesIpMode(ServiceState state) {
        return state.ingress().stream().anyMatch(entry -> entry.ipMode() != null);
    }

    private List<Published> withoutDropped(ServiceState state, List<Published> wanted) {
        return parts.ipMode().isPublished(usesIpMode(state), now())
                ? wanted
                : wanted.stream().map(Published::withoutIpMode).toList();
    }

    private void learnIpMode(ServiceState about, @Nullable List<Published> sent, ServiceState answer) {
        boolean told = sent != null && sent.stream().anyMatch(entry -> entry.ipMode() != null);
        if (!told || usesIpMode(about)) {
            // Where it is in use, it is kept in any case.
            return;
        }
        boolean kept = answer.ingress().stream().anyMatch(entry -> entry.ipMode() != null);
        boolean news = parts.ipMode().learn(kept, now());
        if (news && !kept) {
            parts.metrics().ipModeDropped(true);
            String message =
                    "the API server drops status.loadBalancer.ingress[].ipMode (older than 1.29, or its feature gate LoadBalancerIPMode is off); kube-proxy takes every address for ipMode VIP";
            parts.events().warning(About.service(about), "IPModeDropped", message);
            LOG.warn("{}", message);
        } else if (news) {
            parts.metrics().ipModeDropped(false);
        }
    }

    /** Writes what differs, if anything does. */
    private Optional<Outcome> write(ServiceState state, Publication wanted, String doing) {
        Optional<Publication.Difference> difference = wanted.differenceFrom(state);
        if (difference.isEmpty()) {
            rememberPublished(wanted, state);
            return Optional.empty();
        }
        Publication.Difference request = difference.get().timeless();
        Optional<Duration> mustWait = memory.mustWait(request, parts.clock().instant());
        if (mustWait.isPresent()) {
            return Optional.of(new Outcome.Finished(Next.after(mustWait.get())));
        }
        return switch (parts.cluster().publish(state, difference.get(), false)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                isCurrent = true;
                memory.wrote(answer);
                rememberPublished(wanted, answer);
                learnIpMode(state, difference.get().ingress(), answer);
                tell(answer, difference.get());
                yield Optional.empty();
            }
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Again(true));
            case Write.NotFound<ServiceState> gone -> Optional.of(new Outcome.Again(true));
            case Write.Refused<ServiceState>(String message) -> {
                trouble(doing, "PublishFailed", message, request);
                yield Optional.empty();
            }
            case Write.Unknown<ServiceState>(String message) -> {
                trouble(doing, "PublishFailed", message, request);
                yield Optional.empty();
            }
        };
    }

    /** In the words of the API server: a mode that it dropped was not overwritten by anybody. */
    private void rememberPublished(Publication wanted, ServiceState stored) {
        List<Published> entries = wanted.ingress();
        if (entries != null && !entries.isEmpty()) {
            memory.published(stored.ingress());
        }
    }

    /** In the words of the answer: the API server may have dropped the mode, or put one there. */
    private void tell(ServiceState state, Publication.Difference difference) {
        if (difference.ingress() != null && !state.ingress().isEmpty()) {
            String list = state.ingress().stream().map(Published::toString).collect(Collectors.joining(", "));
            LOG.info("Service {} has {}", key, list);
            parts.events().normal(About.service(state), "EnsuredLoadBalancer", "Ensured load balancer: " + list);
        }
        difference.conditions().stream()
                .filter(condition -> condition.type().equals(Marks.UNSUPPORTED))
                .forEach(condition ->
                        parts.events().warning(About.service(state), condition.reason(), condition.message()));
        sharingConflict.ifPresent(
                why -> parts.events().warning(About.service(state), "SharingConflict", why.message()));
        waiting.ifPresent(reason -> {
            LOG.info("Service {} waits: {}", key, reason.message());
            parts.events().warning(About.service(state), "AllocationFailed", reason.message());
        });
    }

    private void trouble(String doing, String reason, String cause, Object request) {
        trouble = Optional.of(new Trouble(doing, reason, cause, request, Optional.empty()));
    }

    // ---- the end

    private Outcome tearDown(ServicePlan.TearDown down) {
        Optional<Duration> mustWait =
                memory.mustWait(down.steps(), parts.clock().instant());
        if (mustWait.isPresent()) {
            return new Outcome.Finished(Next.after(mustWait.get()));
        }
        if (!live && needsLiveRead(down)) {
            return new Outcome.Again(true);
        }
        due.accept(parts.ledger().stopWaiting(key));
        for (Step step : down.steps()) {
            Optional<Outcome> outcome = undo(down, step);
            if (outcome.isPresent()) {
                return outcome.get();
            }
        }
        LOG.info("Service {} is no longer served: {}", key, down.why());
        if (again.isPresent()) {
            return new Outcome.Finished(new Next(again));
        }
        memory.succeeded();
        // It may be another's now, or ours by another class; or only one of its name was torn down.
        boolean ownTurn = down.steps().stream().noneMatch(Step.Clear.class::isInstance);
        boolean remains = service.isPresent() && (ownTurn || service.get().wantsLoadBalancer());
        return remains ? new Outcome.Again(false) : new Outcome.Finished(Next.ON_EVENT);
    }

    /**
     * The cache may be older than what was published last. Where no patch with a resource version tells
     * (there is nothing to clear), or comes too late (the provider has deleted by then), a read has to.
     */
    private boolean needsLiveRead(ServicePlan.TearDown down) {
        boolean touchesTheWorld = down.steps().stream()
                .anyMatch(step -> step instanceof Step.DeleteLoadBalancer(ServedClass served)
                        && !served.capabilities().immediate());
        return service.isPresent()
                && (releasesItsOwnAlone(down, service.get())
                        || down.steps().stream()
                                .anyMatch(step -> step instanceof Step.Clear(List<Published> others)
                                        && (touchesTheWorld || isClean(service.get(), others))));
    }

    private boolean releasesItsOwnAlone(ServicePlan.TearDown down, ServiceState state) {
        return down.steps().stream().noneMatch(Step.Clear.class::isInstance)
                && parts.ledger().heldFor(key).stream()
                        .filter(holding -> holding.isFor(key, state.uid()))
                        .anyMatch(holding -> down.steps().stream()
                                .anyMatch(step ->
                                        step instanceof Step.Release(List<Ip> ips) && ips.contains(holding.ip())));
    }

    private static boolean isClean(ServiceState state, List<Published> others) {
        return !state.hasOurFinalizer()
                && !state.hasOurConditions()
                && state.ingress().equals(others);
    }

    private Optional<Outcome> undo(ServicePlan.TearDown down, Step step) {
        return switch (step) {
            case Step.DeleteLoadBalancer(ServedClass served) -> delete(down, served);
            case Step.Clear(List<Published> others) -> clear(down, others);
            case Step.Release(List<Ip> addresses) -> release(addresses);
            default -> throw new IllegalStateException(step + " is no step of a tear-down");
        };
    }

    private Optional<Outcome> delete(ServicePlan.TearDown down, ServedClass served) {
        if (service.isEmpty()) {
            return Optional.empty();
        }
        LoadBalancerProvider provider = parts.providers().named(served.provider());
        LoadBalancerRequest request = demand(service.get(), served).request();
        About about = About.service(service.get());
        try {
            if (!served.capabilities().immediate()) {
                parts.events().normal(about, "DeletingLoadBalancer", "Deleting load balancer");
            }
            guard.delete(served.name(), provider, request);
            if (!served.capabilities().immediate()) {
                parts.events().normal(about, "DeletedLoadBalancer", "Deleted load balancer");
            }
            memory.unsure();
            return Optional.empty();
        } catch (ProviderException failure) {
            return Optional.of(failed(
                    service.get(),
                    new Trouble(
                            "deleting load balancer for " + key,
                            "DeleteFailed",
                            String.valueOf(failure.getMessage()),
                            down.steps(),
                            failure.retryAfter())));
        }
    }

    private Optional<Outcome> clear(ServicePlan.TearDown down, List<Published> others) {
        if (service.isEmpty()) {
            return Optional.empty();
        }
        ServiceState state = service.get();
        if (isClean(state, others)) {
            return Optional.empty();
        }
        return switch (parts.cluster().clear(state, others)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                memory.wrote(answer);
                yield Optional.empty();
            }
            case Write.NotFound<ServiceState> gone -> Optional.empty();
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Again(true));
            case Write.Refused<ServiceState>(String message) -> Optional.of(failed(state, notCleared(down, message)));
            case Write.Unknown<ServiceState>(String message) -> Optional.of(failed(state, notCleared(down, message)));
        };
    }

    private static Trouble notCleared(ServicePlan.TearDown down, String message) {
        return new Trouble("taking the status back", "ClearFailed", message, down.steps(), Optional.empty());
    }

    private Instant now() {
        return parts.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    }
}
