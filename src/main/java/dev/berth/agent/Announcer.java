package dev.berth.agent;

import dev.berth.agent.membership.Datagrams;
import dev.berth.announce.Agent;
import dev.berth.announce.ApiContact;
import dev.berth.announce.DesiredAddress;
import dev.berth.announce.Link;
import dev.berth.announce.NodeReport;
import dev.berth.announce.NodesAndAgents;
import dev.berth.announce.Protocol;
import dev.berth.announce.Verdict;
import dev.berth.announce.Verdict.Silent;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Has the kernel of this node answer for the addresses that it announces, and for no others. One thread. */
final class Announcer {
    /** How often what the kernel has is compared with what it should have, though it has not notified of a loss. */
    private static final long REPAIR = 60_000;

    /** The same while somebody else has put an address on the host: nothing notifies of when it is gone. */
    private static final long REPAIR_REFUSED = 10_000;

    /** The same after the kernel has notified of a loss: somebody may remove addresses again and again. */
    private static final long REPAIR_BROKEN = 1_000;

    /** How often it is asked who else has an address while it is not known whether it is to be here. */
    private static final long PROBE_IN_DOUBT = 2_000;

    /** From when on it is not new any more. */
    private static final long STEADY = 5_000;

    private final String node;
    private final ClusterView view;
    private final Datagrams others;
    private final ApiServerProbe contact;
    private final AgentMetrics metrics;
    private final Convergence convergence;
    private final Conflicts conflicts;
    private final Warnings warnings;
    private final AgentReports reports;
    private final Supplier<SequencedMap<String, List<IpFamily>>> sessions;
    private final Refusals refusals = new Refusals();

    private final VerdictCache decided = new VerdictCache();
    private SequencedMap<Ip, Verdict> verdicts = new TreeMap<>();
    private final KnownLinks links = new KnownLinks(HostLinks::read);
    private final BoundAddresses bound;
    private Set<String> lastAlive = Set.of();
    private final Rounds rounds = new Rounds();

    /** Has a permit when something may be otherwise. */
    private final Semaphore due = new Semaphore(1);

    private final Standing standing = new Standing();

    /** When to do what again. */
    private static final class Rounds {
        private final Pace pace = new Pace(now());
        private volatile boolean isEnding;
        private long lastRepair = now() - REPAIR;

        /** Whether the kernel may have lost an address that it should have. */
        private boolean isBroken;
    }

    /** What this agent has been for how long. */
    private static final class Standing {
        private long willingSince = -1;
        private boolean steady;

        /** Whether it has been decided what this node announces. */
        private boolean isDecided;
    }

    /** @param sessions as the other agents get them */
    Announcer(
            AgentParts parts,
            Datagrams others,
            ApiServerProbe contact,
            Conflicts conflicts,
            AgentReports reports,
            Supplier<SequencedMap<String, List<IpFamily>>> sessions) {
        this.node = parts.node();
        this.view = parts.cluster();
        this.others = others;
        this.contact = contact;
        this.metrics = parts.metrics();
        this.convergence = metrics.convergence("l2");
        this.conflicts = conflicts;
        this.warnings = parts.warnings();
        this.reports = reports;
        this.sessions = sessions;
        this.bound = new BoundAddresses(links, refusals, metrics, this::fail);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Something may be otherwise: looks at once. Does not wait for what it is doing. */
    void look() {
        convergence.change();
        due.release();
    }

    /** The interfaces of the host are otherwise: looks at them at once. */
    void lookAtLinks() {
        links.change();
        look();
    }

    /** An address is not there any more: puts it back, if it is to be. */
    void lookAtAddress(InetAddress address, int index) {
        links.lose(address, index);
        look();
    }

    /** Either may have happened. */
    void lookAtAll() {
        links.miss();
        look();
    }

    /** Announces from now on, until {@link #end}. */
    void start() {
        Thread.ofPlatform().daemon().name("announcer").start(this::run);
    }

    private void run() {
        try {
            while (!rounds.isEnding) {
                if (due.drainPermits() > 0) {
                    rounds.pace.change();
                }
                await(Math.max(0, oneRound()));
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(long millis) throws InterruptedException {
        if (rounds.pace.isHeldUp(now())) {
            // Whatever else comes meanwhile.
            Thread.sleep(millis);
        } else if (due.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
            due.release();
        }
    }

    /** The time until the next, in milliseconds. */
    private synchronized long oneRound() {
        if (!rounds.isEnding) {
            round(now());
        }
        return untilNext(now());
    }

    /** A part of a round; one that fails keeps no other from being done. */
    private interface Part {
        void run() throws IOException;
    }

    private void attempt(Part part) {
        try {
            part.run();
        } catch (IOException | RuntimeException failure) {
            fail(failure);
        }
    }

    private void fail(Exception failure) {
        metrics.failures.inc();
        warnings.warn("announcing: " + ApiServer.message(failure));
    }

    private long untilNext(long now) {
        return Math.min(rounds.pace.next(), bound.next(standing.isDecided)) - now;
    }

    private void round(long now) {
        boolean decides = false;
        if (rounds.pace.begins(now) && view.isKnown()) {
            decides = true;
            attempt(() -> decide(now));
        }
        attempt(() -> {
            if (standing.isDecided) {
                bound.contest(conflicts.takeContested(), now);
                bound.tell(now);
            } else {
                doubt(now);
            }
        });
        attempt(() -> bound.takeOff(now));
        attempt(() -> conflicts.watch(bound.indexes()));
        attempt(() -> bound.probe(standing.isDecided ? BoundAddresses.PROBE : PROBE_IN_DOUBT, now));
        metrics.announced.set(bound.staying().size());
        if (decides) {
            rounds.pace.took(now() - now);
        }
    }

    /**
     * Nothing is known of the cluster yet, and there may be no API server for long: what an earlier process has left stays,
     * unless another machine answers for it by now.
     */
    private void doubt(long now) throws IOException {
        links.look(view.allParameters(), now, this::fail);
        conflicts.known(links.now().hardware(), Set.of());
        if (now - rounds.lastRepair >= REPAIR_REFUSED) {
            compare(now);
        }
        bound.giveUp(address -> conflicts.claimant(address) != null, now);
    }

    private void decide(long now) throws IOException {
        // First: what changes from here on is decided in the next round.
        convergence.begin();
        long number = view.number();
        if (view.isHidden(node)) {
            // What others announce it cannot know before they can answer it.
            others.forget();
        } else {
            others.know(view.others(node));
        }
        links.look(view.allParameters(), now, this::fail);
        // An interface that was down has lost addresses.
        rounds.isBroken |= bound.takeLost();
        boolean isSettled = others.isSettled();
        long repair = rounds.isBroken ? REPAIR_BROKEN : refusals.isAnyOnHost() ? REPAIR_REFUSED : REPAIR;
        if (isSettled && (!standing.isDecided || now - rounds.lastRepair >= repair)) {
            compare(now);
        }
        SequencedMap<String, Agent> agents = others.alive();
        Agent self = self(agents, isSettled, now);
        others.become(self);
        agents.put(node, self);
        if (!lastAlive.containsAll(agents.keySet())) {
            // A network that was split may have learnt the address of another.
            bound.restartAnnouncements(now);
        }
        lastAlive = Set.copyOf(agents.keySet());
        metrics.agents.set(agents.size());
        metrics.current.set(self.contact() == ApiContact.LOST ? 0 : 1);
        metrics.refused.inc(others.refused() - metrics.refused.get());
        conflicts.known(ownHardware(self), hardware(agents));
        if (!isSettled && !standing.isDecided) {
            return;
        }
        verdicts = decided.by(List.of(number, agents), () -> verdicts(agents));
        standing.isDecided = true;
        if (bound.apply(verdicts, now)) {
            // They are told in the next round, and let go of nothing before.
            due.release();
        }
        convergence.end(bound.staying());
        report(bound.staying());
    }

    private void report(Set<Ip> here) {
        SequencedMap<Ip, Verdict> decisions = verdicts;
        Set<Ip> claimed = conflicts.addresses();
        reports.now(
                Protocol.L2,
                List.of(decisions, here, claimed),
                () -> NodeReport.Part.ofL2(decisions, here::contains, claimed::contains));
    }

    private SequencedMap<Ip, Verdict> verdicts(SequencedMap<String, Agent> agents) {
        NodesAndAgents situation = new NodesAndAgents(view.nodes(), agents);
        SequencedMap<Ip, Verdict> next = new TreeMap<>();
        view.asked().forEach(asked -> next.put(asked.address(), situation.verdict(asked, node)));
        metrics.unannounced.set((double) next.values().stream()
                .filter(verdict ->
                        verdict instanceof Silent silent && silent.owner().isEmpty())
                .count());
        return next;
    }

    /** It is steady from the start if nobody else is: else all would wait for each other. */
    private Agent self(SequencedMap<String, Agent> agents, boolean isSettled, long now) {
        boolean willing = !rounds.isEnding && isSettled;
        if (willing && standing.willingSince < 0) {
            standing.willingSince = now;
            standing.steady = agents.values().stream().noneMatch(agent -> agent.willing() && agent.steady());
        }
        standing.steady |= willing && now - standing.willingSince >= STEADY;
        return new Agent(willing, contact.now(), standing.steady, told(), refusals.at(now), sessions.get());
    }

    /** The links that other agents hear of. */
    private List<Link> told() {
        return Link.told(links.now().links(), view::asked);
    }

    /** Of all interfaces: each answers what another one is asked for. */
    private Set<String> ownHardware(Agent self) {
        return Stream.concat(
                        links.now().hardware().stream(), self.links().stream().map(Link::hardware))
                .collect(Collectors.toSet());
    }

    /** Of the other nodes whose agents are heard. */
    private Set<String> hardware(SequencedMap<String, Agent> agents) {
        return agents.entrySet().stream()
                .filter(agent -> !agent.getKey().equals(node))
                .flatMap(agent -> agent.getValue().links().stream())
                .map(Link::hardware)
                .collect(Collectors.toSet());
    }

    private void compare(long now) throws IOException {
        // Of those that came since the last decision the next one takes care.
        bound.compare(
                standing.isDecided
                        ? verdicts.keySet()
                        : view.asked().stream().map(DesiredAddress::address).toList(),
                now);
        rounds.lastRepair = now;
        rounds.isBroken = false;
    }

    /** A line for each address, human-readable: whether this node announces it, and why. */
    synchronized String explained() {
        return verdicts.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue().sentence()
                        + Optional.ofNullable(conflicts.claimant(BoundAddresses.inet(entry.getKey())))
                                .map(claimant -> "; another machine claims it: " + claimant)
                                .orElse("")
                        + "\n")
                .collect(Collectors.joining());
    }

    /** Leaves all addresses to others, and takes them off once those have them. */
    void end() throws InterruptedException {
        synchronized (this) {
            rounds.isEnding = true;
            due.release();
            others.become(new Agent(false, contact.now(), false, told()));
        }
        others.awaitHeard(BoundAddresses.LINGER);
        Thread.sleep(BoundAddresses.LINGER);
        synchronized (this) {
            bound.takeOffAll(now());
        }
    }
}
