package dev.berth.controller.service;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Demand;
import dev.berth.loadbalancer.HoldingSelection;
import dev.berth.loadbalancer.Planner;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Step;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Requester;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What must hold: always, and when nothing happens any more. */
final class SimulationRules {
    /** It walks all that is held. */
    private static final int STEPS_PER_LOOK_AT_LEDGERS = 16;

    private final SimulatedWorld world;
    private final SimulatedCluster cluster;
    private final PoolRules pools;

    private long steps;

    /** Both numbers only grow: their sum tells whether anything has changed. */
    private long checkedAt = -1;

    SimulationRules(SimulatedWorld world) {
        this.world = world;
        pools = new PoolRules(world);
        cluster = world.cluster;
    }

    void check(boolean holds, Supplier<String> message) {
        if (!holds) {
            throw new AssertionError(message.get());
        }
    }

    // ---- always

    void always() {
        pools.always();
        if (steps++ % STEPS_PER_LOOK_AT_LEDGERS == 0) {
            world.operators.forEach(operator -> operator.ledger.checkInvariants());
        }
        long now = cluster.revision() + world.provider.changes() + world.cloud.changes();
        if (now != checkedAt) {
            checkPublished(true);
            if (isAlwaysTold()) {
                checkCarried();
            }
            checkedAt = now;
        }
    }

    private void checkPublished(boolean mayBeDeletedByHand) {
        check(
                !cluster.claims.containsKey(SimulatedPeople.IN_NO_POOL),
                () -> "an address of no pool is claimed: " + cluster.claims.get(SimulatedPeople.IN_NO_POOL));
        Map<Ip, ServiceState> publishedBy = new TreeMap<>();
        cluster.publishedByUs.forEach((key, uid) -> {
            ServiceState service = cluster.services.get(key);
            if (service == null || !service.uid().equals(uid)) {
                return;
            }
            check(
                    service.ingress().stream().allMatch(entry -> entry.ip() != null),
                    () -> key + " publishes what is not an address: " + service.ingress());
            for (Ip ip : service.publishedAddresses()) {
                Claim claim = cluster.claims.get(ip);
                ServiceState other = publishedBy.put(ip, service);
                boolean isBrought = world.cloud.gave(ip.toString(), uid);
                boolean isBroughtForOne = isBrought || (other != null && world.cloud.gave(ip.toString(), other.uid()));
                check(
                        other == null
                                || isShared(claim, service, other)
                                || (mayBeDeletedByHand
                                        && (wasShared(ip, service, other)
                                                || world.editedByHand.contains(ip)
                                                || isOvertaken(ip, claim)
                                                // No object tells what a provider gave. Its Service takes it back.
                                                || (isBroughtForOne
                                                        && (world.deletedByHand.contains(ip)
                                                                || world.hasBegunWithAnOldList
                                                                || world.isClaimedLate(ip)
                                                                || isPublishedLate(ip, service, other))))),
                        () -> ip + " is published by " + key + " and " + (other == null ? "" : other.key())
                                + ", and its Address is " + claim);
                if (isBrought) {
                    continue;
                }
                boolean excused = world.deletedByHand.contains(ip)
                        // Of another Berth's Service the other has to make it again.
                        && (mayBeDeletedByHand || world.classSet().isServedElsewhere(service.loadBalancerClass()))
                        && (claim == null
                                || isReserved(claim, service)
                                || world.sharedAndDeletedByHand.contains(ip)
                                || world.editedByHand.contains(ip)
                                || isOvertaken(ip, claim));
                // It is as if a stranger had written it, or is reserved for this Service: nobody else gets it.
                boolean isWithheld = (claim == null || claim.owners().isEmpty() || isReserved(claim, service))
                        && isFrozen(service)
                        && world.deletedByHand.contains(ip)
                        && world.operators.stream()
                                .allMatch(operator -> operator.ledger
                                        .holding(ip)
                                        .filter(held -> held.owners().isEmpty()
                                                || held.isFor(key, uid)
                                                || held.isReservedFor(key))
                                        .isPresent());
                check(
                        isOwner(claim, service) || excused || isWithheld,
                        () -> ip + " is published by " + key + " " + uid + ", but its Address is " + claim);
            }
        });
    }

    /**
     * Whether a create that was sent before another Address object was made, and deleted by hand, has landed after that:
     * nobody can recall it, and whose the address is shows with the answer.
     */
    private boolean isOvertaken(Ip ip, @Nullable Claim claim) {
        return claim != null && world.deletedByHand.contains(ip) && cluster.wasUnderWayAtADeletion(claim);
    }

    private static boolean isReserved(Claim claim, ServiceState service) {
        return claim.owners().contains(new Owner(service.key(), null));
    }

    /** Whether it keeps what it has as it is, for its class is gone: no Address is made for it. */
    private static boolean isFrozen(ServiceState service) {
        return service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                .filter(condition -> condition.reason().equals(Reason.ClassMissing.name()))
                .isPresent();
    }

    private static boolean isOwner(@Nullable Claim claim, ServiceState service) {
        return claim != null && claim.owners().contains(new Owner(service.key(), service.uid()));
    }

    private static boolean isShared(@Nullable Claim claim, ServiceState one, ServiceState other) {
        return claim != null
                && isOwner(claim, one)
                && isOwner(claim, other)
                && claim.spec().sharing() != null
                && one.key().namespace().equals(other.key().namespace());
    }

    /** Whether those who shared an address are to claim it again, for it was deleted by hand. */
    private boolean wasShared(Ip ip, ServiceState one, ServiceState other) {
        return world.sharedAndDeletedByHand.contains(ip)
                && one.key().namespace().equals(other.key().namespace());
    }

    /**
     * What a provider is told by two at once is put right by its fencing token alone; and once its class is
     * deleted, nobody knows which provider it was.
     */
    private boolean tellsTheProviderAll() {
        return world.operators.size() == 1 && !world.classWasDeleted;
    }

    /** While there are two, one may be told that it is over before the other is. */
    private boolean isAlwaysTold() {
        return tellsTheProviderAll() && !world.hadTwoLeaders;
    }

    private void checkCarried() {
        Map<String, String> carriedFor = new TreeMap<>();
        world.provider.carried.forEach((uid, ips) -> ips.forEach(ip -> {
            String other = carriedFor.put(ip, uid);
            Claim claim = cluster.claims.get(Ip.parse(ip));
            check(
                    other == null
                            || world.deletedByHand.contains(Ip.parse(ip))
                            || (claim != null && claim.spec().sharing() != null),
                    () -> ip + " carries traffic of " + uid + " and of " + other);
        }));
    }

    // ---- when nothing happens any more

    /** Whether a pool may show another number after a restart: what was published meanwhile is withheld from then on. */
    boolean mayPoolsChangeWithARestart() {
        return pools.isAnyWithheld();
    }

    /** Whether two operators write the statuses of pools in turn, for ever. */
    boolean doOperatorsDisagree() {
        return world.operators.size() > 1 && pools.doOperatorsDisagree();
    }

    void settled() {
        checkPublished(false);
        ClassSet classes = world.classSet();
        List<Ledger> all = world.operators.stream()
                .map(operator -> ledgerOfTheCluster(operator, classes))
                .toList();
        Ledger told = all.getFirst();
        Set<ServiceKey> waits = new HashSet<>();
        for (ServiceState service : cluster.services.values()) {
            checkOthersMarks(service);
            checkService(service, classes, told, waits);
        }
        cluster.claims.values().forEach(this::checkClaim);
        world.operators.forEach(operator -> checkLedger(operator, waits));
        all.forEach(Ledger::checkInvariants);
        pools.settled(all);
        if (tellsTheProviderAll()) {
            checkNothingIsLeft();
        }
    }

    /** What a ledger would know that had no history but who waits, in which order. */
    private Ledger ledgerOfTheCluster(SimulatedOperator operator, ClassSet classes) {
        Ledger ledger = new Ledger();
        ledger.usePools(world.poolSet());
        ledger.rebuild(new ArrayList<>(cluster.claims.values()));
        heldForFrozen(operator).forEach(holding -> hold(ledger, holding));
        cluster.services.forEach((key, service) -> ledger.withhold(key, service.publishedAddresses()));
        for (ServiceState service : cluster.services.values()) {
            acquire(plan(operator, service, classes, ledger)).ifPresent(ledger::await);
        }
        return ledger;
    }

    private Stream<Holding> heldForFrozen(SimulatedOperator operator) {
        return operator.ledger.holdings().stream()
                .filter(holding -> !cluster.claims.containsKey(holding.ip()) && isKeptForAFrozen(holding));
    }

    /** It counts for the quota of its namespace. */
    private void hold(Ledger ledger, Holding holding) {
        Owner owner = holding.owners().getFirst();
        ServiceState service = Objects.requireNonNull(cluster.services.get(owner.service()));
        String pool = holding.spec().pool();
        String value = holding.loadBalancerClass();
        if (pool == null || value == null) {
            return;
        }
        ledger.holdAgain(new AddressRequest(
                owner.service(),
                service.uid(),
                value,
                List.of(holding.ip().family()),
                true,
                new Requester(
                        List.of(pool),
                        world.namespaces.getOrDefault(owner.service().namespace(), Map.of()),
                        service.labels()),
                AddressConstraints.NONE,
                List.of(holding.ip()),
                QueuePosition.FIRST));
    }

    private ServicePlan plan(SimulatedOperator operator, ServiceState service, ClassSet classes, Ledger ledger) {
        return Planner.plan(new ServiceSnapshot(
                service.key(),
                Optional.of(service),
                ledger.heldFor(service.key()),
                world.poolSet(),
                classes,
                operator.control.ofClasses().deference(operator.classSet()),
                world.namespaces.getOrDefault(service.key().namespace(), Map.of()),
                operator.ledger
                        .turnOf(service.key())
                        .orElseGet(() -> new QueuePosition(Instant.MAX, service.created(), service.uid())),
                List.of(),
                Optional.empty(),
                Optional.of(Duration.between(service.created(), world.now())),
                ledger.claimedForOthers(service.key(), service.publishedAddresses())));
    }

    private static Optional<AddressRequest> acquire(ServicePlan plan) {
        return plan.steps().stream()
                .flatMap(step ->
                        step instanceof Step.Acquire(AddressRequest request) ? Stream.of(request) : Stream.empty())
                .findFirst();
    }

    private void checkOthersMarks(ServiceState service) {
        check(
                service.finalizers().containsAll(world.othersMarks.getOrDefault(service.uid(), List.of()))
                        && (!world.othersMarks.containsKey(service.uid())
                                || service.condition("example.org/Other").isPresent()),
                () -> service.key() + " lost another's finalizer or condition");
        check(
                isAnotherBerths(service, world.classSet()) || world.odd.areUnchanged(service),
                () -> service + " has not the conditions that it should have");
        check(
                !world.publishedByOthers.contains(service.uid())
                        || service.ingress().equals(SimulatedPeople.PUBLISHED_BY_OTHERS),
                () -> service.key() + " lost what the controller of its class published");
    }

    /** Whether another Berth serves it, or has not cleaned up yet: without a class it is whose Address it has, and this one's first. */
    private boolean isAnotherBerths(ServiceState service, ClassSet classes) {
        List<String> claimedBy = cluster.claims.values().stream()
                .filter(claim -> isOwner(claim, service))
                .flatMap(claim -> Stream.ofNullable(claim.loadBalancerClass()))
                .toList();
        return classes.isServedElsewhere(service.loadBalancerClass())
                || service.servedByClass().filter(classes::isServedElsewhere).isPresent()
                || (service.loadBalancerClass() == null
                        && service.servedByClass().isEmpty()
                        && !claimedBy.isEmpty()
                        && claimedBy.stream().allMatch(classes::isServedElsewhere));
    }

    private void checkService(ServiceState service, ClassSet classes, Ledger told, Set<ServiceKey> waits) {
        if (isAnotherBerths(service, classes)) {
            check(
                    isFrozen(service)
                            || cluster.claims.values().stream()
                                    .noneMatch(claim -> isOwner(claim, service)
                                            && claim.loadBalancerClass() != null
                                            && !classes.isServedElsewhere(claim.loadBalancerClass())),
                    () -> service + " is another Berth's, but holds an address of this one");
            return;
        }
        List<Claim> held = cluster.claims.values().stream()
                .filter(claim -> isOwner(claim, service))
                .filter(claim -> !classes.isServedElsewhere(claim.loadBalancerClass()))
                .toList();
        switch (plan(world.operators.getFirst(), service, classes, told)) {
            case ServicePlan.Serve serve -> checkServed(serve, held, told, waits);
            case ServicePlan.Skip leave -> checkSkipped(leave, held, classes, told);
            case ServicePlan.NotOurs none -> checkNoneOfOurs(service, held, classes);
            case ServicePlan.Adopt adopt -> check(false, () -> service + " should be taken over");
            case ServicePlan.TearDown down ->
                check(false, () -> service + " is ours, and should not be: " + down.why());
        }
    }

    /**
     * It has not the mark of its class, which a user took off, or a stranger left out, and that class was gone or not
     * accepted: who served it is known until a restart. It need not be gone any more, if Berth began while it was.
     */
    private boolean nobodyKnowsWhoseItIs(ServiceState service, ClassSet classes) {
        String named = service.loadBalancerClass();
        return service.servedByClass().isEmpty()
                && (isUnmarkedOfASpoiledClass(service)
                        || (world.unmarked.contains(service.uid())
                                && named != null
                                && ((world.classWasDeleted && world.begunWithoutAClass)
                                        || (world.deletedClasses.contains(named)
                                                && classes.byValue(named).isEmpty()))));
    }

    /** The same, and that class was not accepted for a while. */
    private boolean isUnmarkedOfASpoiledClass(ServiceState service) {
        return world.unmarked.contains(service.uid()) && world.kinds.wasAnySpoiled();
    }

    /**
     * What a restart finds when nothing happens any more.
     *
     * @param unknown the Services of which it is not known any more after it who served them
     * @param frees whether an address without Address object was held for one, which counts for its quota no more
     */
    record Found(
            Map<ServiceKey, ServiceState> services,
            Map<Ip, Claim> claims,
            int writes,
            Set<ServiceKey> unknown,
            boolean frees) {}

    Found found() {
        ClassSet classes = world.classSet();
        Set<ServiceKey> unknown = cluster.services.values().stream()
                .filter(service -> nobodyKnowsWhoseItIs(service, classes))
                .map(ServiceState::key)
                .collect(Collectors.toSet());
        return new Found(
                new TreeMap<>(cluster.services),
                new TreeMap<>(cluster.claims),
                cluster.writes(),
                unknown,
                world.operators.stream()
                        .flatMap(this::heldForFrozen)
                        .anyMatch(holding ->
                                unknown.contains(holding.owners().getFirst().service())));
    }

    /**
     * If a further look at everything changes what is published, what a Service says of its addresses, what an Address says,
     * or with whom somebody shares it, an event was missed.
     */
    void lookedAtAgain(Found settled) {
        check(
                published(settled.services()).equals(published(cluster.services)),
                () -> "nobody looked, and an address was to be published or taken back: "
                        + changes(published(settled.services()), published(cluster.services)));
        check(
                specs(settled.claims()).equals(specs(cluster.claims)),
                () -> "nobody looked, and an address was to be claimed, released or amended: "
                        + changes(specs(settled.claims()), specs(cluster.claims)));
    }

    private static <K, V> String changes(Map<K, V> before, Map<K, V> now) {
        return Stream.concat(before.keySet().stream(), now.keySet().stream())
                .distinct()
                .filter(key -> !Objects.equals(before.get(key), now.get(key)))
                .map(key -> key + " was " + before.get(key) + ", and is now " + now.get(key))
                .collect(Collectors.joining("; "));
    }

    private static Map<Ip, ClaimSpec> specs(Map<Ip, Claim> claims) {
        Map<Ip, ClaimSpec> specs = new TreeMap<>();
        claims.forEach((ip, claim) -> specs.put(ip, claim.spec()));
        return specs;
    }

    private record Visible(List<Published> ingress, boolean conflicts, Optional<String> said) {}

    private static Map<ServiceKey, Visible> published(Map<ServiceKey, ServiceState> services) {
        Map<ServiceKey, Visible> published = new TreeMap<>();
        services.forEach((key, service) -> published.put(
                key,
                new Visible(
                        service.ingress(),
                        service.condition(WellKnownNames.SHARING_CONFLICT).isPresent(),
                        service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                                .map(condition -> condition.reason() + ": " + condition.message()))));
        return published;
    }

    /** What a restart may write: Services of which is not known any more who served them, and what comes of it. */
    void restarted(Found before) {
        if (cluster.writes() == before.writes()) {
            return;
        }
        check(
                !before.unknown().isEmpty(),
                () -> "a restart of a settled cluster wrote " + (cluster.writes() - before.writes()) + " times");
        Set<ServiceKey> concerned = new HashSet<>(before.unknown());
        if (before.frees()
                || !claimsOf(before.unknown(), before.claims()).equals(claimsOf(before.unknown(), cluster.claims))) {
            // They may get what is free now.
            before.services().values().stream()
                    .filter(service -> !hasAllItAsksFor(service))
                    .map(ServiceState::key)
                    .forEach(concerned::add);
        }
        check(
                others(concerned, before.services()).equals(others(concerned, cluster.services)),
                () -> "a restart of a settled cluster changed more than " + concerned + ": " + before.services()
                        + " are now " + cluster.services);
    }

    private static boolean hasAllItAsksFor(ServiceState service) {
        return service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                .filter(condition -> condition.reason().equals("Assigned"))
                .isPresent();
    }

    private static Map<Ip, Claim> claimsOf(Set<ServiceKey> services, Map<Ip, Claim> all) {
        Map<Ip, Claim> claims = new TreeMap<>(all);
        claims.values()
                .removeIf(claim -> claim.owners().stream().noneMatch(owner -> services.contains(owner.service())));
        return claims;
    }

    private static Map<ServiceKey, ServiceState> others(Set<ServiceKey> services, Map<ServiceKey, ServiceState> all) {
        Map<ServiceKey, ServiceState> others = new TreeMap<>(all);
        others.keySet().removeAll(services);
        return others;
    }

    /** What it publishes may be another's by then, where nobody knows any more who served it. */
    private void checkNoneOfOurs(ServiceState service, List<Claim> held, ClassSet classes) {
        check(
                held.isEmpty()
                        && !service.hasOurFinalizer()
                        && !service.hasOurConditions()
                        && (!cluster.publishedByUs.containsKey(service.key())
                                || service.ingress().isEmpty()
                                || nobodyKnowsWhoseItIs(service, classes)),
                () -> service + " is none of ours, but has marks of ours, or " + held);
    }

    private void checkSkipped(ServicePlan.Skip leave, List<Claim> held, ClassSet classes, Ledger told) {
        if (leave.steps().stream().noneMatch(Step.Explain.class::isInstance)) {
            checkNoneOfOurs(leave.service(), held, classes);
            return;
        }
        List<Holding> claimed = told.heldFor(leave.service().key()).stream()
                .filter(holding -> holding.state() == Holding.State.CLAIMED && !classes.isClaimedElsewhere(holding))
                .toList();
        List<Ip> shown = HoldingSelection.of(leave.service(), claimed, AddressConstraints.NONE, world.poolSet())
                .publishable(leave.service());
        boolean hasItsProviders = leave.service().servedByClass().isPresent()
                && !leave.service().ingress().isEmpty()
                && claimed.stream()
                        .noneMatch(holding -> holding.isFor(
                                leave.service().key(), leave.service().uid()));
        checkReason(leave.service(), leave.reason().name(), !shown.isEmpty() || hasItsProviders);
    }

    private void checkReason(ServiceState service, String reason, boolean has) {
        Condition.Status status = has ? Condition.Status.TRUE : Condition.Status.FALSE;
        check(
                service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                        .filter(condition -> condition.status() == status
                                && condition.reason().equals(reason))
                        .isPresent(),
                () -> service + " does not say " + status + " " + reason);
    }

    private void checkServed(ServicePlan.Serve serve, List<Claim> held, Ledger told, Set<ServiceKey> waits) {
        ServiceState service = serve.service();
        boolean ofItsProvider = serve.servedClass().capabilities().addresses() == AddressSource.PROVIDER;
        check(
                (!serve.marks() || serve.acquires())
                        && serve.steps().stream()
                                .takeWhile(step -> !(step instanceof Step.Acquire))
                                .noneMatch(step -> step instanceof Step.ConfirmClaim || step instanceof Step.Amend),
                () -> service + " is not done: " + serve.steps());
        List<IpFamily> wanted = service.wantedFamilies();
        List<IpFamily> has = held.stream().map(claim -> claim.ip().family()).toList();
        check(
                wanted.containsAll(has) && new HashSet<>(has).size() == has.size(),
                () -> service + " has more than it asks for: " + held);
        List<Ip> expected = ofItsProvider
                ? world.cloud.carried.getOrDefault(service.uid(), List.of()).stream()
                        .map(Ip::parse)
                        .toList()
                : wanted.stream()
                        .flatMap(family -> held.stream().map(Claim::ip).filter(ip -> ip.family() == family))
                        .toList();
        if (ofItsProvider && isAnyAnothers(expected.stream().map(Ip::toString).toList())) {
            // Whether it was published before that is not known here.
            checkClaimsOfAProvidersOwn(service, held);
            return;
        }
        boolean servable = isServable(serve, expected, ofItsProvider);
        check(
                servable
                        ? service.publishedAddresses().equals(expected)
                                && service.ingress().size() == expected.size()
                        : service.ingress().isEmpty()
                                && service.condition(WellKnownNames.UNSUPPORTED).isPresent(),
                () -> service + " shows " + service.ingress() + ", but has " + expected + ", servable: " + servable);
        checkMode(serve);
        if (ofItsProvider) {
            check(
                    !servable || expected.size() == wanted.size(),
                    () -> service + " has " + expected + " of its provider, and wants " + wanted);
            check(service.hasOurFinalizer(), () -> service + " is its provider's, but has no finalizer");
            checkClaimsOfAProvidersOwn(service, held);
            return;
        }
        check(held.isEmpty() || service.hasOurFinalizer(), () -> service + " has an address, but no finalizer");
        Optional<WaitReason> why = serve.steps().stream()
                .flatMap(step -> step instanceof Step.Refuse(WaitReason reason) ? Stream.of(reason) : Stream.empty())
                .findFirst();
        Optional<String> fault = why.map(WaitReason::reason).map(Reason::name);
        Optional<AddressRequest> request = acquire(serve);
        if (request.isPresent()) {
            waits.add(service.key());
            Choice choice = told.choose(request.get());
            check(choice instanceof Choice.Refused, () -> service + " waits, but could have " + choice);
            why = Optional.of(WaitReason.of(request.get(), ((Choice.Refused) choice).refusals()));
        }
        if (held.isEmpty()) {
            checkReason(service, why.map(WaitReason::reason).map(Reason::name).orElse("none"), false);
        } else {
            checkReason(
                    service,
                    why.isEmpty()
                            ? "Assigned"
                            : held.size() < wanted.size() ? "PartiallyAssigned" : fault.orElse("ReplacementPending"),
                    true);
        }
        String message =
                service.condition(WellKnownNames.ADDRESS_ASSIGNED).orElseThrow().message();
        String said = why.map(WaitReason::message).orElse("");
        check(message.endsWith(said), () -> service + " should say: " + said);
        checkStranded(service, held);
    }

    private void checkStranded(ServiceState service, List<Claim> held) {
        PoolSet pools = world.poolSet();
        List<Claim> stranded = held.stream()
                .filter(claim ->
                        claim.spec().pool() != null && pools.poolOf(claim.ip()).isEmpty())
                .toList();
        Optional<String> said =
                service.condition(WellKnownNames.ADDRESS_STRANDED).map(Condition::message);
        check(
                stranded.isEmpty()
                        ? said.isEmpty()
                        : said.filter(text -> stranded.stream()
                                        .allMatch(claim -> text.matches("(.* )?" + claim.ip() + "[ ,].*")
                                                && text.contains("was deleted")
                                                        == stranded.stream()
                                                                .anyMatch(any -> pools.named(String.valueOf(any.spec()
                                                                                .pool()))
                                                                        .isEmpty())))
                                .isPresent(),
                () -> service + " has what no pool has, " + stranded + ", and says " + said);
    }

    /** Node ports that the class before released are not there for the provider of the next. */
    private static boolean isServable(ServicePlan.Serve serve, List<Ip> has, boolean ofItsProvider) {
        List<Ip> claimed = ofItsProvider ? List.of() : has;
        return (has.isEmpty() && !ofItsProvider)
                || Demand.of(serve.service(), serve.servedClass(), "", 1, serve.constraints(), claimed, Backends.NONE)
                        .isServable();
    }

    private void checkClaimsOfAProvidersOwn(ServiceState service, List<Claim> held) {
        check(held.isEmpty(), () -> service + " has addresses of its provider, and holds " + held);
        check(
                service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                        .filter(condition -> (condition.status() == Condition.Status.TRUE)
                                == !service.ingress().isEmpty())
                        .isPresent(),
                () -> service + " does not say whether it has an address");
    }

    private void checkMode(ServicePlan.Serve serve) {
        if (!cluster.dropsIpMode() && !serve.service().ingress().isEmpty()) {
            IpMode mode = serve.servedClass().ipMode();
            check(
                    serve.service().ingress().stream()
                            .allMatch(entry -> (mode == IpMode.PROXY) == (entry.ipMode() == IpMode.PROXY)),
                    () -> serve.service() + " has not ipMode " + mode);
        }
    }

    /** Whether its provider has to delete first, and cannot be told: its class is gone. */
    private boolean isKeptForItsProvider(ServiceState service) {
        return service.isMarkedOurs()
                && service.servedByClass()
                        .filter(value -> world.classSet().byValue(value).isEmpty())
                        .isPresent();
    }

    private void checkClaim(Claim claim) {
        if (world.classSet().isServedElsewhere(claim.loadBalancerClass())) {
            return;
        }
        check(claim.spec().phase() != ClaimSpec.Phase.COOLING, () -> claim + " has cooled, and is not given back");
        for (Owner owner : claim.owners()) {
            ServiceState service = cluster.services.get(owner.service());
            check(
                    owner.isReservation()
                            || (service != null
                                    && service.uid().equals(owner.uid())
                                    && (service.wantsLoadBalancer() || isKeptForItsProvider(service))),
                    () -> claim + " has an owner that does not need it: " + service);
        }
    }

    private void checkLedger(SimulatedOperator operator, Set<ServiceKey> waits) {
        operator.ledger.checkInvariants();
        for (Holding holding : operator.ledger.holdings()) {
            Claim claim = cluster.claims.get(holding.ip());
            if (claim == null && (isKeptForAFrozen(holding) || isWithheld(holding))) {
                continue;
            }
            check(
                    holding.state() == Holding.State.CLAIMED
                            && claim != null
                            && claim.owners().equals(holding.owners()),
                    () -> "the ledger has " + holding + ", the cluster " + claim);
        }
        for (Claim claim : cluster.claims.values()) {
            check(operator.ledger.holding(claim.ip()).isPresent(), () -> "the ledger knows nothing of " + claim);
        }
        check(
                new HashSet<>(operator.ledger.waiting()).equals(waits),
                () -> "the ledger says that these wait: " + operator.ledger.waiting() + ", but it is " + waits);
    }

    /** A stranger may have written it: what is published is given to nobody else. */
    private boolean isKeptForAFrozen(Holding holding) {
        return cluster.services.values().stream()
                .anyMatch(service -> isFrozen(service)
                        && service.publishes(holding.ip())
                        && holding.isFor(service.key(), service.uid()));
    }

    /** What a Service publishes that is not its own is held for nobody while it is published. */
    private boolean isWithheld(Holding holding) {
        return holding.owners().isEmpty()
                && holding.state() == Holding.State.HELD
                && cluster.services.values().stream().anyMatch(service -> service.publishes(holding.ip()));
    }

    /** What a provider brings is not published then. */
    private boolean isAnyAnothers(List<String> ips) {
        return ips.stream()
                .map(Ip::parse)
                .anyMatch(ip -> world.poolSet().poolOf(ip).isPresent() || cluster.claims.containsKey(ip));
    }

    /** By a write that the operator of then did not know of, when a pool came to name it. */
    private boolean isPublishedLate(Ip ip, ServiceState... services) {
        return Stream.of(services)
                .anyMatch(service -> world.isPublishedLate(new SimulatedWorld.PublishedIp(service.uid(), ip)));
    }

    private void checkNothingIsLeft() {
        Stream.of(world.provider, world.cloud)
                .forEach(provider -> provider.carried.forEach((uid, ips) -> check(
                        cluster.services.values().stream()
                                        .anyMatch(service -> service.uid().equals(uid)
                                                && service.wantsLoadBalancer()
                                                // Its class is not accepted by then: it stays as it is.
                                                && (!service.ingress().isEmpty()
                                                        || isFrozen(service)
                                                        || isAnyAnothers(ips)))
                                // Which class it was is told by its Address alone.
                                || ips.stream().map(Ip::parse).anyMatch(world.deletedByHand::contains)
                                // Nothing tells after a restart, and another class serves it by then.
                                || (world.unmarked.contains(uid) && world.retyped.contains(uid))
                                // A late call of one leader, which the other could not know of.
                                || (world.hadTwoLeaders && world.clearedOrCarriedLate.contains(uid)),
                        () -> "the provider still carries " + ips + " for " + uid)));
    }
}
