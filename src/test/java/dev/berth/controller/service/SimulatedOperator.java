package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.testing.cluster.ClusterInMemory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedSet;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One life of the operator: what it has heard, what it has to do, and what it is doing.
 *
 * <p>Several Services are reconciled at once, each by a thread of its own, but only one thread runs at a
 * time: it stops at every call to the cluster, and the seed says who goes on. So every run repeats.
 */
final class SimulatedOperator {
    /** What is to be reconciled. */
    sealed interface Work {
        record OfService(ServiceKey key) implements Work {}

        record OfAddress(Ip ip) implements Work {}

        record OfLoop(SimulatedLoops.Key key) implements Work {}

        record Later(Runnable what) implements Work {}
    }

    /** The process was killed here. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** One reconciliation under way. */
    final class Task {
        private final Work work;
        private final Semaphore go = new Semaphore(0);
        private @Nullable Thread thread;
        private boolean done;
        private boolean killed;
        private @Nullable Throwable failure;

        /** What it is about to write, which may still be done after its death. */
        @Nullable Runnable unsent;

        /** How often it is passed over: the answer to its call is slow. */
        int slow;

        private Task(Work work) {
            this.work = work;
        }

        /** What of the loops of pools and classes it does; null: nothing. */
        SimulatedLoops.@Nullable Key loop() {
            return work instanceof Work.OfLoop(SimulatedLoops.Key key) ? key : null;
        }

        /** Lets it run to its next call to the cluster, or to its end. */
        private void step() {
            world.running = this;
            if (thread == null) {
                thread = Thread.ofVirtual().start(this::run);
            } else {
                go.release();
            }
            world.stopped.acquireUninterruptibly();
            world.running = null;
        }

        private void run() {
            try {
                perform(work);
            } catch (Crash end) {
                // As meant.
            } catch (Throwable thrown) {
                failure = thrown;
            } finally {
                done = true;
                world.stopped.release();
            }
        }

        /** Called by its own thread. */
        void pause() {
            if (killed) {
                // A provider's failure is caught: it is dead all the same.
                throw new Crash();
            }
            world.stopped.release();
            go.acquireUninterruptibly();
            if (killed) {
                throw new Crash();
            }
        }
    }

    private final SimulatedWorld world;
    private final SimulatedParts parts;
    final SimulatedCluster.Client client;
    final Ledger ledger = new Ledger();
    final ServiceControl services;
    final ControlLoops control;
    private final SequencedSet<Work> queue = new LinkedHashSet<>();
    private final Map<Work, Instant> timers = new LinkedHashMap<>();
    private final Map<Ip, Claim> vanished = new LinkedHashMap<>();
    final List<Task> tasks = new ArrayList<>();

    /** What it has not heard yet of namespaces. */
    private final Deque<Runnable> otherNews = new ArrayDeque<>();

    /** Its loops of pools and classes. */
    final SimulatedLoops loops;

    SimulatedOperator(SimulatedWorld world, SimulatedCluster.Client client) {
        this.world = world;
        this.client = client;
        parts = world.parts;
        Cluster cluster = parts.cluster(world, client);
        client.namespaces(world.namespaces);
        StartGate gate = new StartGate();
        loops = new SimulatedLoops(world, this, world.viewsOf(client));
        control = new SampleLoops(cluster, ledger, gate, () -> world.clock)
                .clock(world::now)
                .later(this::after)
                .random(new Random(world.seed))
                .classes(this::classSet)
                .provider(PoolProvider.NAME, new PoolProvider())
                .provider(SimulatedWorld.SLOW_PROVIDER, parts.provider(world, client))
                .provider(SimulatedWorld.CLOUD_PROVIDER, parts.cloud(world, client))
                .clusterName("simulated")
                .fencingToken(parts.fencingToken(world.nextLeader()))
                // Its clock stands still while it waits.
                .limits(new CallLimits(
                        world.callsAtOnce(), Duration.ZERO, Duration.ofSeconds(60), SimulatedOperator::inline))
                .build(loops.judging(), new ControlLoops.Listener() {
                    @Override
                    public void servicesDue(Collection<ServiceKey> services) {
                        wake(services);
                    }

                    @Override
                    public void addressesDue(Collection<Ip> addresses) {
                        wakeAddresses(addresses);
                    }

                    @Override
                    public void classDue(String className) {
                        loops.queue(parts.verdictChanged(className));
                    }

                    @Override
                    public void classChanged() {}

                    @Override
                    public void strandedChanged(Collection<Ip> addresses) {}

                    @Override
                    public void poolsChanged() {}
                });
        services = control.services();
        control.classes().refresh();
        world.begunWithoutAClass |= Stream.of("slow", "cloud")
                .anyMatch(name -> classSet().byValue("berth.dev/" + name).isEmpty());
        parts.learn(ledger, client.claims());
        control.pools().refresh();
        control.adopt();
        gate.open();
        for (ServiceState service : client.services()) {
            if (EventMapper.isRelevant(service)) {
                queue.add(new Work.OfService(service.key()));
            }
        }
        client.claims().forEach(claim -> queue.add(new Work.OfAddress(claim.ip())));
        loops.queueEverything();
    }

    /** A thread of its own would only be waited for. */
    private static Thread inline(Runnable call) {
        return new Thread() {
            @Override
            public void start() {
                call.run();
            }
        };
    }

    // ---- what it hears

    /** As the operator SDK does: what is not in the cache is not reconciled. */
    private void wake(Collection<ServiceKey> keys) {
        parts.due(keys).stream().filter(client::hasService).forEach(key -> queue.add(new Work.OfService(key)));
    }

    private void wakeAddresses(Collection<Ip> ips) {
        ips.stream().filter(ip -> client.claim(ip).isPresent()).forEach(ip -> queue.add(new Work.OfAddress(ip)));
    }

    private Runnable after(Duration delay, Runnable what) {
        Work task = new Work.Later(what);
        timers.put(task, world.clock.plus(delay));
        return () -> timers.remove(task);
    }

    /** The classes as it judges them now. */
    ClassSet classSet() {
        return control.classes().classSet();
    }

    /** A namespace has other labels from when it hears of it. */
    void namespaceChanges(String namespace, Map<String, String> labels) {
        otherNews.add(() -> {
            client.namespace(namespace, labels);
            control.happened(new EventMapper.Event.NamespaceChanged(namespace));
        });
    }

    void hearOfService() {
        if (client.serviceCache.hasNews()) {
            ClusterInMemory.Change<ServiceKey, ServiceState> change = client.serviceCache.hear();
            ServiceState now = change.now();
            if (now != null && change.before() != null && parts.takeEcho(services, now)) {
                return;
            }
            if (now == null
                    || EventMapper.isRelevant(now)
                    || EventMapper.isRelevant(change.before())
                    || (change.before() != null && UnknownWords.has(change.before()))) {
                queue.add(new Work.OfService(change.key()));
            }
        }
    }

    void hearOfClaim() {
        if (client.addressCache.hasNews()) {
            ClusterInMemory.Change<Ip, Claim> change = client.addressCache.hear();
            if (change.now() == null && change.before() != null && parts.hearsOfTheEnd(change.before())) {
                vanished.put(change.key(), change.before());
            }
            queue.add(new Work.OfAddress(change.key()));
        }
    }

    void hearOfOthers() {
        if (!otherNews.isEmpty()) {
            otherNews.removeFirst().run();
        }
    }

    // ---- what it does

    void queueEverything() {
        client.services().forEach(service -> queue.add(new Work.OfService(service.key())));
        client.claims().forEach(claim -> queue.add(new Work.OfAddress(claim.ip())));
    }

    boolean isIdle() {
        return tasks.isEmpty()
                && queue.isEmpty()
                && !client.serviceCache.hasNews()
                && !client.addressCache.hasNews()
                && otherNews.isEmpty();
    }

    /** Whether it looks at the Service of this name, or is to. */
    boolean isAbout(ServiceKey service) {
        Work work = new Work.OfService(service);
        return queue.contains(work) || tasks.stream().anyMatch(task -> task.work.equals(work));
    }

    /** As {@link ServiceReconciler} does: one that cannot be read is left as it is. */
    private Next reconcile(ServiceKey key) {
        try {
            return services.reconcile(key);
        } catch (Unreadable left) {
            return Next.ON_EVENT;
        }
    }

    private void perform(Work work) {
        Next next = switch (work) {
            case Work.OfService(ServiceKey key) -> reconcile(key);
            case Work.OfAddress(Ip ip) -> {
                Claim last = vanished.remove(ip);
                if (client.claim(ip).isEmpty() && last != null) {
                    yield control.addresses().vanished(last);
                }
                yield control.addresses().reconcile(ip);
            }
            case Work.OfLoop(SimulatedLoops.Key key) -> {
                loops.reconcile(key);
                yield Next.ON_EVENT;
            }
            case Work.Later(Runnable what) -> {
                what.run();
                yield Next.ON_EVENT;
            }
        };
        parts.next(next).delay().ifPresent(delay -> timers.put(work, world.clock.plus(delay)));
    }

    void startOne(int atOnce) {
        if (queue.isEmpty() || tasks.size() >= atOnce) {
            return;
        }
        List<Work> ready = new ArrayList<>(queue);
        tasks.forEach(task -> ready.remove(task.work));
        if (!ready.isEmpty()) {
            Work work = ready.get(world.random.nextInt(ready.size()));
            queue.remove(work);
            timers.remove(work);
            world.trace("start ", work, " at ", world.operators.indexOf(this));
            Task task = new Task(work);
            tasks.add(task);
            step(task, tasks);
        }
    }

    Task task(SimulatedLoops.Key key) {
        return new Task(new Work.OfLoop(key));
    }

    void stepOne() {
        if (!tasks.isEmpty()) {
            Task task = tasks.get(world.random.nextInt(tasks.size()));
            if (task.slow > 0) {
                task.slow--;
            } else {
                step(task, tasks);
            }
        }
    }

    /** {@code of} has the task for as long as there is more to do. */
    void step(Task task, List<Task> of) {
        task.step();
        if (task.done) {
            of.remove(task);
            if (task.failure != null) {
                throw new AssertionError("reconciling " + task.work + " threw", task.failure);
            }
        }
    }

    /** Ends the process; some of what it was about to write may still be done. */
    void kill() {
        world.ends();
        kill(tasks, world.random, world.stillUnderWay);
        kill(loops.tasks, world.kinds.random, world.kinds.late);
    }

    private static void kill(List<Task> tasks, Random luck, List<Runnable> stillUnderWay) {
        for (Task task : List.copyOf(tasks)) {
            Runnable unsent = task.unsent;
            if (unsent != null && luck.nextInt(3) == 0) {
                stillUnderWay.add(unsent);
            }
            task.killed = true;
            if (task.thread != null) {
                task.step();
            }
        }
        tasks.clear();
    }

    // ---- time

    /** What is due by now. */
    void ring() {
        for (Instant timer : timers.values()) {
            if (!timer.isAfter(world.clock)) {
                advance();
                return;
            }
        }
    }

    Optional<Instant> nextTimer() {
        return timers.values().stream().min(Instant::compareTo);
    }

    void advance() {
        Instant first = nextTimer().orElseThrow();
        if (first.isAfter(world.clock)) {
            world.clock = first;
        }
        List<Work> due = timers.entrySet().stream()
                .filter(timer -> !timer.getValue().isAfter(world.clock))
                .map(Map.Entry::getKey)
                .toList();
        due.forEach(work -> {
            timers.remove(work);
            // As in the SDK: a timer of what is gone is of no effect.
            boolean there = switch (work) {
                case Work.OfService(ServiceKey key) -> client.hasService(key);
                case Work.OfAddress(Ip ip) -> client.claim(ip).isPresent();
                case Work.OfLoop loop -> true;
                case Work.Later later -> true;
            };
            if (there) {
                queue.add(work);
            }
        });
    }
}
