package dev.berth.agent;

import dev.berth.agent.bgp.SessionState;
import dev.berth.agent.bgp.Speaker;
import dev.berth.agent.bgp.Wanted;
import dev.berth.announce.Agent;
import dev.berth.announce.BgpPeer;
import dev.berth.announce.NextHops;
import dev.berth.announce.NodeFacts;
import dev.berth.announce.NodeReport;
import dev.berth.announce.NodeRoutes;
import dev.berth.announce.NodesAndAgents;
import dev.berth.announce.OwnNode;
import dev.berth.announce.PeerLink;
import dev.berth.announce.PeerVerdict;
import dev.berth.announce.Protocol;
import dev.berth.announce.ReadPeer;
import dev.berth.announce.Rendezvous;
import dev.berth.announce.Route;
import dev.berth.announce.RouteVerdict;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has this node's speaker announce the addresses that the node can deliver. One thread. */
final class BgpAnnouncer {
    private static final Logger LOG = LoggerFactory.getLogger(BgpAnnouncer.class);

    private final String node;
    private final ClusterView cluster;
    private final BgpView view;
    private final Supplier<SequencedMap<String, Agent>> others;
    private final Runnable changed;
    private final Speaker speaker;
    private final Reports reports;
    private final AgentMetrics metrics;
    private final Convergence convergence;
    private final Warnings warnings;

    private final PeerLinks links;
    private final PacedLoop due = new PacedLoop();
    private volatile Decision decision =
            new Decision(List.of(), "", new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), List.of());
    private volatile Map<String, SessionState> sessions = Map.of();

    private Reported reported = new Reported(decision, sessions, Map.of());

    private volatile boolean isReached;
    private volatile boolean isEnding;

    /**
     * What was decided.
     *
     * @param basis what it goes by: the same is not decided twice
     * @param choice of next hops; empty: there was none
     * @param shared as {@link NodeRoutes#shared} has them
     * @param routes of all verdicts
     */
    private record Decision(
            List<Object> basis,
            String choice,
            SequencedMap<String, PeerVerdict> peers,
            SequencedMap<String, List<IpFamily>> shared,
            SequencedMap<Ip, RouteVerdict> verdicts,
            List<Route> routes) {
        static Decision of(
                List<Object> basis,
                String choice,
                SequencedMap<String, PeerVerdict> peers,
                SequencedMap<String, List<IpFamily>> shared,
                SequencedMap<Ip, RouteVerdict> verdicts) {
            List<Route> routes = Route.merged(verdicts.values().stream()
                    .filter(RouteVerdict.Announces.class::isInstance)
                    .map(verdict -> ((RouteVerdict.Announces) verdict).route())
                    .toList());
            return new Decision(basis, choice, peers, shared, verdicts, routes);
        }
    }

    /**
     * What was reported last is made from these.
     *
     * @param observed the generation of each peer that the speaker was configured with
     */
    private record Reported(Decision decision, Map<String, SessionState> sessions, Map<String, Long> observed) {}

    /**
     * What is notified of what is announced.
     *
     * @param peers writes how the sessions are
     * @param addresses writes which addresses this node announces
     */
    record Reports(BgpReports peers, AgentReports addresses) {}

    /**
     * Announces nothing before {@link #start}.
     *
     * @param others the agents of other nodes that live, by node
     * @param changed notified when {@link #sessions} says something else
     */
    BgpAnnouncer(
            AgentParts parts,
            Reports reports,
            BgpView view,
            Speaker speaker,
            Supplier<SequencedMap<String, Agent>> others,
            Runnable changed) {
        this.node = parts.node();
        this.cluster = parts.cluster();
        this.view = view;
        this.others = others;
        this.changed = changed;
        this.speaker = speaker;
        this.reports = reports;
        this.metrics = parts.metrics();
        this.convergence = metrics.convergence("bgp");
        this.warnings = parts.warnings();
        this.links = new PeerLinks(this::look, warnings);
    }

    /** Something may be otherwise: looks at once. Does not wait for what it is doing. */
    void look() {
        convergence.change();
        due.look();
    }

    /** Announces from now on, until {@link #end}. */
    void start() {
        Thread.ofPlatform().daemon().name("bgp").start(this::run);
    }

    private void run() {
        try {
            do {
                due.await();
            } while (round());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** False: it is over. Once a second at least: the speaker may have been restarted. */
    private synchronized boolean round() {
        if (isEnding) {
            return false;
        }
        view.interruptIfSilent();
        // What an earlier process has announced stays until it is known what is asked for.
        if (cluster.isKnown() && view.isKnown()) {
            try {
                announce();
            } catch (IOException | RuntimeException failure) {
                if (isEnding) {
                    return false;
                }
                String why = ApiServer.message(failure);
                warnings.warn("announcing by BGP: " + why);
                isReached = false;
                metrics.speaker(false);
                metrics.sessions.set(0);
                become(decision.peers().keySet().stream()
                        .collect(Collectors.toMap(name -> name, _ -> SessionState.none(why))));
                report(reported.observed());
            }
        }
        return true;
    }

    private void announce() throws IOException {
        convergence.begin();
        // First: what is read after it may be newer, and is decided about again.
        long number = cluster.number();
        OwnNode own = view.node();
        List<BgpView.PeerObject> objects = view.peers();
        List<ReadPeer> all = objects.stream().map(BgpView.PeerObject::peer).toList();
        List<Ip> foreign = foreign(all);
        List<String> interfaces = onInterfaces(all, own);
        Optional<IOException> unasked = links.adopt(interfaces, speaker::routers);
        Map<String, PeerLink> known = links.look(interfaces);
        NodesAndAgents situation = situation();
        List<Object> basis = List.of(number, situation.agents(), own, view.passwords(), foreign, known, all);
        if (!basis.equals(decision.basis())) {
            decide(basis, situation, own, foreign, known, all);
        }
        if (unasked.isPresent()) {
            // Only now: it is said of each peer that was decided about.
            throw unasked.get();
        }
        List<Route> routes = decision.routes();
        List<PeerVerdict.Session> wanted =
                nodeRoutes(situation, own, decision.peers()).sessions();
        metrics.peers.set(decision.peers().size());
        Map<String, SessionState> before = sessions;
        become(speaker.bring(new Wanted(routerId(own), wanted, routes, ipv6(own))));
        convergence.end(routes);
        Map<String, Long> observed =
                objects.stream().collect(Collectors.toMap(one -> one.peer().name(), BgpView.PeerObject::generation));
        isReached = true;
        metrics.speaker(true);
        metrics.sessions.set((double)
                sessions.values().stream().filter(SessionState::isEstablished).count());
        sessions.forEach((name, state) -> say(name, before.get(name), state));
        report(observed);
    }

    /** Does nothing if all is as it was: there may be many routes, and this is called every second. */
    private void report(Map<String, Long> observed) {
        Reported now = new Reported(decision, sessions, observed);
        if (now.equals(reported)) {
            return;
        }
        reported = now;
        reports.peers().now(decision.peers(), sessions, decision.routes(), observed);
        SequencedMap<Ip, RouteVerdict> verdicts = decision.verdicts();
        Map<String, SessionState> states = sessions;
        metrics.routes.set((double) verdicts.values().stream()
                .filter(verdict -> verdict instanceof RouteVerdict.Announces(Route route) && isTold(route, states))
                .count());
        reports.addresses()
                .now(
                        Protocol.BGP,
                        List.of(verdicts, states),
                        () -> NodeReport.Part.ofBgp(verdicts, route -> isTold(route, states)));
    }

    private static boolean isTold(Route route, Map<String, SessionState> states) {
        return route.peers().stream()
                .anyMatch(peer -> states.containsKey(peer) && states.get(peer).tells(route));
    }

    private static void say(String name, @Nullable SessionState before, SessionState now) {
        boolean was = before != null && before.isEstablished();
        if (was != now.isEstablished()) {
            LOG.info(
                    "BGPPeer {}: the session is {}",
                    name,
                    now.isEstablished() ? "established" : "over" + (now.ending().isEmpty() ? "" : ": " + now.ending()));
        }
    }

    /** The interfaces that peers of this node are on. */
    private static List<String> onInterfaces(List<ReadPeer> all, OwnNode own) {
        return all.stream()
                .flatMap(one -> one.peer().filter(peer -> peer.isFor(own.labels())).stream())
                .flatMap(peer -> peer.router() instanceof BgpPeer.Router.OnInterface(String name)
                        ? Stream.of(name)
                        : Stream.empty())
                .distinct()
                .toList();
    }

    /** The source addresses that are on no interface of this node. */
    private static List<Ip> foreign(List<ReadPeer> all) {
        return all.stream()
                .flatMap(one -> one.peer().flatMap(BgpPeer::source).stream())
                .distinct()
                .filter(source -> !isHere(source))
                .toList();
    }

    private static boolean isHere(Ip address) {
        try {
            return NetworkInterface.getByInetAddress(InetAddress.ofLiteral(address.toString())) != null;
        } catch (SocketException unknown) {
            return true;
        }
    }

    /** Agents come and go: they are in it only if this node is about to leave, and so goes by them. */
    private NodesAndAgents situation() {
        SequencedMap<String, NodeFacts> nodes = cluster.nodes();
        boolean isLeaving =
                Optional.ofNullable(nodes.get(node)).filter(NodeFacts::leaving).isPresent();
        return new NodesAndAgents(nodes, isLeaving ? others.get() : new TreeMap<>());
    }

    private void decide(
            List<Object> basis,
            NodesAndAgents situation,
            OwnNode own,
            List<Ip> foreign,
            Map<String, PeerLink> known,
            List<ReadPeer> all) {
        String choice = NextHops.of(own.addresses()).choice();
        if (!choice.isEmpty() && !choice.equals(decision.choice())) {
            LOG.info("{}", choice);
        }
        SequencedMap<String, PeerVerdict> peers = NodeRoutes.peers(node, own, view.passwords(), foreign, known, all);
        NodeRoutes routes = nodeRoutes(situation, own, peers);
        SequencedMap<Ip, RouteVerdict> verdicts = new TreeMap<>();
        cluster.askedRoutes().forEach(asked -> verdicts.put(asked.address(), routes.verdict(asked)));
        verdicts.forEach((address, verdict) -> {
            RouteVerdict before = decision.verdicts().get(address);
            if (!verdict.equals(before) && (before != null || verdict instanceof RouteVerdict.Announces)) {
                LOG.info("{} is {}", address, told(verdict));
            }
        });
        peers.forEach((name, verdict) -> {
            if (verdict instanceof PeerVerdict.Unusable(String why)) {
                warnings.warn("BGPPeer " + name + ": " + why);
            }
        });
        decision = Decision.of(basis, choice, peers, routes.shared(), verdicts);
    }

    private static String told(RouteVerdict verdict) {
        return verdict instanceof RouteVerdict.Announces ? verdict.sentence() : "not announced: " + verdict.sentence();
    }

    private NodeRoutes nodeRoutes(NodesAndAgents situation, OwnNode own, SequencedMap<String, PeerVerdict> peers) {
        return new NodeRoutes(node, situation, NextHops.of(own.addresses()).byFamily(), peers);
    }

    /** Says how the sessions do from now on. */
    private void become(Map<String, SessionState> now) {
        SequencedMap<String, List<IpFamily>> before = sessions();
        sessions = now;
        if (!before.equals(sessions())) {
            changed.run();
        }
    }

    /** As {@link Agent#sessions}: of the families that both sides have. */
    SequencedMap<String, List<IpFamily>> sessions() {
        Map<String, SessionState> states = sessions;
        SequencedMap<String, List<IpFamily>> told = new TreeMap<>();
        decision.shared().forEach((peer, families) -> {
            List<IpFamily> negotiated = Optional.ofNullable(states.get(peer))
                    .filter(SessionState::isEstablished)
                    .map(SessionState::families)
                    .orElse(List.of());
            List<IpFamily> both = families.stream().filter(negotiated::contains).toList();
            if (!both.isEmpty() && told.size() < Agent.MOST_SESSIONS) {
                told.put(peer, both);
            }
        });
        return told;
    }

    private static Optional<Ip> ipv6(OwnNode own) {
        return own.addresses().stream()
                .filter(address -> address.family() == IpFamily.IPV6)
                .findFirst();
    }

    /** The node's IPv4 address; if it has none, a number out of its name. */
    private Ip routerId(OwnNode own) {
        return own.addresses().stream()
                .filter(address -> address.family() == IpFamily.IPV4)
                .findFirst()
                .orElseGet(() -> {
                    long rank = Rendezvous.rank("router ID", node);
                    // No network begins with 0 or with more than 223.
                    return Ip.parse("%d.%d.%d.%d"
                            .formatted(
                                    1 + Long.remainderUnsigned(rank >>> 24, 223),
                                    rank >>> 16 & 0xFF,
                                    rank >>> 8 & 0xFF,
                                    rank & 0xFF));
                });
    }

    /** Whether the speaker did last as it was told. */
    boolean isReached() {
        return isReached;
    }

    /** A line for each address, human-readable: whether this node announces it, and why. */
    String explained() {
        return decision.verdicts().entrySet().stream()
                .map(entry -> entry.getKey() + ": " + explained(entry.getValue()) + "\n")
                .collect(Collectors.joining());
    }

    private String explained(RouteVerdict verdict) {
        return verdict instanceof RouteVerdict.Announces(Route route)
                ? verdict.sentence()
                        + named("; not negotiated, so not announced to: ", untold(route, true))
                        + named("; no session, so not announced to: ", untold(route, false))
                : verdict.sentence();
    }

    /** The peers of a route whose routers are not told it. */
    private List<String> untold(Route route, boolean haveSession) {
        Map<String, SessionState> states = sessions;
        return route.peers().stream()
                .filter(peer -> {
                    SessionState state = states.get(peer);
                    return state == null ? !haveSession : state.isEstablished() == haveSession && !state.tells(route);
                })
                .toList();
    }

    private static String named(String before, List<String> peers) {
        return peers.isEmpty() ? "" : before + String.join(", ", peers);
    }

    /** Takes all routes back, if the speaker answers within this time. */
    void end(Duration patience) {
        isEnding = true;
        due.look();
        // It may be in the middle of a round, and not answer.
        speaker.stop();
        synchronized (this) {
            speaker.withdraw(patience);
            speaker.close();
            links.close();
        }
    }
}
