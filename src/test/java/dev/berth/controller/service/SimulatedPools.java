package dev.berth.controller.service;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.api.v1alpha1.OwnResource;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.IpRange;
import dev.berth.kube.Classes;
import dev.berth.kube.Pools;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.ExcludedRange;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Quota;
import dev.berth.pool.Selector;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.testing.cluster.ClusterInMemory;
import dev.berth.testing.cluster.Line;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The AddressPools and LoadBalancerClasses of a cluster, who writes their statuses, and the people who edit them beside
 * {@link SimulatedPeople}. What happens here goes by a random stream of its own.
 */
final class SimulatedPools {
    static final String SECOND = "second";
    static final String UNKNOWN = "unknown";
    static final String ELSEWHERE = "elsewhere";
    private static final String OVERLAPPING = "e";

    /** Unreadable times count as the epoch: these are older than all others. */
    private static final @Nullable String LONG_AGO = null;

    final SimulatedKind<AddressPool, AddressPool.Spec, AddressPool.Status> pools;
    final SimulatedKind<LoadBalancerClass, LoadBalancerClass.Spec, LoadBalancerClass.Status> classes;

    /** What of the cluster is in no pool, whatever it says. */
    List<ExcludedRange> around = List.of();

    /** Statuses that nobody waits for any more, and that are still to be written. */
    final List<Runnable> late = new ArrayList<>();

    private final SimulatedWorld world;
    final Random random;
    private final ClusterInMemory store;
    private final Line line;
    private int writes;

    private long poolsJudgedAt = -1;
    private List<ExcludedRange> judgedAround = List.of();
    private PoolSet poolSet = PoolSet.empty();
    private long classesJudgedAt = -1;
    private ClassSet classSet = ClassSet.empty();

    /** Classes that cannot be served for what is written into them. */
    private final SequencedSet<String> spoiled = new LinkedHashSet<>();

    private boolean wasAnySpoiled;

    SimulatedPools(SimulatedWorld world, ClusterInMemory store) {
        this.world = world;
        this.store = store;
        random = world.aside;
        line = world.line(random, late);
        pools = new SimulatedKind<>(store, AddressPool::new, AddressPool.Status.class);
        classes = new SimulatedKind<>(store, LoadBalancerClass::new, LoadBalancerClass.Status.class);
    }

    int writes() {
        return writes;
    }

    /** Grows with each change of a pool or a class. */
    long revision() {
        return pools.revision() + classes.revision();
    }

    // ---- as they are judged now

    PoolSet poolSet() {
        if (poolsJudgedAt != pools.revision() || !judgedAround.equals(around)) {
            poolsJudgedAt = pools.revision();
            judgedAround = around;
            poolSet = PoolSet.of(Pools.declarations(pools.objects.values().stream()), around);
        }
        return poolSet;
    }

    ClassSet classSet() {
        if (classesJudgedAt != classes.revision()) {
            classesJudgedAt = classes.revision();
            classSet = ClassSet.of(
                    Classes.declarations(classes.objects.values().stream()), SimulatedWorld.CONTROLLER, providers());
        }
        return classSet;
    }

    KnownProviders providers() {
        Map<String, Capabilities> providers = new LinkedHashMap<>();
        providers.put(PoolProvider.NAME, new PoolProvider().capabilities());
        providers.put(SimulatedWorld.SLOW_PROVIDER, world.provider.capabilities());
        providers.put(SimulatedWorld.CLOUD_PROVIDER, world.cloud.capabilities());
        return new KnownProviders(providers, Map.of());
    }

    /** Whether each class that Services name can be served. */
    boolean classesAreWhole() {
        return spoiled.isEmpty();
    }

    /** Whether there was one for a while that could not. */
    boolean wasAnySpoiled() {
        return wasAnySpoiled;
    }

    // ---- who writes statuses

    /** As Berth's own writer does it: a failure is told by a false answer, and what is gone needs no status. */
    <R extends OwnResource<S, T>, S, T> boolean write(SimulatedKind<R, S, T> kind, R object, T status) {
        writes++;
        Write<R> outcome = line.write(
                line.call("write the status of ", object.getMetadata().getName(), ": ", status),
                () -> kind.patchStatus(object, status));
        return outcome instanceof Write.Done || outcome instanceof Write.NotFound;
    }

    void landAll() {
        while (!late.isEmpty()) {
            late.removeFirst().run();
        }
    }

    // ---- people

    /** What {@link SimulatedPeople} want of the pools. */
    void declarePools(Map<String, PoolDeclaration> wanted) {
        TreeSet<String> names = new TreeSet<>(wanted.keySet());
        names.addAll(pools.objects.keySet());
        names.remove(OVERLAPPING);
        names.forEach(name -> declare(name, wanted.get(name)));
    }

    private void declare(String name, @Nullable PoolDeclaration wanted) {
        AddressPool before = pools.objects.get(name);
        if (wanted == null) {
            pools.delete(name);
            return;
        }
        AddressPool.Spec spec = spec(wanted);
        AddressPool now =
                before == null ? pools.create(name, store.newUid(), LONG_AGO, spec) : pools.edit(before, spec);
        if (wanted.releasesStranded() && (before == null || !spec.equals(before.getSpec()))) {
            acknowledge(now);
        }
    }

    /** What {@link SimulatedPeople} want of the classes. */
    void declareClasses(Map<String, ClassDeclaration> wanted) {
        TreeSet<String> names = new TreeSet<>(wanted.keySet());
        names.addAll(classes.objects.keySet());
        names.removeAll(List.of(SECOND, UNKNOWN, ELSEWHERE));
        names.forEach(name -> {
            ClassDeclaration declaration = wanted.get(name);
            LoadBalancerClass before = classes.objects.get(name);
            if (declaration == null) {
                classes.delete(name);
            } else if (before == null) {
                classes.create(name, store.newUid(), LONG_AGO, spec(declaration));
            } else {
                classes.edit(before, spec(declaration));
            }
            spoiled.remove(name);
        });
    }

    private boolean oneIn(int number) {
        return random.nextInt(number) == 0;
    }

    private String now() {
        return world.clock.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private <V> Optional<V> any(Map<String, V> objects) {
        List<V> all = new ArrayList<>(objects.values());
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    /** Something that is done to a pool or a class, or near them. */
    void act() {
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> any(pools.objects).ifPresent(this::editPool);
            case 4 -> any(pools.objects).ifPresent(this::acknowledge);
            case 5 -> any(pools.objects).ifPresent(this::makeAgain);
            case 6, 7 -> comesOrGoes();
            case 8 -> nodeComesOrGoes();
            case 9, 10 -> any(pools.objects).ifPresent(this::writePoolStatus);
            case 11 -> second();
            case 12 -> unknown();
            case 13 -> spoil();
            case 14 -> elsewhere();
            default -> any(classes.objects).ifPresent(this::writeClassStatus);
        }
    }

    private void editPool(AddressPool pool) {
        AddressPool.Spec old = Objects.requireNonNull(pool.getSpec());
        List<String> addresses = old.addresses();
        Boolean suspended = old.suspended();
        String reuseAfter = old.reuseAfter();
        AddressPool.Quota quota = old.quota();
        switch (random.nextInt(6)) {
            case 0 -> suspended = !Boolean.TRUE.equals(suspended);
            case 1 -> reuseAfter = random.nextInt(90) + "s";
            // What a laxer schema lets in.
            case 2 -> reuseAfter = "soon";
            case 3 -> quota = new AddressPool.Quota(random.nextInt(4) - 1, null);
            case 4 ->
                addresses = Stream.concat(addresses.stream(), Stream.of("192.0.2.9-192.0.2.8"))
                        .distinct()
                        .toList();
            default -> addresses = List.of(addresses.getFirst().replaceAll("-.*", ""));
        }
        AddressPool now = pools.edit(
                pool,
                new AddressPool.Spec(
                        addresses,
                        old.excluded(),
                        old.autoAssign(),
                        old.priority(),
                        old.namespaceSelector(),
                        old.serviceSelector(),
                        suspended,
                        old.excludeNetworkAndBroadcast(),
                        old.allocation(),
                        reuseAfter,
                        quota));
        world.trace("pool ", pool.getMetadata().getName(), " is edited: ", now.getSpec());
    }

    /** As its condition says how to. */
    private void acknowledge(AddressPool pool) {
        String text = Pools.nextAcknowledgement(pool);
        world.trace("what is stranded of pool ", pool.getMetadata().getName(), " is to be taken back: ", text);
        pools.annotate(pool, WellKnownNames.RELEASE_STRANDED, text);
    }

    private void makeAgain(AddressPool pool) {
        String name = pool.getMetadata().getName();
        world.trace("pool ", name, " is deleted, and made again");
        pools.delete(name);
        pools.create(
                name,
                store.newUid(),
                pool.getMetadata().getCreationTimestamp(),
                Objects.requireNonNull(pool.getSpec()));
    }

    /** It overlaps another pool, or has addresses that a provider brings. */
    private void comesOrGoes() {
        if (pools.objects.containsKey(OVERLAPPING)) {
            world.trace("pool e goes");
            pools.delete(OVERLAPPING);
        } else {
            world.trace("pool e comes");
            String to = Integer.toString(2 + random.nextInt(3));
            pools.create(
                    OVERLAPPING,
                    store.newUid(),
                    now(),
                    new AddressPool.Spec(
                            oneIn(4)
                                    ? List.of("203.0.112.1-203.0.112." + to, "2001:db8:1::1-2001:db8:1::" + to)
                                    : List.of("192.0.2.2-192.0.2." + to, "2001:db8::2"),
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null));
        }
    }

    private void nodeComesOrGoes() {
        around = around.isEmpty()
                ? List.of(new ExcludedRange(
                        "Node \"n1\"", List.of(IpRange.parse("192.0.2." + random.nextInt(4))), oneIn(2)))
                : List.of();
        world.trace("around is ", around);
        world.operators.forEach(operator -> operator.loops.hearAround(around));
    }

    /** Another class for a value that one has already; if that one goes, it serves it. */
    private void second() {
        if (classes.objects.containsKey(SECOND)) {
            world.trace("class second goes");
            classes.delete(SECOND);
        } else {
            world.trace("class second comes");
            classes.create(SECOND, store.newUid(), now(), spec(SimulatedPeople.SHOWN, PoolProvider.NAME, oneIn(3)));
        }
    }

    /** A class of a provider that is not there. */
    private void unknown() {
        if (classes.objects.containsKey(UNKNOWN)) {
            world.trace("class unknown goes");
            classes.delete(UNKNOWN);
        } else {
            world.trace("class unknown comes");
            classes.create(UNKNOWN, store.newUid(), now(), spec("berth.dev/unknown", "nobody", oneIn(2)));
        }
    }

    /** Whether there is the class that another Berth serves at first. */
    boolean hasElsewhere() {
        return classes.objects.containsKey(ELSEWHERE);
    }

    /** A class that another Berth serves, until it is given to this one, or goes. */
    private void elsewhere() {
        LoadBalancerClass before = classes.objects.get(ELSEWHERE);
        if (before == null) {
            world.trace("class elsewhere comes");
            classes.create(ELSEWHERE, store.newUid(), now(), ofElsewhere(SimulatedWorld.OTHER_CONTROLLER));
        } else if (oneIn(3)) {
            // Not after an Address was deleted by hand: nothing is made for its Services then, and nobody knows whose
            // they were.
            if (world.deletedByHand.isEmpty()) {
                world.trace("class elsewhere goes");
                classes.delete(ELSEWHERE);
            }
        } else {
            String now = Objects.requireNonNull(before.getSpec()).controllerName();
            String next =
                    SimulatedWorld.CONTROLLER.equals(now) ? SimulatedWorld.OTHER_CONTROLLER : SimulatedWorld.CONTROLLER;
            world.trace("class elsewhere is served by ", next);
            classes.edit(before, ofElsewhere(next));
        }
    }

    private static LoadBalancerClass.Spec ofElsewhere(String controller) {
        return spec(SimulatedPeople.ELSEWHERE, controller, PoolProvider.NAME, false);
    }

    private static LoadBalancerClass.Spec spec(String value, String provider, boolean isDefault) {
        return spec(value, SimulatedWorld.CONTROLLER, provider, isDefault);
    }

    private static LoadBalancerClass.Spec spec(String value, String controller, String provider, boolean isDefault) {
        return new LoadBalancerClass.Spec(
                value, controller, provider, null, null, null, null, null, isDefault ? "Auto" : "Never", null, null);
    }

    /** A word that a laxer schema lets in. Not once an Address was deleted: nothing is made for its Services then. */
    private void spoil() {
        List<String> whole = world.classes.keySet().stream()
                .filter(name -> !spoiled.contains(name))
                .toList();
        if (!spoiled.isEmpty()) {
            world.trace("classes are put right");
            world.classesChanged();
        } else if (world.deletedByHand.isEmpty() && !whole.isEmpty()) {
            String name = whole.get(random.nextInt(whole.size()));
            LoadBalancerClass object = Objects.requireNonNull(classes.objects.get(name));
            LoadBalancerClass.Spec old = Objects.requireNonNull(object.getSpec());
            world.trace("class ", name, " says what nobody understands");
            spoiled.add(name);
            wasAnySpoiled = true;
            world.classWasDeleted |= !name.equals("pool");
            classes.edit(
                    object,
                    new LoadBalancerClass.Spec(
                            old.loadBalancerClass(),
                            old.controllerName(),
                            old.provider(),
                            old.parameters(),
                            old.pools(),
                            "Maybe",
                            old.healthCheck(),
                            old.nodePorts(),
                            old.classless(),
                            old.unenforcedSourceRanges(),
                            old.tls()));
        }
    }

    // ---- strangers

    private void writePoolStatus(AddressPool pool) {
        world.trace("a stranger writes the status of pool ", pool.getMetadata().getName());
        pools.putStatus(
                pool,
                oneIn(3)
                        ? null
                        : new AddressPool.Status(
                                oneIn(2) ? null : -1L,
                                oneIn(2) ? null : "none",
                                oneIn(2) ? null : "Odd",
                                Long.MIN_VALUE,
                                oneIn(2) ? null : new AddressPool.Family("many", "", "-1", "", "", -1),
                                null,
                                oneIn(2) ? null : new AddressPool.Stranded(7, List.of()),
                                oneIn(2) ? null : "no annotation",
                                oddConditions("Valid", pool.getMetadata().getGeneration())));
    }

    private void writeClassStatus(LoadBalancerClass object) {
        world.trace(
                "a stranger writes the status of class ", object.getMetadata().getName());
        classes.putStatus(
                object,
                oneIn(3)
                        ? null
                        : new LoadBalancerClass.Status(
                                oneIn(2) ? null : -1L,
                                oddConditions("Accepted", object.getMetadata().getGeneration())));
    }

    private @Nullable List<Condition> oddConditions(String type, Long generation) {
        Condition odd = new ConditionBuilder()
                .withType(type)
                .withStatus(oneIn(2) ? "Perhaps" : "True")
                .withReason(oneIn(2) ? null : "no reason at all")
                .withObservedGeneration(oneIn(2) ? generation : null)
                .withLastTransitionTime(oneIn(2) ? "yesterday" : null)
                .build();
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> Arrays.asList(null, odd, null);
            case 2 -> List.of(odd, odd, new Condition());
            default -> List.of(odd);
        };
    }

    // ---- from declarations to objects

    private static AddressPool.Spec spec(PoolDeclaration pool) {
        PoolPolicy policy = pool.policy();
        return new AddressPool.Spec(
                pool.addresses(),
                pool.excluded(),
                policy.autoAssign(),
                policy.priority(),
                selector(policy.namespaces()),
                selector(policy.services()),
                policy.suspended(),
                null,
                policy.strategy() == PoolPolicy.Strategy.LEAST_RECENTLY_USED ? "LeastRecentlyUsed" : "LowestFree",
                policy.reuseAfter().toSeconds() + "s",
                quota(policy.quota()));
    }

    private static AddressPool.@Nullable LabelSelector selector(Selector selector) {
        return selector.requirements().isEmpty()
                ? null
                : new AddressPool.LabelSelector(
                        selector.requirements().stream()
                                .collect(Collectors.toMap(
                                        Selector.Requirement::key,
                                        requirement -> requirement.values().getFirst())),
                        null);
    }

    private static AddressPool.@Nullable Quota quota(Quota quota) {
        return quota.equals(Quota.NONE)
                ? null
                : new AddressPool.Quota(
                        quota.perNamespace(),
                        quota.namespaces().entrySet().stream()
                                .map(one -> new AddressPool.NamespaceQuota(one.getKey(), one.getValue()))
                                .toList());
    }

    private static LoadBalancerClass.Spec spec(ClassDeclaration declaration) {
        IpMode mode = declaration.ipMode();
        return new LoadBalancerClass.Spec(
                declaration.value(),
                declaration.controllerName(),
                declaration.provider(),
                null,
                declaration.pools(),
                mode == null ? null : mode == IpMode.VIP ? "VIP" : "Proxy",
                null,
                declaration.releasesNodePorts() ? "Release" : "Keep",
                switch (declaration.classless()) {
                    case AUTO -> "Auto";
                    case ALWAYS -> "Always";
                    case NEVER -> "Never";
                },
                null,
                null);
    }
}
