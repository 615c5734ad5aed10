package dev.berth.controller.service;

import dev.berth.address.Claim;
import dev.berth.address.ClaimSpec;
import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.Ledger;
import dev.berth.address.Owner;
import dev.berth.address.PoolBook;
import dev.berth.address.PoolDeclaration;
import dev.berth.address.PoolPolicy;
import dev.berth.address.Selector;
import dev.berth.address.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.address.AddressControl;
import dev.berth.plan.ClassBook;
import dev.berth.plan.ClassDeclaration;
import dev.berth.plan.ClassDeclaration.Classless;
import dev.berth.plan.Condition;
import dev.berth.plan.Marks;
import dev.berth.plan.Published;
import dev.berth.plan.SampleService;
import dev.berth.plan.ServiceState;
import dev.berth.plan.ServiceState.FamilyPolicy;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.providers.pool.PoolProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One seed's life of a cluster: users, strangers, administrators, crashes, and the operator in between.
 *
 * <p>Several Services are reconciled at once, each by a thread of its own, but only one thread runs at a
 * time: it stops at every call to the cluster, and the seed says who goes on. So every run repeats.
 */
final class Simulation {
    private static final String SHOWN = "berth.dev/pool";
    private static final String SLOW = "berth.dev/slow";
    private static final String OTHERS = "other.dev/lb";
    private static final String FOREIGN_FINALIZER = "service.kubernetes.io/load-balancer-cleanup";
    private static final List<Published> PUBLISHED_BY_OTHERS = List.of(new Published("203.0.113.100", null, null));
    private static final int AT_ONCE = 3;
    private static final List<ServiceKey> KEYS = List.of(
            new ServiceKey("prod", "a"),
            new ServiceKey("prod", "b"),
            new ServiceKey("prod", "c"),
            new ServiceKey("dev", "d"),
            new ServiceKey("dev", "e"),
            new ServiceKey("dev", "f"),
            new ServiceKey("dev", "g"));

    /** What is to be reconciled. */
    private sealed interface Work {
        record OfService(ServiceKey key) implements Work {}

        record OfAddress(Ip ip) implements Work {}

        record Later(Runnable what) implements Work {}
    }

    /** The process was killed here. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** One reconciliation under way. */
    private final class Task {
        final Work work;
        final Operator operator;
        final Semaphore go = new Semaphore(0);

        @Nullable Thread thread;

        boolean done;
        boolean killed;

        @Nullable Throwable failure;

        @Nullable Runnable unsent;

        Task(Work work, Operator operator) {
            this.work = work;
            this.operator = operator;
        }

        /** Lets it run to its next call to the cluster, or to its end. */
        void step() {
            running = this;
            if (thread == null) {
                thread = Thread.ofVirtual().start(this::run);
            } else {
                go.release();
            }
            stopped.acquireUninterruptibly();
            running = null;
        }

        private void run() {
            try {
                operator.perform(work);
            } catch (Crash end) {
                // As meant.
            } catch (Throwable thrown) {
                failure = thrown;
            } finally {
                done = true;
                stopped.release();
            }
        }

        /** Called by its own thread. */
        void pause() {
            stopped.release();
            go.acquireUninterruptibly();
            if (killed) {
                throw new Crash();
            }
        }
    }

    /** One life of the operator. */
    private final class Operator {
        final SimulatedCluster.Client client;
        final Ledger ledger = new Ledger();
        final SequencedSet<Work> queue = new LinkedHashSet<>();
        final Map<Work, Instant> timers = new LinkedHashMap<>();
        final Map<Ip, Claim> vanished = new LinkedHashMap<>();
        final List<Task> tasks = new ArrayList<>();
        final AddressControl addresses;
        final ServiceControl services;

        Operator(SimulatedCluster.Client client) {
            this.client = client;
            StartGate gate = new StartGate();
            Backoff backoff = new Backoff(new Random(seed));
            addresses = new AddressControl(
                    client,
                    ledger,
                    gate,
                    backoff,
                    () -> classes,
                    () -> clock,
                    this::wake,
                    ip -> {
                        if (client.claim(ip).isPresent()) {
                            queue.add(new Work.OfAddress(ip));
                        }
                    },
                    (delay, what) -> timers.put(new Work.Later(what), clock.plus(delay)));
            SequencedMap<String, LoadBalancerProvider> providers = new LinkedHashMap<>();
            providers.put(PoolProvider.NAME, new PoolProvider());
            providers.put("slow", slow);
            services = new ServiceControl(
                    new ServiceControl.Parts(
                            client,
                            ledger,
                            addresses,
                            new Providers(providers),
                            new Silence(),
                            new IpModeSupport(true),
                            new Silence(),
                            backoff,
                            () -> clock,
                            "simulated",
                            () -> 1,
                            List.of()),
                    gate,
                    () -> classes,
                    Optional::empty,
                    this::wake,
                    this::standBackChanged,
                    none -> {});
            ledger.rebuild(client.claims());
            wake(ledger.usePools(pools));
            services.adopt();
            gate.open();
            for (ServiceState service : client.services()) {
                if (Due.isRelevant(service)) {
                    queue.add(new Work.OfService(service.key()));
                }
            }
            client.claims().forEach(claim -> queue.add(new Work.OfAddress(claim.ip())));
        }

        /** As the operator SDK does: what is not in the cache is not reconciled. */
        void wake(Collection<ServiceKey> keys) {
            keys.stream()
                    .filter(key -> client.service(key).isPresent())
                    .forEach(key -> queue.add(new Work.OfService(key)));
        }

        private void standBackChanged() {
            wake(Due.keys(new Due.Event.StandBackChanged(), client.services(), ledger.waiting()));
        }

        void queueEverything() {
            client.services().forEach(service -> queue.add(new Work.OfService(service.key())));
            client.claims().forEach(claim -> queue.add(new Work.OfAddress(claim.ip())));
        }

        boolean isIdle() {
            return tasks.isEmpty() && queue.isEmpty() && !client.hasServiceNews() && !client.hasClaimNews();
        }

        Optional<Instant> nextTimer() {
            return timers.values().stream().min(Instant::compareTo);
        }

        void perform(Work work) {
            Next next = switch (work) {
                case Work.OfService(ServiceKey key) -> services.reconcile(key);
                case Work.OfAddress(Ip ip) -> {
                    Claim last = vanished.remove(ip);
                    if (client.claim(ip).isEmpty() && last != null) {
                        yield addresses.vanished(last);
                    }
                    yield addresses.reconcile(ip);
                }
                case Work.Later(Runnable what) -> {
                    what.run();
                    yield Next.ON_EVENT;
                }
            };
            next.delay().ifPresent(delay -> timers.put(work, clock.plus(delay)));
        }

        boolean isUnderWay(Work work) {
            return tasks.stream().anyMatch(task -> task.work.equals(work));
        }

        List<Work> ready() {
            return queue.stream().filter(work -> !isUnderWay(work)).toList();
        }

        void begin(Work work) {
            queue.remove(work);
            timers.remove(work);
            tasks.add(new Task(work, this));
        }

        void step(Task task) {
            task.step();
            if (task.done) {
                tasks.remove(task);
                if (task.failure != null) {
                    throw new AssertionError("reconciling " + task.work + " threw", task.failure);
                }
            }
        }

        void kill() {
            for (Task task : List.copyOf(tasks)) {
                Runnable unsent = task.unsent;
                if (unsent != null && random.nextInt(3) == 0) {
                    stillUnderWay.add(unsent);
                }
                task.killed = true;
                if (task.thread != null) {
                    task.step();
                }
            }
            tasks.clear();
        }

        void serviceChanged(SimulatedCluster.Change.OfService change) {
            ServiceState now = change.now();
            if (now != null
                    && change.before() != null
                    && services.isEchoOfOurWrite(now.key(), now.uid(), now.resourceVersion())) {
                return;
            }
            if (now == null || Due.isRelevant(now) || Due.isRelevant(change.before())) {
                queue.add(new Work.OfService(change.key()));
            }
        }

        void claimChanged(SimulatedCluster.Change.OfClaim change) {
            if (change.now() == null && change.before() != null) {
                vanished.put(change.ip(), change.before());
            }
            queue.add(new Work.OfAddress(change.ip()));
        }

        void advance() {
            Instant first = nextTimer().orElseThrow();
            if (first.isAfter(clock)) {
                clock = first;
            }
            List<Work> due = timers.entrySet().stream()
                    .filter(timer -> !timer.getValue().isAfter(clock))
                    .map(Map.Entry::getKey)
                    .toList();
            due.forEach(work -> {
                timers.remove(work);
                // As in the SDK: a timer of what is gone is of no effect.
                boolean there = switch (work) {
                    case Work.OfService(ServiceKey key) -> client.service(key).isPresent();
                    case Work.OfAddress(Ip ip) -> client.claim(ip).isPresent();
                    case Work.Later later -> true;
                };
                if (there) {
                    queue.add(work);
                }
            });
        }
    }

    /** Touches the world, takes its time, and fails now and then. */
    private final class SlowProvider implements LoadBalancerProvider {
        final Map<String, List<String>> world = new TreeMap<>();

        @Override
        public Capabilities capabilities() {
            return new Capabilities(Capabilities.AddressSource.POOLS, List.of(IpMode.PROXY), false);
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            return service.uid();
        }

        @Override
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            return Optional.empty();
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            int luck = faults ? random.nextInt(6) : 5;
            trace("provider ensures " + request.service() + " " + request.addresses() + ": " + luck);
            if (luck == 0) {
                throw new ProviderException("no luck");
            }
            if (luck == 1) {
                return new EnsureOutcome.Pending(Duration.ofSeconds(3), "on its way");
            }
            world.put(request.service().uid(), request.addresses());
            return new EnsureOutcome.Ready(new LoadBalancerStatus(request.addresses().stream()
                    .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                    .toList()));
        }

        @Override
        public void updateLoadBalancer(LoadBalancerRequest request) {}

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            if (faults && random.nextInt(6) == 0) {
                throw new ProviderException("no luck");
            }
            trace("provider deletes " + request.service());
            world.remove(request.service().uid());
        }
    }

    private final class Line implements SimulatedCluster.Line {
        @Override
        public SimulatedCluster.Fault sending(String call, Runnable effect) {
            SimulatedCluster.Fault fault = SimulatedCluster.Fault.NONE;
            if (faults && random.nextInt(8) == 0) {
                SimulatedCluster.Fault[] all = SimulatedCluster.Fault.values();
                fault = all[random.nextInt(all.length)];
            }
            Task task = running;
            if (task != null) {
                task.unsent = effect;
                task.pause();
                task.unsent = null;
            }
            return fault;
        }

        @Override
        public void answered(String call) {
            trace(call);
            Task task = running;
            if (task != null) {
                task.pause();
            }
        }

        @Override
        public boolean readFails(String call) {
            Task task = running;
            if (task != null) {
                task.pause();
            }
            return faults && random.nextInt(15) == 0;
        }
    }

    private final long seed;
    private final Random random;
    private final Semaphore stopped = new Semaphore(0);
    private @Nullable Task running;
    private final List<Runnable> stillUnderWay = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private final Set<Ip> deletedByHand = new HashSet<>();
    private final Map<String, List<String>> othersMarks = new TreeMap<>();
    private final Set<String> publishedByOthers = new HashSet<>();
    private final SimulatedCluster cluster;
    private final SlowProvider slow = new SlowProvider();
    private final ClassBook classes;
    private final boolean strangers;
    private PoolBook pools;
    private Instant clock = Instant.parse("2026-03-01T12:00:00Z");
    private boolean faults = true;
    private final List<Operator> operators = new ArrayList<>();

    /**
     * A life.
     *
     * @param operatorsAtOnce more than one: they know nothing of each other, as without leader election
     */
    Simulation(long seed, int operatorsAtOnce) {
        this.seed = seed;
        random = new Random(seed);
        boolean dropsIpMode = random.nextInt(5) == 0;
        strangers = random.nextInt(3) == 0;
        cluster = new SimulatedCluster(dropsIpMode, new Line());
        classes = ClassBook.of(
                List.of(declaration("pool", SHOWN, PoolProvider.NAME, true), declaration("slow", SLOW, "slow", false)),
                "berth.dev/controller",
                Map.of("pool", new PoolProvider().capabilities(), "slow", slow.capabilities()));
        pools = pools();
        for (int i = 0; i < operatorsAtOnce; i++) {
            operators.add(new Operator(cluster.client()));
        }
    }

    private Operator anyOperator() {
        return operators.get(random.nextInt(operators.size()));
    }

    private ClassDeclaration declaration(String name, String value, String provider, boolean isDefault) {
        return new ClassDeclaration(
                name,
                Instant.EPOCH,
                value,
                "berth.dev/controller",
                provider,
                Map.of(),
                List.of(),
                random.nextBoolean() ? IpMode.PROXY : null,
                isDefault,
                random.nextBoolean() ? Classless.ALWAYS : Classless.AUTO);
    }

    /** Few addresses, so that Services have to wait; now and then another edit of them. */
    private PoolBook pools() {
        List<PoolDeclaration> declarations = new ArrayList<>();
        declarations.add(pool("a", "192.0.2.0-192.0.2." + random.nextInt(4), 10, Selector.EVERYTHING));
        declarations.add(pool(
                "b",
                "198.51.100.0-198.51.100." + random.nextInt(2),
                5,
                new Selector(List.of(new Selector.Requirement("team", Selector.Operator.IN, List.of("b"))))));
        if (random.nextInt(4) != 0) {
            declarations.add(pool("c", "2001:db8::-2001:db8::" + random.nextInt(3), 10, Selector.EVERYTHING));
        }
        if (random.nextInt(3) == 0) {
            declarations.add(pool("d", "203.0.113.7", 20, Selector.EVERYTHING));
        }
        return PoolBook.of(declarations, List.of());
    }

    private static PoolDeclaration pool(String name, String range, int priority, Selector services) {
        return new PoolDeclaration(
                name,
                Instant.EPOCH,
                List.of(range),
                List.of(),
                false,
                PoolPolicy.OPEN.withPriority(priority).withSelectors(Selector.EVERYTHING, services),
                false);
    }

    private void trace(String what) {
        trace.add(what);
    }

    /** The end of what happened, for the message of a failure. */
    String story() {
        return String.join("\n", trace.subList(Math.max(0, trace.size() - 120), trace.size()));
    }

    /** Lets everything happen at once, then waits until nothing does; throws AssertionError if a rule is broken. */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            chaos();
            checkAlways();
        }
        settle();
        checkSettled();
        // What a waiting Service was told of the pools may have aged: it is told anew when it is looked at.
        reconcileEverything();
        settle();
        int before = cluster.writes();
        reconcileEverything();
        settle();
        check(
                cluster.writes() == before,
                "a further reconcile of everything wrote " + (cluster.writes() - before) + " times");
        checkSettled();
        for (Operator operator : List.copyOf(operators)) {
            operator.kill();
            replace(operator);
        }
        trace("restarted after everything settled");
        settle();
        check(
                cluster.writes() == before,
                "a restart of a settled cluster wrote " + (cluster.writes() - before) + " times");
        checkSettled();
    }

    private void chaos() {
        int dice = random.nextInt(100);
        if (dice < 25) {
            startOne();
        } else if (dice < 60) {
            stepOne();
        } else if (dice < 72) {
            hearOfService();
        } else if (dice < 82) {
            hearOfClaim();
        } else if (dice < 94) {
            userActs();
        } else if (dice < 97) {
            clock = clock.plusSeconds(random.nextInt(20));
            Operator operator = anyOperator();
            if (!operator.timers.isEmpty()) {
                operator.advance();
            }
        } else if (dice < 98) {
            if (random.nextInt(5) == 0) {
                switchIpModeGate();
            }
        } else if (dice < 99) {
            if (!stillUnderWay.isEmpty()) {
                landLate();
            }
        } else {
            restart();
        }
    }

    private void switchIpModeGate() {
        cluster.dropIpMode(!cluster.dropsIpMode());
        trace("the API server " + (cluster.dropsIpMode() ? "drops" : "keeps") + " ipMode from now on");
    }

    private void landLate() {
        trace("a write of the dead operator lands");
        Set<Ip> before = new HashSet<>(cluster.claims.keySet());
        stillUnderWay.removeFirst().run();
        before.removeAll(cluster.claims.keySet());
        // The operator that lives holds it in its ledger, and makes it again when it hears of it.
        deletedByHand.addAll(before);
    }

    private void startOne() {
        Operator operator = anyOperator();
        List<Work> ready = operator.ready();
        if (!ready.isEmpty() && operator.tasks.size() < AT_ONCE) {
            Work work = ready.get(random.nextInt(ready.size()));
            operator.begin(work);
            trace("start " + work + " at " + operators.indexOf(operator));
            operator.step(operator.tasks.getLast());
        }
    }

    private void stepOne() {
        Operator operator = anyOperator();
        if (!operator.tasks.isEmpty()) {
            operator.step(operator.tasks.get(random.nextInt(operator.tasks.size())));
        }
    }

    private void hearOfService() {
        Operator operator = anyOperator();
        if (operator.client.hasServiceNews()) {
            operator.serviceChanged(operator.client.deliverService());
        }
    }

    private void hearOfClaim() {
        Operator operator = anyOperator();
        if (operator.client.hasClaimNews()) {
            operator.claimChanged(operator.client.deliverClaim());
        }
    }

    private void restart() {
        Operator operator = anyOperator();
        operator.kill();
        if (!deletedByHand.isEmpty()) {
            stillUnderWay.clear();
        }
        if (random.nextInt(3) != 0) {
            // Down for a while.
            for (int i = random.nextInt(5); i > 0; i--) {
                userActs();
            }
        }
        boolean relists = random.nextInt(4) != 0 || !deletedByHand.isEmpty();
        trace("restart" + (relists ? "" : " with caches that lag behind"));
        if (relists) {
            operator.client.relist();
        }
        while (operator.client.hasClaimNews()) {
            // A list of Addresses that is older than the last deletion is a limit that the design accepts.
            operator.client.deliverClaim();
        }
        replace(operator);
    }

    private void replace(Operator dead) {
        operators.set(operators.indexOf(dead), new Operator(dead.client));
    }

    private void userActs() {
        ServiceKey key = KEYS.get(random.nextInt(KEYS.size()));
        ServiceState now = cluster.services.get(key);
        int dice = random.nextInt(20);
        if (now == null) {
            create(key);
        } else if (dice < 5) {
            trace("user deletes " + key);
            cluster.deleteService(key);
            if (random.nextInt(3) == 0 && cluster.services.get(key) == null) {
                create(key);
            }
        } else if (dice < 9) {
            boolean toLoadBalancer = !now.typeLoadBalancer();
            trace("user makes " + key + (toLoadBalancer ? " a LoadBalancer" : " a ClusterIP"));
            SampleService changed = SampleService.from(now)
                    .typeLoadBalancer(toLoadBalancer)
                    .loadBalancerClass(toLoadBalancer ? randomClass() : null);
            publishedByOthers.remove(now.uid());
            ServiceState stored = cluster.put(key, toLoadBalancer ? changed : changed.ingress(List.of()));
            if (!toLoadBalancer) {
                cluster.publishedByUs.remove(key);
                if (random.nextBoolean()) {
                    trace("and back, with another class");
                    cluster.put(
                            key,
                            SampleService.from(stored).typeLoadBalancer(true).loadBalancerClass(randomClass()));
                }
            }
        } else if (dice < 11) {
            trace("user changes the families of " + key);
            cluster.put(key, randomFamilies(SampleService.from(now)));
        } else if (dice < 12) {
            // A Service that lost its Address by hand and the right to it at once, before a restart, is a limit.
            if (deletedByHand.isEmpty()) {
                trace("user changes the labels of " + key);
                cluster.put(key, SampleService.from(now).labels(randomLabels()));
            }
        } else if (dice < 14) {
            if (now.typeLoadBalancer() && OTHERS.equals(now.loadBalancerClass())) {
                trace("the controller of its class publishes " + key);
                cluster.writeIngressAsStranger(key, PUBLISHED_BY_OTHERS);
                publishedByOthers.add(now.uid());
            } else if (strangers && now.typeLoadBalancer()) {
                trace("a stranger writes the status of " + key);
                cluster.writeIngressAsStranger(
                        key,
                        random.nextBoolean()
                                ? List.of()
                                : List.of(new Published("192.0.2." + random.nextInt(4), null, null)));
            }
        } else if (dice < 15) {
            if (strangers) {
                strangerMarks(now);
            }
        } else if (dice < 17) {
            deleteAddress();
        } else if (dice < 19) {
            if (random.nextInt(3) == 0 && deletedByHand.isEmpty()) {
                trace("pools change");
                pools = pools();
                operators.forEach(operator -> operator.wake(operator.ledger.usePools(pools)));
            }
        } else if (cluster.claims.size() < 6) {
            Ip ip = Ip.parse("192.0.2." + random.nextInt(4));
            if (!cluster.claims.containsKey(ip) && !isPublished(ip) && !deletedByHand.contains(ip)) {
                trace("administrator reserves " + ip + " for " + key);
                cluster.putClaim(new Claim(ip, cluster.newUid(), "", ClaimSpec.of(null, null, new Owner(key, null))));
            }
        }
    }

    private boolean isPublished(Ip ip) {
        return cluster.services.values().stream()
                .anyMatch(service -> service.ingress().stream()
                        .anyMatch(entry -> ip.toString().equals(entry.ip())));
    }

    private void create(ServiceKey key) {
        String uid = cluster.newUid();
        trace("user creates " + key + " " + uid);
        SampleService sample = randomFamilies(SampleService.named(key, uid))
                .created(clock)
                .loadBalancerClass(randomClass())
                .typeLoadBalancer(true)
                .labels(randomLabels());
        if (random.nextInt(6) == 0) {
            sample.typeLoadBalancer(false).loadBalancerClass(null);
        }
        if (random.nextInt(4) == 0) {
            sample.conditions(
                    List.of(new Condition("example.org/Other", Condition.Status.TRUE, "Fine", "not Berth's", clock)));
            sample.finalizers(List.of("example.org/keep"));
            othersMarks.put(uid, List.of("example.org/keep"));
        }
        if (random.nextInt(8) == 0) {
            // Out of the manifest of another Service.
            sample.finalizer(Marks.FINALIZER);
        }
        cluster.put(key, sample);
    }

    private void strangerMarks(ServiceState now) {
        List<String> finalizers = new ArrayList<>(now.finalizers());
        if (!finalizers.remove(FOREIGN_FINALIZER) && !now.deleting()) {
            finalizers.add(FOREIGN_FINALIZER);
        }
        trace("a stranger's finalizers on " + now.key() + ": " + finalizers);
        cluster.put(now.key(), SampleService.from(now).finalizers(finalizers));
    }

    private void deleteAddress() {
        List<Ip> all = new ArrayList<>(cluster.claims.keySet());
        // Then a status is a request for the same address again, and a stranger's would be one as well.
        // With a dead operator's writes on their way as well, two Services could truly be told the same; and
        // where a second operator has not heard of an Address yet, nothing but the Address tells it whose it is.
        if (!all.isEmpty() && stillUnderWay.isEmpty() && !strangers && operators.size() == 1) {
            Ip ip = all.get(random.nextInt(all.size()));
            trace("administrator deletes Address " + ip);
            deletedByHand.add(ip);
            cluster.removeClaim(ip);
        }
    }

    private @Nullable String randomClass() {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> null;
            case 3, 4 -> SHOWN;
            case 5, 6 -> SLOW;
            default -> OTHERS;
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

    // ---- until nothing happens

    private void reconcileEverything() {
        trace("reconcile everything");
        operators.forEach(Operator::queueEverything);
    }

    private void settle() {
        trace("settle");
        faults = false;
        while (!stillUnderWay.isEmpty()) {
            landLate();
        }
        Instant end = clock.plus(Duration.ofHours(2));
        for (int i = 0; i < 20_000; i++) {
            if (!operators.stream().allMatch(Operator::isIdle)) {
                switch (random.nextInt(4)) {
                    case 0 -> startOne();
                    case 1 -> stepOne();
                    case 2 -> hearOfService();
                    default -> hearOfClaim();
                }
                checkAlways();
            } else {
                Optional<Operator> next = operators.stream()
                        .filter(operator -> operator.nextTimer().isPresent())
                        .min(Comparator.comparing(
                                operator -> operator.nextTimer().orElseThrow()));
                if (next.isEmpty() || clock.isAfter(end)) {
                    return;
                }
                next.get().advance();
            }
        }
        check(false, "it does not settle");
    }

    // ---- the rules

    private void check(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }

    private void checkAlways() {
        // No write spans two objects: between another operator's last look at the Service and its delete of
        // the Address, a Service that wants it again may publish it. It must hold it again in the end.
        checkPublished(operators.size() > 1);
    }

    private void checkPublished(boolean mayBeReleased) {
        Map<String, ServiceKey> publishedBy = new TreeMap<>();
        cluster.publishedByUs.forEach((key, uid) -> {
            ServiceState service = cluster.services.get(key);
            if (service == null || !service.uid().equals(uid)) {
                return;
            }
            for (Published entry : service.ingress()) {
                String text = String.valueOf(entry.ip());
                Ip ip = Ip.parse(text);
                Claim claim = cluster.claims.get(ip);
                boolean claimed = claim != null && claim.owners().contains(new Owner(key, uid));
                // Not held again for one whom no pool allows it any more: or any status could take an address.
                boolean mayHaveIt = pools.poolOf(ip)
                        .filter(pool -> !pool.name().equals("b")
                                || "b".equals(service.labels().get("team")))
                        .isPresent();
                boolean excused = deletedByHand.contains(ip) && (claim == null || !mayHaveIt);
                ServiceKey other = publishedBy.put(text, key);
                check(other == null || deletedByHand.contains(ip), text + " is published by " + key + " and " + other);
                check(
                        claimed || excused || mayBeReleased,
                        text + " is published by " + key + " " + uid + ", but its Address is " + claim);
            }
        });
        if (operators.size() == 1) {
            // What a provider is told by two at once is put right by its fencing token alone.
            checkCarried();
        }
    }

    private void checkCarried() {
        Map<String, String> carriedFor = new TreeMap<>();
        slow.world.forEach((uid, ips) -> ips.forEach(ip -> {
            String other = carriedFor.put(ip, uid);
            check(
                    other == null || deletedByHand.contains(Ip.parse(ip)),
                    ip + " carries traffic of " + uid + " and of " + other);
        }));
    }

    private void checkSettled() {
        checkPublished(false);
        Set<ServiceKey> waits = new HashSet<>();
        for (ServiceState service : cluster.services.values()) {
            check(
                    service.finalizers().containsAll(othersMarks.getOrDefault(service.uid(), List.of()))
                            && (!othersMarks.containsKey(service.uid())
                                    || service.condition("example.org/Other").isPresent()),
                    service.key() + " lost another's finalizer or condition");
            check(
                    !publishedByOthers.contains(service.uid())
                            || service.ingress().equals(PUBLISHED_BY_OTHERS),
                    service.key() + " lost what the controller of its class published");
            checkService(service, waits);
        }
        for (Claim claim : cluster.claims.values()) {
            for (Owner owner : claim.owners()) {
                ServiceState service = cluster.services.get(owner.service());
                check(
                        owner.isReservation()
                                || (service != null
                                        && service.uid().equals(owner.uid())
                                        && service.wantsLoadBalancer()),
                        claim + " has an owner that does not need it: " + service);
            }
        }
        operators.forEach(operator -> checkLedger(operator, waits));
        if (operators.size() == 1) {
            checkNothingIsLeft();
        }
    }

    private void checkNothingIsLeft() {
        slow.world.forEach((uid, ips) -> check(
                cluster.services.values().stream()
                                .anyMatch(service -> service.uid().equals(uid)
                                        && service.wantsLoadBalancer()
                                        && !service.ingress().isEmpty())
                        // Which class it was is told by its Address alone.
                        || ips.stream().map(Ip::parse).anyMatch(deletedByHand::contains),
                "the provider still carries " + ips + " for " + uid));
    }

    private void checkLedger(Operator operator, Set<ServiceKey> waits) {
        for (Holding holding : operator.ledger.holdings()) {
            Claim claim = cluster.claims.get(holding.ip());
            check(
                    claim != null && claim.owners().equals(holding.owners()),
                    "the ledger has " + holding + ", the cluster " + claim);
        }
        check(
                operator.ledger.holdings().size() == cluster.claims.size(),
                "the ledger has " + operator.ledger.holdings().size() + " holdings of " + cluster.claims.size()
                        + " Addresses");
        check(
                new HashSet<>(operator.ledger.waiting()).equals(waits),
                "the ledger says that these wait: " + operator.ledger.waiting() + ", but it is " + waits);
    }

    private void checkService(ServiceState service, Set<ServiceKey> waits) {
        Owner owner = new Owner(service.key(), service.uid());
        List<Claim> held = cluster.claims.values().stream()
                .filter(claim -> claim.owners().contains(owner))
                .toList();
        String value = service.loadBalancerClass();
        boolean served = value == null || value.equals(SHOWN) || value.equals(SLOW);
        boolean foreign = !service.isMarkedOurs() && service.foreignMark().isPresent();
        boolean standsBack = value == null
                && held.isEmpty()
                && !service.isMarkedOurs()
                && classes.classless() == Classless.AUTO
                && operators.getFirst().services.standBack().isPresent();
        if (!service.wantsLoadBalancer() || !served || foreign || standsBack) {
            check(
                    held.isEmpty()
                            && !service.hasOurFinalizer()
                            && !service.hasOurConditions()
                            && !(cluster.publishedByUs.containsKey(service.key())
                                    && !service.ingress().isEmpty()),
                    service + " is none of ours, but has marks of ours, or " + held);
            return;
        }
        List<IpFamily> wanted = service.wantedFamilies();
        List<IpFamily> has = held.stream().map(claim -> claim.ip().family()).toList();
        check(
                wanted.containsAll(has) && new HashSet<>(has).size() == has.size(),
                service + " has more than it asks for: " + held);
        List<String> shown = service.ingress().stream()
                .map(entry -> String.valueOf(entry.ip()))
                .toList();
        List<String> expected = wanted.stream()
                .flatMap(family -> held.stream()
                        .filter(claim -> claim.ip().family() == family)
                        .map(claim -> claim.ip().toString()))
                .toList();
        check(shown.equals(expected), service + " shows " + shown + ", but has " + expected);
        if (!cluster.dropsIpMode() && !held.isEmpty()) {
            IpMode mode = classes.byValue(String.valueOf(held.getFirst().loadBalancerClass()))
                    .orElseThrow()
                    .ipMode();
            check(
                    service.ingress().stream()
                            .allMatch(entry -> (mode == IpMode.PROXY) == (entry.ipMode() == IpMode.PROXY)),
                    service + " has not ipMode " + mode);
        }
        check(held.isEmpty() || service.hasOurFinalizer(), service + " has an address, but no finalizer");
        check(
                service.condition(Marks.ADDRESS_ASSIGNED)
                        .filter(condition -> (condition.status() == Condition.Status.TRUE) == !held.isEmpty())
                        .isPresent(),
                service + " has the wrong condition for " + held);
        List<IpFamily> lacking =
                wanted.stream().filter(family -> !has.contains(family)).toList();
        if (!lacking.isEmpty()) {
            waits.add(service.key());
            List<IpFamily> available = lacking.stream()
                    .filter(family -> isAvailable(service, family))
                    .toList();
            boolean all = service.familyPolicy() == FamilyPolicy.REQUIRE_DUAL_STACK;
            check(
                    all ? available.size() < lacking.size() : available.isEmpty(),
                    service + " waits for " + lacking + ", but there is " + available);
        }
    }

    private boolean isAvailable(ServiceState service, IpFamily family) {
        boolean teamB = "b".equals(service.labels().get("team"));
        return pools.pools().stream()
                .filter(pool -> teamB || !pool.name().equals("b"))
                .flatMap(pool -> pool.ranges().stream())
                .filter(range -> range.family() == family)
                .anyMatch(range -> range.size().longValue()
                        > cluster.claims.keySet().stream()
                                .filter(range::contains)
                                .count());
    }
}
