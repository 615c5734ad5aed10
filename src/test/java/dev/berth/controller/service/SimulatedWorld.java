package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolSet;
import dev.berth.testing.cluster.ClusterInMemory;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What there is outside of the operators: the cluster, the time, what goes wrong, and what happened so far. */
final class SimulatedWorld {
    static final String SLOW_PROVIDER = "slow";
    static final String CLOUD_PROVIDER = "cloud";
    static final String CONTROLLER = "berth.dev/controller";
    static final String OTHER_CONTROLLER = "other.dev/controller";

    private static final int TOLD = 120;
    private static final Duration CALL = Duration.ofMillis(10);

    /** How bad it is just now. */
    enum Weather {
        /** A call in eight fails. */
        FAIR,
        /** Reads and writes fail more often than not. */
        OUTAGE,
        /** Reads work; writes fail more often than not. */
        READ_ONLY,
        /** Calls work, and take their time. */
        SLOW,
        /** Calls work; no cache hears of anything. */
        DEAF
    }

    final long seed;

    /** Seeded again at each step, so that a history without one of its steps goes on as before. */
    final Random random;

    /** The same for what is done to pools and classes: it takes nothing from the other. */
    final Random aside;

    /** What the operators are wired of. */
    final SimulatedParts parts;

    /** Whether anybody reads the story: to write it takes most of the time. */
    private final boolean isTold;

    final SimulatedCluster cluster;

    /** Its pools and classes. */
    final SimulatedPools kinds;

    final OddConditions odd;

    final UnknownWords unknownWords;

    private final Map<SimulatedCluster.Client, SimulatedLoops.Views> views = new LinkedHashMap<>();
    final SimulatedProvider provider;

    /** It brings addresses of its own. */
    final SimulatedProvider cloud;

    final List<SimulatedOperator> operators = new ArrayList<>();
    /** What people want of the pools; others edit them, too. */
    final Map<String, PoolDeclaration> pools = new TreeMap<>();

    final Map<String, ClassDeclaration> classes = new TreeMap<>();
    final Map<String, Map<String, String>> namespaces = new TreeMap<>();
    Instant clock = Instant.parse("2026-03-01T12:00:00Z");

    /** Whether anything fails at all. */
    boolean faults = true;

    Weather weather = Weather.FAIR;

    /** Writes that nobody waits for any more, and that are still to be done. */
    final List<Runnable> stillUnderWay = new ArrayList<>();

    /**
     * Addresses that such a write of an operator that had ended published, or that a leader published after it had lost its
     * lease, and who has not looked since: until all that run have; for as long as it is published, if another Service got the
     * address before.
     */
    private final Map<PublishedIp, Set<SimulatedOperator>> publishedLate = new HashMap<>();

    /** Addresses whose object such a write made, for as long as there is one. */
    private final Set<Ip> claimedLate = new HashSet<>();

    /**
     * The uids of the Services whose finalizer such a call removed, or for which it had a provider begin to carry traffic; as
     * long as they have none.
     */
    final Set<String> clearedOrCarriedLate = new HashSet<>();

    /** How many operators have ended. */
    private int ends;

    /** An address that the Service of this uid publishes. */
    record PublishedIp(String uid, Ip ip) {}

    /** What is still under way of an operator that runs: how many had ended when it was sent. */
    private record OfOneThatRuns(Runnable effect, int ends) implements Runnable {
        @Override
        public void run() {
            effect.run();
        }
    }

    /** Addresses whose object was deleted or changed by others than the operator, or late by one that is not told. */
    final Set<Ip> deletedByHand = new HashSet<>();

    /** Those of them that an administrator gave to others. */
    final Set<Ip> editedByHand = new HashSet<>();

    /** Those of them that several Services shared. */
    final Set<Ip> sharedAndDeletedByHand = new HashSet<>();

    /** Finalizers of others, by the uid of the Service. */
    final Map<String, List<String>> othersMarks = new TreeMap<>();

    /** The uids of the Services that another controller publishes something for. */
    final Set<String> publishedByOthers = new HashSet<>();

    /** Whether an operator has begun with Services that were older than those that are there. */
    boolean hasBegunWithAnOldList;

    /** The uids of the Services of ours without the mark of their class: a user took it off, or a stranger left it out. */
    final Set<String> unmarked = new HashSet<>();

    /** The uids of the Services of ours whose type a user changed. */
    final Set<String> retyped = new HashSet<>();

    /** Whether there were two leaders for a moment. */
    boolean hadTwoLeaders;

    /** By how much the clock that the operators see is wrong; their timers are not. */
    private Duration skew = Duration.ZERO;

    /** Whether the class of a provider that touches the world was not there for a while. */
    boolean classWasDeleted;

    /** The values of the classes that were not there for a while. */
    final Set<String> deletedClasses = new HashSet<>();

    /** Whether an operator began while it did not know that class. */
    boolean begunWithoutAClass;

    /** Which of the operators that come and go without knowing of each other this one is. */
    private long leaders;

    private final boolean alone;

    // Who runs, and how it hands back.
    final Semaphore stopped = new Semaphore(0);
    SimulatedOperator.@Nullable Task running;

    private final List<String> trace = new ArrayList<>();

    SimulatedWorld(long seed, boolean alone, boolean isTold, SimulatedParts parts) {
        this.seed = seed;
        this.parts = parts;
        this.isTold = isTold;
        this.alone = alone;
        random = new Random(seed);
        aside = new Random(~seed);
        ClusterInMemory store = new ClusterInMemory();
        cluster = new SimulatedCluster(store, random.nextInt(5) == 0, line(random, stillUnderWay));
        provider = new SimulatedProvider(this, false);
        cloud = new SimulatedProvider(this, true);
        kinds = new SimulatedPools(this, store);
        odd = new OddConditions(this);
        unknownWords = new UnknownWords(this);
    }

    /**
     * A line to the API server.
     *
     * @param luck decides what goes wrong on it
     * @param late what nobody waits for any more, and what is still to be done
     */
    Line line(Random luck, List<Runnable> late) {
        return new Line() {
            @Override
            public Fault sending(String call, Runnable effect) {
                Fault fault = Fault.NONE;
                if (faults && luck.nextInt(100) < writesThatFail()) {
                    Fault[] all = Fault.values();
                    fault = all[luck.nextInt(all.length)];
                }
                SimulatedWorld.this.sending(luck, effect);
                // Of anything but a create it would say that the object is gone.
                return fault == Fault.NOT_FOUND && !call.startsWith("create") ? Fault.UNKNOWN_NOT_DONE : fault;
            }

            @Override
            public boolean isRead() {
                return isTold;
            }

            @Override
            public void answered(String call) {
                trace(call);
                answering(luck);
            }

            @Override
            public boolean readFails(String call) {
                answering(luck);
                return faults && luck.nextInt(100) < readsThatFail();
            }

            @Override
            public void late(String call, Runnable effect) {
                trace(call, " -> unknown, and not done yet");
                late.add(new OfOneThatRuns(effect, ends));
                answering(luck);
            }
        };
    }

    /** {@code effect} is on its way; should the sender die, it may still happen. */
    void sending(Random luck, Runnable effect) {
        SimulatedOperator.Task task = running;
        if (task != null) {
            task.unsent = effect;
            takeTime(luck, task);
            task.unsent = null;
        }
    }

    /** An answer is on its way. */
    void answering(Random luck) {
        SimulatedOperator.Task task = running;
        if (task != null) {
            takeTime(luck, task);
        }
    }

    /** The fencing token of the next operator; all have the same if they have no lease. */
    long nextLeader() {
        return alone ? ++leaders : 1;
    }

    private int writesThatFail() {
        return switch (weather) {
            case FAIR, SLOW, DEAF -> 12;
            case OUTAGE, READ_ONLY -> 75;
        };
    }

    private int readsThatFail() {
        return switch (weather) {
            case FAIR, SLOW, DEAF, READ_ONLY -> 7;
            case OUTAGE -> 70;
        };
    }

    private void takeTime(Random luck, SimulatedOperator.Task task) {
        if (faults && weather == Weather.SLOW && luck.nextInt(3) == 0) {
            task.slow = luck.nextInt(30);
        }
        task.pause();
    }

    /** So many calls a class may make at once: in half of the worlds one, so that its line is full. */
    int callsAtOnce() {
        return seed % 2 == 0 ? 1 : 16;
    }

    /** What the operators take for the time. */
    Instant now() {
        return clock.plus(skew);
    }

    void stepTheClock() {
        skew = Duration.ofSeconds(random.nextInt(7200) - 3600);
        trace("the clock is ", now());
    }

    /** One thing happened; that takes a moment. */
    void tick() {
        clock = clock.plus(CALL);
    }

    /** The pools as they are judged now. */
    PoolSet poolSet() {
        return kinds.poolSet();
    }

    /** The classes as they are judged now. */
    ClassSet classSet() {
        return kinds.classSet();
    }

    /** People want other pools. */
    void poolsChanged() {
        kinds.declarePools(pools);
    }

    /** People want other classes. */
    void classesChanged() {
        kinds.declareClasses(classes);
    }

    /** What the operator of this client hears of pools and classes. */
    SimulatedLoops.Views viewsOf(SimulatedCluster.Client client) {
        return views.computeIfAbsent(client, none -> new SimulatedLoops.Views(kinds));
    }

    /** An operator ends. */
    void ends() {
        ends++;
    }

    /** Does what nobody waits for any more. */
    void land(Runnable late) {
        if (late instanceof OfOneThatRuns sent && sent.ends() == ends) {
            late.run();
        } else {
            noteLate(late);
        }
    }

    /** Does what no leader does, and notes what its successor may not know yet. */
    void noteLate(Runnable work) {
        Set<PublishedIp> published = published();
        Set<Ip> claimed = Set.copyOf(cluster.claims.keySet());
        Set<String> marked = withFinalizer();
        Set<String> ofProvider = Set.copyOf(provider.carried.keySet());
        Set<String> ofCloud = Set.copyOf(cloud.carried.keySet());
        work.run();
        without(published, published()).forEach(late -> publishedLate.put(late, new HashSet<>(operators)));
        claimedLate.addAll(without(claimed, cluster.claims.keySet()));
        clearedOrCarriedLate.addAll(without(withFinalizer(), marked));
        clearedOrCarriedLate.addAll(without(ofProvider, provider.carried.keySet()));
        clearedOrCarriedLate.addAll(without(ofCloud, cloud.carried.keySet()));
    }

    /** Whether it was published so late that the operator of then may not have known of it. */
    boolean isPublishedLate(PublishedIp published) {
        return publishedLate.containsKey(published);
    }

    /** Whether it was claimed so late that the operator of then may have let a provider bring it for another Service. */
    boolean isClaimedLate(Ip ip) {
        return claimedLate.contains(ip);
    }

    private static <T> Set<T> without(Set<T> these, Set<T> all) {
        Set<T> rest = new HashSet<>(all);
        rest.removeAll(these);
        return rest;
    }

    /** Forgets what came late and is undone by now. */
    void forgetWhatIsUndone() {
        if (!publishedLate.isEmpty()) {
            Set<PublishedIp> published = published();
            publishedLate.forEach((late, unheard) ->
                    unheard.removeIf(operator -> !operators.contains(operator) || hasHeard(operator, late)));
            publishedLate
                    .entrySet()
                    .removeIf(late -> !published.contains(late.getKey())
                            || (late.getValue().isEmpty() && !isAnothers(late.getKey())));
        }
        claimedLate.retainAll(cluster.claims.keySet());
        if (!clearedOrCarriedLate.isEmpty()) {
            clearedOrCarriedLate.removeAll(withFinalizer());
        }
    }

    /** Whether it has looked at the Service since, and had not given the address to another before. */
    private static boolean hasHeard(SimulatedOperator operator, PublishedIp late) {
        return operator.ledger
                .holding(late.ip())
                .map(held -> held.owners().stream().allMatch(owner -> late.uid().equals(owner.uid())))
                .orElseGet(() -> operator.client.services().stream()
                        .anyMatch(service -> service.uid().equals(late.uid())
                                && service.publishes(late.ip())
                                && !operator.isAbout(service.key())));
    }

    private boolean isAnothers(PublishedIp late) {
        Claim claim = cluster.claims.get(late.ip());
        return claim != null
                && claim.owners().stream().noneMatch(owner -> late.uid().equals(owner.uid()));
    }

    /** What Services publish, whoever wrote it. */
    private Set<PublishedIp> published() {
        return cluster.services.values().stream()
                .flatMap(service -> service.publishedAddresses().stream().map(ip -> new PublishedIp(service.uid(), ip)))
                .collect(Collectors.toSet());
    }

    /** The uids of the Services with our finalizer. */
    private Set<String> withFinalizer() {
        return cluster.services.values().stream()
                .filter(ServiceState::hasOurFinalizer)
                .map(ServiceState::uid)
                .collect(Collectors.toSet());
    }

    boolean isPublished(Ip ip) {
        return cluster.services.values().stream().anyMatch(service -> service.publishes(ip));
    }

    void trace(Object... what) {
        if (isTold) {
            String text = Stream.of(what).map(String::valueOf).collect(Collectors.joining());
            if (!text.isEmpty()) {
                trace.add(text);
            }
        }
    }

    /** From here on chance goes by the number of the step. */
    void step(long number) {
        long mixed = seed * 0x9E3779B97F4A7C15L + number * 0xD1B54A32D192ED03L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        random.setSeed(mixed ^ (mixed >>> 31));
        aside.setSeed(~mixed);
    }

    /** The end of what happened, for the message of a failure. */
    String story() {
        return String.join("\n", trace.subList(Math.max(0, trace.size() - TOLD), trace.size()));
    }
}
