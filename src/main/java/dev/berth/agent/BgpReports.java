package dev.berth.agent;

import dev.berth.agent.bgp.SessionState;
import dev.berth.announce.PeerVerdict;
import dev.berth.announce.Route;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes what this node has to say into the status of each BGPPeer, if that is not what it says. A thread of its own: an API
 * server that does not answer must hold up no route.
 */
final class BgpReports {
    private static final long PAUSE = 1_000;

    /** How often a status is written in which only the number of routes is another. */
    private static final long ROUTES_AGAIN = 30_000;

    private final String node;
    private final ApiServer server;
    private final ClusterView cluster;
    private final BgpView view;
    private final InstantSource clock;
    private final Warnings warnings;

    /** When each peer's status was written last. */
    private final Map<String, Long> written = new HashMap<>();

    private volatile @Nullable SequencedMap<String, Said> said;
    private volatile boolean closed;

    /** What is so now of one peer. {@code routes}: -1, there is no session. */
    record Said(String state, String lastError, int routes) {
        /** Of what was decided about a peer, and what came of it. */
        static Said of(String name, PeerVerdict verdict, @Nullable SessionState session, List<Route> routes) {
            return switch (verdict) {
                case PeerVerdict.Unusable(String why) -> new Said(PeerStatus.UNUSABLE, why, -1);
                case PeerVerdict.Session(var peer, String _) -> {
                    if (session == null || !session.isEstablished()) {
                        String ending = session == null ? "" : session.ending();
                        yield new Said(
                                PeerStatus.CONNECTING,
                                ending.isEmpty()
                                        ? "%s does not answer at port %d".formatted(peer.address(), peer.port())
                                        : ending,
                                -1);
                    }
                    long told = routes.stream()
                            .filter(route -> route.peers().contains(name))
                            .count();
                    yield new Said(PeerStatus.ESTABLISHED, session.ending(), (int) told);
                }
            };
        }

        private PeerStatus.Node entry(String node, Optional<PeerStatus.Node> before, String now) {
            String since = before.filter(one -> one.state().equals(state))
                    .map(PeerStatus.Node::since)
                    .orElse(now);
            return new PeerStatus.Node(node, state, since, routes, lastError);
        }
    }

    BgpReports(
            String node, ApiServer server, ClusterView cluster, BgpView view, InstantSource clock, Warnings warnings) {
        this.node = node;
        this.server = server;
        this.cluster = cluster;
        this.view = view;
        this.clock = clock;
        this.warnings = warnings;
    }

    void start() {
        Thread.ofPlatform().daemon().name("bgp-reports").start(this::run);
    }

    void close() {
        closed = true;
    }

    /** This is so from now on. Does not wait for anything. */
    void now(SequencedMap<String, PeerVerdict> peers, SequencedMap<String, SessionState> sessions, List<Route> routes) {
        SequencedMap<String, Said> next = new TreeMap<>();
        peers.forEach((name, verdict) -> next.put(name, Said.of(name, verdict, sessions.get(name), routes)));
        said = next;
    }

    private void run() {
        try {
            while (!closed) {
                SequencedMap<String, Said> now = said;
                if (now != null) {
                    attempt(now);
                }
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void attempt(SequencedMap<String, Said> now) throws InterruptedException {
        try {
            report(now);
        } catch (RuntimeException failure) {
            warnings.warn("status of BGPPeers: " + ApiServer.message(failure));
        }
    }

    private void report(SequencedMap<String, Said> now) throws InterruptedException {
        Set<String> nodes = cluster.nodes().keySet();
        for (BgpView.PeerObject peer : view.peers()) {
            String name = peer.peer().name();
            PeerStatus before = peer.status();
            Optional<PeerStatus.Node> mine = before.of(node);
            String time = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
            Optional<PeerStatus.Node> entry =
                    Optional.ofNullable(now.get(name)).map(one -> one.entry(node, mine, time));
            PeerStatus next = before.next(node, isSoon(name, mine, entry) ? mine : entry, nodes, time);
            if (!next.equals(before)) {
                write(name, next.patch(peer.resourceVersion()));
            }
        }
    }

    private boolean isSoon(String name, Optional<PeerStatus.Node> before, Optional<PeerStatus.Node> now) {
        return before.isPresent()
                && now.filter(before.get()::isAlmost).isPresent()
                && millis() - written.getOrDefault(name, millis() - ROUTES_AGAIN) < ROUTES_AGAIN;
    }

    private static long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private void write(String name, String patch) throws InterruptedException {
        try {
            server.patch(Kind.PEERS.path() + "/" + name + "/status", patch);
            written.put(name, millis());
        } catch (ApiServer.Refused refused) {
            // Another agent was first, or somebody has deleted it: what there is now comes by the watch.
            if (refused.code() != HttpURLConnection.HTTP_CONFLICT
                    && refused.code() != HttpURLConnection.HTTP_NOT_FOUND) {
                warnings.warn("status of BGPPeer " + name + ": " + refused.getMessage());
            }
        } catch (IOException failure) {
            warnings.warn("status of BGPPeer " + name + ": " + ApiServer.message(failure));
        }
    }
}
