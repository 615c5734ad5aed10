package dev.berth.agent;

import dev.berth.agent.membership.Datagrams;
import dev.berth.announce.Agent;
import dev.berth.announce.ApiContact;
import dev.berth.announce.Asked;
import dev.berth.announce.Link;
import dev.berth.announce.NodeReport;
import dev.berth.announce.Protocol;
import dev.berth.announce.Situation;
import dev.berth.announce.Verdict;
import dev.berth.announce.Verdict.Announces;
import dev.berth.announce.Verdict.Silent;
import dev.berth.host.MarkedAddresses;
import dev.berth.host.MarkedAddresses.Held;
import dev.berth.host.Neighbours;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has the kernel of this node answer for the addresses that it announces, and for no others. One thread. */
final class Announcer {
    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);

    /** For how long an address stays that another node has taken: until its neighbours have heard of that. */
    private static final long LINGER = 250;

    /** How often what the kernel has is compared with what it should have. */
    private static final long REPAIR = 10_000;

    /** The same after the kernel has notified of a loss: somebody may remove addresses again and again. */
    private static final long REPAIR_BROKEN = 1_000;

    /** How often it is asked who else has an address. */
    private static final long PROBE = 60_000;

    /** The same while it is not known whether it is to be here. */
    private static final long PROBE_IN_DOUBT = 2_000;

    /** From when on it is not new any more. */
    private static final long STEADY = 5_000;

    private final String node;
    private final ClusterView view;
    private final Datagrams others;
    private final Contact contact;
    private final AgentMetrics metrics;
    private final Convergence convergence;
    private final Conflicts conflicts;
    private final Warnings warnings;
    private final AgentReports reports;
    private final Supplier<List<String>> sessions;
    private final Refusals refusals = new Refusals();

    /** What this node has on its interfaces. */
    private final SequencedMap<Ip, Bound> bound = new TreeMap<>();

    private final Decided decided = new Decided();
    private SequencedMap<Ip, Verdict> verdicts = new TreeMap<>();
    private final KnownLinks links = new KnownLinks(HostLinks::read);
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

    /** An address on an interface. */
    private static final class Bound {
        private final InetAddress address;
        private final String link;
        private final int index;
        private final Tellings tellings;
        private long probed;

        /** When it is taken off; 0: it stays. */
        private long ends;

        Bound(Ip ip, String link, int index, long now) {
            this.address = inet(ip);
            this.link = link;
            this.index = index;
            this.tellings = new Tellings(now);
            // After the first tellings: until then another agent may still have it.
            this.probed = now - PROBE + 3_000;
        }
    }

    /** @param sessions names of BGPPeers, as other agents are told of them */
    Announcer(
            String node,
            ClusterView view,
            Datagrams others,
            Contact contact,
            AgentMetrics metrics,
            Conflicts conflicts,
            Warnings warnings,
            AgentReports reports,
            Supplier<List<String>> sessions) {
        this.node = node;
        this.view = view;
        this.others = others;
        this.contact = contact;
        this.metrics = metrics;
        this.convergence = metrics.convergence("l2");
        this.conflicts = conflicts;
        this.warnings = warnings;
        this.reports = reports;
        this.sessions = sessions;
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
        long next = rounds.pace.next();
        for (Bound one : bound.values()) {
            if (one.ends > 0) {
                next = Math.min(next, one.ends);
            } else if (standing.isDecided) {
                next = Math.min(next, one.tellings.next());
            }
        }
        return next - now;
    }

    private void round(long now) {
        boolean decides = false;
        if (rounds.pace.begins(now) && view.isKnown()) {
            decides = true;
            attempt(() -> decide(now));
        }
        attempt(() -> {
            if (standing.isDecided) {
                tell(now);
            } else {
                doubt(now);
            }
        });
        attempt(() -> takeOff(now));
        attempt(() -> conflicts.watch(
                staying().collect(Collectors.toMap(one -> one.getValue().address, one -> one.getValue().index))));
        attempt(() -> probe(now));
        metrics.announced.set((double) staying().count());
        if (decides) {
            rounds.pace.took(now() - now);
        }
    }

    private Stream<Map.Entry<Ip, Bound>> staying() {
        return bound.entrySet().stream().filter(one -> one.getValue().ends == 0);
    }

    /**
     * Nothing is known of the cluster yet, and there may be no API server for long: what an earlier process has left stays,
     * unless another machine answers for it by now.
     */
    private void doubt(long now) throws IOException {
        if (now - rounds.lastRepair >= REPAIR) {
            compare(now);
        }
        bound.forEach((ip, one) -> {
            if (one.ends == 0 && conflicts.claimant(one.address) != null) {
                one.ends = now;
                LOG.info("{} is given up: another machine answers for it", ip);
            }
        });
    }

    private void decide(long now) throws IOException {
        // First: what changes from here on is decided in the next round.
        convergence.begin();
        long number = view.number();
        others.know(view.others(node));
        links.look(view.allParameters(), now, this::fail);
        // An interface that was down has lost addresses.
        rounds.isBroken |=
                links.isLost(bound.values().stream().map(one -> new KnownLinks.Lost(one.address, one.index)));
        boolean isSettled = others.isSettled();
        long repair = rounds.isBroken ? REPAIR_BROKEN : REPAIR;
        if (isSettled && (!standing.isDecided || now - rounds.lastRepair >= repair)) {
            compare(now);
        }
        SequencedMap<String, Agent> agents = others.alive();
        Agent self = self(agents, isSettled, now);
        others.become(self);
        agents.put(node, self);
        if (!lastAlive.containsAll(agents.keySet())) {
            // A network that was split may have learnt the address of another.
            bound.values().forEach(one -> one.tellings.begin(now));
        }
        lastAlive = Set.copyOf(agents.keySet());
        metrics.agents.set(agents.size());
        metrics.current.set(self.contact() == ApiContact.LOST ? 0 : 1);
        metrics.refused.inc(others.refused() - metrics.refused.get());
        conflicts.known(hardware(agents));
        if (!isSettled) {
            return;
        }
        verdicts = decided.by(List.of(number, agents), () -> verdicts(agents));
        standing.isDecided = true;
        metrics.unannounced.set((double) verdicts.values().stream()
                .filter(verdict ->
                        verdict instanceof Silent silent && silent.owner().isEmpty())
                .count());
        apply(now);
        Set<Ip> here = staying().map(Map.Entry::getKey).collect(Collectors.toUnmodifiableSet());
        convergence.end(here);
        report(here);
    }

    private void report(Set<Ip> here) {
        SequencedMap<Ip, Verdict> decisions = verdicts;
        reports.now(Protocol.L2, List.of(decisions, here), () -> NodeReport.Part.ofL2(decisions, here::contains));
    }

    private SequencedMap<Ip, Verdict> verdicts(SequencedMap<String, Agent> agents) {
        Situation situation = new Situation(view.nodes(), agents);
        SequencedMap<Ip, Verdict> next = new TreeMap<>();
        view.asked().forEach(asked -> next.put(asked.address(), situation.verdict(asked, node)));
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
        List<Link> told = Link.told(links.now().links(), view::asked);
        return new Agent(willing, contact.now(), standing.steady, told, refusals.at(now), sessions.get());
    }

    private static Set<String> hardware(SequencedMap<String, Agent> agents) {
        return agents.values().stream()
                .flatMap(agent -> agent.links().stream())
                .map(Link::hardware)
                .collect(Collectors.toSet());
    }

    /** What the kernel has: of an earlier process, or put there and taken away by others since. */
    private void compare(long now) throws IOException {
        List<Held> all = MarkedAddresses.all();
        Set<Ip> ofOthers = ofOthers(all);
        refusals.onHost(view.asked().stream()
                .map(Asked::address)
                .filter(ofOthers::contains)
                .toList());
        Map<Ip, Held> marked = new HashMap<>();
        for (Held held : all) {
            if (held.isMarked()) {
                Ip ip = ip(held);
                Bound known = bound.get(ip);
                if (known != null && known.index != held.index()) {
                    takeOff(held);
                } else {
                    marked.put(ip, held);
                }
            }
        }
        bound.keySet().retainAll(marked.keySet());
        marked.keySet().removeAll(bound.keySet());
        for (Map.Entry<Ip, Held> left : marked.entrySet()) {
            int index = left.getValue().index();
            NetworkInterface by = NetworkInterface.getByIndex(index);
            bound.put(left.getKey(), new Bound(left.getKey(), by == null ? "" : by.getName(), index, now));
            LOG.info("{} is on this node since an earlier process", left.getKey());
        }
        rounds.lastRepair = now;
        rounds.isBroken = false;
    }

    /**
     * Those that somebody else has put on the host: they are never touched, and nothing is put beside them. Not those of
     * kube-proxy in mode ipvs: it has all addresses on every node.
     */
    private static Set<Ip> ofOthers(List<Held> all) throws SocketException {
        NetworkInterface ipvs = NetworkInterface.getByName("kube-ipvs0");
        return all.stream()
                .filter(held -> !held.isMarked() && (ipvs == null || held.index() != ipvs.getIndex()))
                .map(Announcer::ip)
                .collect(Collectors.toSet());
    }

    private static Ip ip(Held held) {
        String text = held.address().getHostAddress();
        int zone = text.indexOf('%');
        return Ip.parse(zone < 0 ? text : text.substring(0, zone));
    }

    private void apply(long now) throws IOException {
        Set<Ip> ofOthers = isTaking() ? ofOthers(MarkedAddresses.all()) : Set.of();
        verdicts.forEach((ip, verdict) -> {
            if (verdict instanceof Announces announces) {
                take(ip, announces.link(), ofOthers, now);
            }
        });
        bound.forEach((ip, one) -> {
            if (one.ends == 0 && !(verdicts.get(ip) instanceof Announces)) {
                release(ip, one, now);
            }
        });
    }

    private boolean isTaking() {
        return verdicts.entrySet().stream()
                .anyMatch(entry ->
                        entry.getValue() instanceof Announces announces && !isBound(entry.getKey(), announces.link()));
    }

    private boolean isBound(Ip ip, String link) {
        Bound one = bound.get(ip);
        return one != null && one.link.equals(link);
    }

    private void take(Ip ip, String link, Set<Ip> ofOthers, long now) {
        Integer index = links.now().indexes().get(link);
        Bound before = bound.get(ip);
        if (index == null) {
            return;
        }
        if (before != null && before.index == index) {
            if (before.ends > 0) {
                before.ends = 0;
                before.tellings.begin(now);
            }
            return;
        }
        if (ofOthers.contains(ip)) {
            leaveToOthers(refusals.onHost(ip));
            return;
        }
        try {
            if (before != null) {
                MarkedAddresses.remove(before.address, before.index);
                bound.remove(ip);
            }
            if (!MarkedAddresses.add(inet(ip), index)) {
                leaveToOthers(refusals.onHost(ip));
                return;
            }
            bound.put(ip, new Bound(ip, link, index, now));
            metrics.taken.inc();
            LOG.info("{} {}", ip, Objects.requireNonNull(verdicts.get(ip)).sentence());
        } catch (MarkedAddresses.NoInterfaceException gone) {
            links.change();
        } catch (IOException failure) {
            fail(failure);
            leaveToOthers(refusals.byKernel(ip, now));
        }
    }

    /** They are told in the next round, and let go of nothing before. */
    private void leaveToOthers(boolean isNews) {
        if (isNews) {
            due.release();
        }
    }

    private void release(Ip ip, Bound one, long now) {
        Verdict verdict = verdicts.get(ip);
        boolean hasHeir = verdict instanceof Silent silent && !silent.owner().isEmpty();
        one.ends = now + (hasHeir ? LINGER : 0);
        LOG.info("{} is given up: {}", ip, verdict == null ? "nobody asks for it" : verdict.sentence());
    }

    private void takeOff(long now) {
        bound.entrySet().removeIf(entry -> {
            Bound one = entry.getValue();
            if (one.ends == 0 || one.ends > now) {
                return false;
            }
            try {
                MarkedAddresses.remove(one.address, one.index);
                metrics.released.inc();
                return true;
            } catch (IOException | RuntimeException failure) {
                fail(failure);
                one.ends = now + Pace.LOOK_AGAIN;
                return false;
            }
        });
    }

    /** Those of an earlier process, too, if this one has never come to decide about them. */
    private void takeOffUnknown() {
        try {
            for (Held held : MarkedAddresses.all()) {
                if (held.isMarked()) {
                    takeOff(held);
                }
            }
        } catch (IOException failure) {
            fail(failure);
        }
    }

    /** One that cannot be taken off keeps no other on the node. */
    private void takeOff(Held held) {
        try {
            MarkedAddresses.remove(held.address(), held.index());
        } catch (IOException failure) {
            fail(failure);
        }
    }

    private static InetAddress inet(Ip ip) {
        return InetAddress.ofLiteral(ip.toString());
    }

    private void tell(long now) {
        Map<String, List<String>> byLink = new HashMap<>();
        bound.forEach((ip, one) -> {
            if (one.ends == 0 && one.tellings.next() <= now) {
                one.tellings.told();
                byLink.computeIfAbsent(one.link, _ -> new ArrayList<>()).add(ip.toString());
                count(ip, "told");
            }
        });
        PerLink.send(byLink, Neighbours::tell, this::fail);
    }

    private void probe(long now) {
        long pause = standing.isDecided ? PROBE : PROBE_IN_DOUBT;
        Map<String, List<String>> byLink = new HashMap<>();
        bound.forEach((ip, one) -> {
            if (one.ends == 0 && now - one.probed >= pause) {
                one.probed = now;
                byLink.computeIfAbsent(one.link, _ -> new ArrayList<>()).add(ip.toString());
                count(ip, "asked");
            }
        });
        PerLink.send(byLink, Neighbours::probe, this::fail);
    }

    private void count(Ip ip, String kind) {
        metrics.told.labels(ip.family() == IpFamily.IPV4 ? "arp" : "ndp", kind).inc();
    }

    /** A line for each address, human-readable: whether this node announces it, and why. */
    synchronized String explained() {
        return verdicts.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue().sentence()
                        + Optional.ofNullable(conflicts.claimant(inet(entry.getKey())))
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
            others.become(new Agent(false, contact.now(), false, links.now().links()));
        }
        others.awaitHeard(LINGER);
        Thread.sleep(LINGER);
        synchronized (this) {
            bound.values().forEach(one -> one.ends = 1);
            takeOff(now());
            takeOffUnknown();
        }
    }
}
