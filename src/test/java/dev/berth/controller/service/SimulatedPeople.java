package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.HealthCheckPolicy;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.Published.PortStatus;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.Quota;
import dev.berth.pool.Selector;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What users, administrators, strangers and other controllers do, as the seed says. */
final class SimulatedPeople {
    static final String SHOWN = "berth.dev/pool";
    static final String SLOW = "berth.dev/slow";
    static final String CLOUD = "berth.dev/cloud";
    static final String OTHERS = "other.dev/lb";

    /** Another Berth serves it, as long as its class is there and says so. */
    static final String ELSEWHERE = "berth.dev/elsewhere";

    static final List<Published> PUBLISHED_BY_OTHERS = List.of(new Published("203.0.113.100", null, null));

    /** In no pool, ever. */
    static final Ip IN_NO_POOL = Ip.parse("8.8.8.8");

    /** What the API server accepts as an ingress, or did once. */
    private static final List<Published> ODD = List.of(
            new Published("192.0.2.0", null, null),
            new Published("192.0.2.1", null, null),
            new Published("192.0.2.2", null, null),
            new Published("192.0.2.3", null, null),
            new Published(IN_NO_POOL.toString(), null, IpMode.VIP),
            new Published("198.51.100.0", null, IpMode.PROXY, List.of(new PortStatus(0, "", "no/such error"))),
            new Published("2001:DB8:0::1", null, null),
            new Published("010.0.0.1", null, null),
            new Published(null, "", null),
            new Published(null, "lb.example.com", null));

    private static final String FOREIGN_FINALIZER = "service.kubernetes.io/load-balancer-cleanup";
    private static final List<String> POOLS = List.of("a", "b", "c", "d");
    private static final List<ServiceKey> KEYS = List.of(
            new ServiceKey("prod", "a"),
            new ServiceKey("prod", "b"),
            new ServiceKey("prod", "c"),
            new ServiceKey("dev", "d"),
            new ServiceKey("dev", "e"),
            new ServiceKey("dev", "f"),
            new ServiceKey("dev", "g"));

    private final SimulatedWorld world;
    private final SimulatedCluster cluster;
    private final Random random;

    /** Whether somebody writes the status of Services that is not theirs. */
    private final boolean strangers;

    /**
     * Whether Addresses are deleted by hand. A status is a request for the same address then, and a
     * stranger's would be one as well; and where a second operator has not heard of an Address yet, nothing
     * but the Address tells it whose it is.
     */
    private final boolean deletions;

    /** Whether Services say more of their addresses than that they want one. */
    private final boolean constraints;

    private final boolean alone;

    SimulatedPeople(SimulatedWorld world, boolean alone) {
        this.world = world;
        this.alone = alone;
        cluster = world.cluster;
        random = world.random;
        strangers = random.nextInt(3) == 0;
        deletions = !strangers && alone && random.nextBoolean();
        constraints = random.nextBoolean();
        world.namespaces.put("prod", Map.of("name", "prod"));
        world.namespaces.put("dev", Map.of("name", "dev"));
        world.classes.put("pool", randomClass("pool", true));
        world.classes.put("slow", randomClass("slow", false));
        world.classes.put("cloud", randomClass("cloud", false));
        POOLS.forEach(this::makePool);
        world.poolsChanged();
        world.classesChanged();
    }

    private boolean oneIn(int number) {
        return random.nextInt(number) == 0;
    }

    /** Not where Addresses are deleted by hand: one that has not heard of an Address knows of it by nothing else. */
    boolean mayLoseTheLease() {
        return alone && !deletions;
    }

    boolean areStrangersAbout() {
        return strangers;
    }

    void act() {
        int dice = random.nextInt(20);
        if (dice < 15) {
            touchService(KEYS.get(random.nextInt(KEYS.size())));
        } else if (dice < 16) {
            deleteOrEditAddress();
        } else if (dice < 17) {
            if (oneIn(3)) {
                actAsAnotherBerth();
            } else {
                reserve(KEYS.get(random.nextInt(KEYS.size())));
            }
        } else if (dice < 19) {
            if (oneIn(3)) {
                changePool();
            }
        } else if (oneIn(5)) {
            deny(KEYS.get(random.nextInt(KEYS.size())));
        } else if (oneIn(4)) {
            changeClass();
        } else if (oneIn(3)) {
            relabelNamespace();
        }
    }

    // ---- users

    private void touchService(ServiceKey key) {
        ServiceState now = cluster.services.get(key);
        if (now == null) {
            create(key);
            return;
        }
        int dice = random.nextInt(15);
        if (dice < 5) {
            world.trace("user deletes ", key);
            cluster.deleteService(key);
            if (oneIn(3) && cluster.services.get(key) == null) {
                create(key);
            }
        } else if (dice < 9) {
            changeType(now);
        } else if (dice < 11) {
            world.trace("user changes the families of ", key);
            cluster.put(key, randomFamilies(SampleService.from(now)));
        } else if (dice < 12) {
            world.trace("user changes the labels of ", key);
            cluster.put(key, SampleService.from(now).labels(randomLabels()));
        } else if (dice < 13) {
            world.trace("user changes the requests of ", key);
            if (now.servedByClass().isPresent()) {
                world.unmarked.add(now.uid());
            }
            cluster.put(key, randomRequests(SampleService.from(now)));
        } else if (dice < 14) {
            writeStatus(now);
        } else if (strangers) {
            mark(now);
        }
    }

    private void create(ServiceKey key) {
        String uid = cluster.newUid();
        world.trace("user creates ", key, " ", uid);
        SampleService sample = randomRequests(randomFamilies(SampleService.named(key, uid)))
                .created(world.clock)
                .loadBalancerClass(randomClass())
                .typeLoadBalancer(true)
                .labels(randomLabels());
        if (oneIn(6)) {
            sample.typeLoadBalancer(false).loadBalancerClass(null);
        }
        if (oneIn(4)) {
            sample.conditions(List.of(
                    new Condition("example.org/Other", Condition.Status.TRUE, "Fine", "not Berth's", world.clock)));
            sample.finalizers(List.of("example.org/keep"));
            world.othersMarks.put(uid, List.of("example.org/keep"));
        }
        if (oneIn(8)) {
            // Out of the manifest of another Service.
            sample.finalizer(WellKnownNames.FINALIZER);
        }
        cluster.put(key, sample);
    }

    private void changeType(ServiceState now) {
        ServiceKey key = now.key();
        boolean toLoadBalancer = !now.typeLoadBalancer();
        world.trace("user makes ", key, toLoadBalancer ? " a LoadBalancer" : " a ClusterIP");
        SampleService changed = toLoadBalancer
                ? becomesLoadBalancer(now)
                : SampleService.from(now).typeLoadBalancer(false).loadBalancerClass(null);
        world.publishedByOthers.remove(now.uid());
        if (now.hasOurFinalizer()) {
            world.retyped.add(now.uid());
        }
        ServiceState stored = cluster.put(key, toLoadBalancer ? changed : changed.ingress(List.of()));
        if (!toLoadBalancer) {
            cluster.publishedByUs.remove(key);
            if (random.nextBoolean()) {
                world.trace("and back, with another class");
                cluster.put(key, becomesLoadBalancer(stored));
            }
        }
    }

    /** With a node port: the API server has forgotten that it was to have none. */
    private SampleService becomesLoadBalancer(ServiceState now) {
        return SampleService.from(now)
                .typeLoadBalancer(true)
                .loadBalancerClass(randomClass())
                .ports(List.of(new Port("", Protocol.TCP, 80, 30080)));
    }

    private @Nullable String randomClass() {
        return switch (random.nextInt(9)) {
            case 0, 1, 2 -> null;
            case 3, 4 -> SHOWN;
            case 5, 6 -> SLOW;
            // Two operators remember two answers of its provider; only a resync shows which one is old.
            case 7 -> alone ? CLOUD : SLOW;
            default -> oneIn(2) ? OTHERS : ELSEWHERE;
        };
    }

    private Map<String, String> randomLabels() {
        return random.nextBoolean() ? Map.of("team", "b") : Map.of();
    }

    private SampleService randomFamilies(SampleService sample) {
        return switch (random.nextInt(8)) {
            case 0 -> sample.families(FamilyPolicy.REQUIRE_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6);
            case 1 -> sample.families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV6, IpFamily.IPV4);
            case 2 -> sample.families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV6);
            default -> sample.families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4);
        };
    }

    /** Half of the seeds have Services that share, name an address or a pool, or want to come back to theirs. */
    private SampleService randomRequests(SampleService sample) {
        Map<String, String> annotations = new LinkedHashMap<>();
        if (constraints) {
            if (oneIn(2)) {
                annotations.put(WellKnownNames.SHARING_KEY, "k" + random.nextInt(2));
            }
            if (oneIn(5)) {
                annotations.put(WellKnownNames.ADDRESSES, "192.0.2." + random.nextInt(4));
            }
            if (oneIn(6)) {
                annotations.put(WellKnownNames.ADDRESS_POOL, POOLS.get(random.nextInt(POOLS.size())));
                if (oneIn(2)) {
                    annotations.put(WellKnownNames.REPLACE_ADDRESS, "192.0.2.0,192.0.2.1,192.0.2.2,192.0.2.3");
                }
            }
            if (oneIn(8)) {
                annotations.put(WellKnownNames.RETAIN, "true");
            }
        }
        int port = 80 + random.nextInt(constraints ? 3 : 1);
        return sample.annotations(annotations).ports(List.of(new Port("", Protocol.TCP, port, 30000 + port)));
    }

    // ---- strangers, and other controllers

    private void writeStatus(ServiceState now) {
        ServiceKey key = now.key();
        if (now.typeLoadBalancer() && OTHERS.equals(now.loadBalancerClass())) {
            world.trace("the controller of its class publishes ", key);
            cluster.writeIngressAsStranger(key, PUBLISHED_BY_OTHERS);
            world.publishedByOthers.add(now.uid());
        } else if (strangers && now.typeLoadBalancer()) {
            world.trace("a stranger writes the status of ", key);
            List<Published> ingress =
                    random.nextBoolean() ? List.of() : List.of(ODD.get(random.nextInt(oneIn(3) ? ODD.size() : 4)));
            if (oneIn(3) && !now.deleting()) {
                world.trace("and forges our marks");
                // But for that of its class: the operator that serves it then is the only one who knows.
                world.unmarked.add(now.uid());
                cluster.put(key, withOurMarks(now));
            } else if (now.servedByClass().isEmpty()) {
                // It may have our other marks: it waits for an address, and looks as if it had this one.
                world.unmarked.add(now.uid());
            }
            cluster.writeIngressAsStranger(key, ingress);
        }
    }

    private SampleService withOurMarks(ServiceState now) {
        List<Condition> conditions = new ArrayList<>(now.conditions());
        conditions.removeIf(condition -> condition.type().equals(WellKnownNames.ADDRESS_ASSIGNED));
        conditions.add(
                new Condition(WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.TRUE, "Assigned", "", Instant.EPOCH));
        SampleService marked = SampleService.from(now).conditions(conditions);
        return now.hasOurFinalizer() ? marked : marked.finalizer(WellKnownNames.FINALIZER);
    }

    private void mark(ServiceState now) {
        List<String> finalizers = new ArrayList<>(now.finalizers());
        if (!finalizers.remove(FOREIGN_FINALIZER) && !now.deleting()) {
            finalizers.add(FOREIGN_FINALIZER);
        }
        world.trace("a stranger's finalizers on ", now.key(), ": ", finalizers);
        cluster.put(now.key(), SampleService.from(now).finalizers(finalizers));
    }

    // ---- administrators: Addresses

    private void deleteOrEditAddress() {
        List<Claim> all = new ArrayList<>(cluster.claims.values());
        // With a dead operator's writes on their way as well, two Services could truly be told the same.
        // Nor while a class is gone: nothing is made for its Services then.
        if (deletions
                && !all.isEmpty()
                && world.stillUnderWay.isEmpty()
                && world.classes.size() == 3
                && world.kinds.classesAreWhole()) {
            Claim claim = all.get(random.nextInt(all.size()));
            if (ELSEWHERE.equals(claim.loadBalancerClass()) && !world.kinds.hasElsewhere()) {
                return;
            }
            Ip ip = claim.ip();
            world.deletedByHand.add(ip);
            if (claim.owners().size() > 1) {
                world.sharedAndDeletedByHand.add(ip);
            }
            if (oneIn(2) && claim.spec().otherKind() == null) {
                edit(claim);
            } else {
                world.trace("administrator deletes Address ", ip);
                cluster.removeClaim(ip);
            }
        }
    }

    /** Takes it from one of those who have it, or from all, gives it to another name, or has it retained, or not. */
    private void edit(Claim claim) {
        ClaimSpec spec = claim.spec();
        List<Owner> owners = new ArrayList<>(claim.owners());
        boolean retain = spec.retain();
        switch (random.nextInt(4)) {
            case 0 -> retain = !retain;
            case 1 -> owners.clear();
            case 2 -> {
                if (!owners.isEmpty()) {
                    owners.remove(random.nextInt(owners.size()));
                }
            }
            default -> {
                owners.clear();
                owners.add(new Owner(KEYS.get(random.nextInt(KEYS.size())), null));
            }
        }
        world.trace("administrator edits Address ", claim.ip(), ": ", owners, retain ? " retained" : "");
        if (!owners.containsAll(claim.owners())) {
            world.editedByHand.add(claim.ip());
        }
        cluster.putClaim(new Claim(
                claim.ip(),
                claim.uid(),
                "",
                new ClaimSpec(
                        spec.pool(),
                        spec.loadBalancerClass(),
                        owners,
                        owners.size() > 1 ? spec.sharing() : null,
                        spec.releasedAt(),
                        retain,
                        spec.retaining(),
                        spec.departures(),
                        null)));
    }

    /** Another Berth claims an address for a Service of its class, or releases one of a Service that is gone. */
    private void actAsAnotherBerth() {
        if (!world.classSet().isServedElsewhere(ELSEWHERE)) {
            return;
        }
        Optional<Claim> left = cluster.claims.values().stream()
                .filter(claim -> ELSEWHERE.equals(claim.loadBalancerClass()))
                .filter(claim -> claim.owners().stream().noneMatch(this::isOfElsewhere))
                // It takes an address back first from the Service that publishes it.
                .filter(claim -> !world.isPublished(claim.ip()))
                .findFirst();
        if (left.isPresent()) {
            world.trace("another Berth releases ", left.get().ip());
            cluster.removeClaim(left.get().ip());
            return;
        }
        Ip ip = Ip.parse("192.0.2." + random.nextInt(4));
        List<Owner> lacking = cluster.services.values().stream()
                .map(service -> new Owner(service.key(), service.uid()))
                .filter(this::isOfElsewhere)
                .filter(owner -> cluster.claims.values().stream()
                        .noneMatch(claim -> claim.owners().contains(owner)))
                .toList();
        if (!lacking.isEmpty()
                && !cluster.claims.containsKey(ip)
                && !world.isPublished(ip)
                && !world.deletedByHand.contains(ip)) {
            Owner owner = lacking.get(random.nextInt(lacking.size()));
            world.trace("another Berth claims ", ip, " for ", owner.service());
            cluster.putClaim(
                    new Claim(ip, cluster.newUid(), "", ClaimSpec.of(oneIn(2) ? "a" : null, ELSEWHERE, owner)));
        }
    }

    private boolean isOfElsewhere(Owner owner) {
        ServiceState service = cluster.services.get(owner.service());
        return service != null
                && service.uid().equals(owner.uid())
                && service.typeLoadBalancer()
                && !service.deleting()
                && ELSEWHERE.equals(service.loadBalancerClass());
    }

    private void reserve(ServiceKey key) {
        Ip ip = Ip.parse(oneIn(4) ? "2001:db8::" + random.nextInt(3) : "192.0.2." + random.nextInt(4));
        if (cluster.claims.size() < 6
                && !cluster.claims.containsKey(ip)
                && !world.isPublished(ip)
                && !world.deletedByHand.contains(ip)) {
            if (oneIn(4)) {
                world.trace("a Gateway claims ", ip);
                cluster.putClaim(new Claim(ip, cluster.newUid(), "", ClaimSpec.ofOtherKind(null, null, "Gateway")));
            } else {
                world.trace("administrator reserves ", ip, " for ", key);
                cluster.putClaim(new Claim(ip, cluster.newUid(), "", ClaimSpec.of(null, null, new Owner(key, null))));
            }
        } else if (Optional.ofNullable(cluster.claims.get(ip))
                .filter(claim -> claim.spec().otherKind() != null)
                .isPresent()) {
            world.trace("the Gateway gives back ", ip);
            cluster.removeClaim(ip);
        }
    }

    /** A webhook denies all Addresses of a Service, or does not any more. */
    private void deny(ServiceKey key) {
        if (!cluster.refused.remove(key)) {
            cluster.refused.add(key);
        }
        world.trace("denied are all Addresses of ", cluster.refused);
    }

    // ---- administrators: pools

    private void changePool() {
        String name = POOLS.get(random.nextInt(POOLS.size()));
        PoolDeclaration before = world.pools.remove(name);
        if (before == null || !oneIn(4)) {
            makePool(name);
        }
        world.trace("pool ", name, " is now ", List.copyOf(world.pools.values()));
        world.poolsChanged();
    }

    /** Few addresses, so that Services have to wait. */
    private void makePool(String name) {
        switch (name) {
            case "a" -> makePool(name, "192.0.2.0-192.0.2." + random.nextInt(4), 10, Selector.EVERYTHING);
            case "b" -> makePool(name, "198.51.100.0-198.51.100." + random.nextInt(2), 5, having("team", "b"));
            case "c" -> {
                if (!oneIn(4)) {
                    makePool(name, "2001:db8::-2001:db8::" + random.nextInt(3), 10, Selector.EVERYTHING);
                }
            }
            default -> {
                if (oneIn(3)) {
                    makePool(name, "203.0.113.7", 20, Selector.EVERYTHING);
                }
            }
        }
    }

    private static Selector having(String label, String value) {
        return new Selector(List.of(new Selector.Requirement(label, Selector.Operator.IN, List.of(value))));
    }

    private void makePool(String name, String range, int priority, Selector services) {
        Quota quota = switch (random.nextInt(8)) {
            case 0 -> new Quota(1, Map.of());
            case 1 -> new Quota(null, Map.of("dev", random.nextInt(3)));
            default -> Quota.NONE;
        };
        PoolPolicy policy = PoolPolicy.OPEN
                .withPriority(priority)
                .withSelectors(oneIn(8) ? having("name", "prod") : Selector.EVERYTHING, services)
                .withAutoAssign(!oneIn(10))
                .withSuspended(oneIn(10))
                .withStrategy(oneIn(4) ? PoolPolicy.Strategy.LEAST_RECENTLY_USED : PoolPolicy.Strategy.LOWEST_FREE)
                .withReuseAfter(Duration.ofSeconds(oneIn(4) ? random.nextInt(90) : 0))
                .withQuota(quota);
        List<String> excluded = oneIn(8) ? List.of(range.substring(0, (range + "-").indexOf('-'))) : List.of();
        world.pools.put(
                name, new PoolDeclaration(name, Instant.EPOCH, List.of(range), excluded, false, policy, oneIn(5)));
    }

    // ---- administrators: classes and namespaces

    private void changeClass() {
        if (oneIn(3)) {
            boolean slowIsDefault = random.nextBoolean();
            world.classes.replaceAll(
                    (name, declaration) -> withDefault(declaration, name.equals(slowIsDefault ? "slow" : "pool")));
        } else {
            String name = List.of("pool", "pool", "slow", "slow", "cloud").get(random.nextInt(5));
            ClassDeclaration removed = world.classes.remove(name);
            if (removed == null || !oneIn(3) || !world.deletedByHand.isEmpty()) {
                world.classes.put(name, randomClass(name, removed != null ? removed.isDefault() : name.equals("pool")));
            }
        }
        world.trace("classes are now ", world.classes.values());
        Stream.of("pool", "slow", "cloud")
                .filter(name -> !world.classes.containsKey(name))
                .forEach(name -> world.deletedClasses.add("berth.dev/" + name));
        world.classWasDeleted |= !world.classes.containsKey("slow") || !world.classes.containsKey("cloud");
        world.classesChanged();
    }

    private static ClassDeclaration withDefault(ClassDeclaration declaration, boolean isDefault) {
        return new ClassDeclaration(
                declaration.name(),
                declaration.created(),
                declaration.value(),
                declaration.controllerName(),
                declaration.provider(),
                declaration.parameters(),
                declaration.pools(),
                declaration.ipMode(),
                declaration.healthCheck(),
                declaration.releasesNodePorts(),
                isDefault ? declaration.isDefault() ? declaration.classless() : Classless.ALWAYS : Classless.NEVER);
    }

    private ClassDeclaration randomClass(String name, boolean isDefault) {
        boolean shown = name.equals("pool");
        return new ClassDeclaration(
                name,
                Instant.EPOCH,
                "berth.dev/" + name,
                SimulatedWorld.CONTROLLER,
                shown ? PoolProvider.NAME : name,
                Map.of(),
                oneIn(6) ? List.of("a", "c") : List.of(),
                switch (random.nextInt(3)) {
                    case 0 -> IpMode.PROXY;
                    case 1 -> IpMode.VIP;
                    default -> null;
                },
                HealthCheckPolicy.AUTO,
                shown && oneIn(4),
                switch (random.nextInt(8)) {
                    case 0 -> Classless.NEVER;
                    case 1, 2, 3 -> isDefault ? Classless.AUTO : Classless.NEVER;
                    default -> isDefault ? Classless.ALWAYS : Classless.NEVER;
                });
    }

    private void relabelNamespace() {
        String namespace = random.nextBoolean() ? "prod" : "dev";
        Map<String, String> labels = Map.of("name", random.nextBoolean() ? "prod" : "dev");
        world.trace("namespace ", namespace, " has labels ", labels);
        world.namespaces.put(namespace, labels);
        world.operators.forEach(operator -> operator.namespaceChanges(namespace, labels));
    }
}
