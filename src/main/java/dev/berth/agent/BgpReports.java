package dev.berth.agent;

import dev.berth.agent.bgp.SessionState;
import dev.berth.announce.PeerVerdict;
import dev.berth.announce.Route;
import dev.berth.ip.IpFamily;
import dev.berth.kube.FieldManagers;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Writes what this node has to say into its entry in the status of each BGPPeer, if that is not what it says. A thread of its own: an API
 * server that does not answer must hold up no route.
 */
final class BgpReports {
    private static final long PAUSE = 1_000;

    private static final List<Integer> UNREMARKABLE =
            List.of(HttpURLConnection.HTTP_CONFLICT, HttpURLConnection.HTTP_NOT_FOUND, 429);

    private final String node;
    private final ApiServer server;
    private final ClusterView cluster;
    private final BgpView view;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Warnings warnings;

    private final Renewal renewal;

    /** By the name of the peer. */
    private final Map<String, EntryWrites> writes = new HashMap<>();

    private volatile @Nullable SequencedMap<String, LastReported> said;
    /** The peers that may have an entry of this process, which has not been seen yet. */
    private final Set<String> entered = ConcurrentHashMap.newKeySet();

    private final OrderedWrites ordered = new OrderedWrites();

    /**
     * What is so now of one peer.
     *
     * @param routes -1: there is no session
     * @param families that were negotiated; empty: there is no session
     */
    record LastReported(String state, String lastError, int routes, List<IpFamily> families, long observed) {
        /** Of what was decided about a peer, and what came of it. */
        static LastReported of(
                String name, PeerVerdict verdict, @Nullable SessionState session, List<Route> routes, long observed) {
            return switch (verdict) {
                case PeerVerdict.Unusable(String why) ->
                    new LastReported(PeerEntry.UNUSABLE, why, -1, List.of(), observed);
                case PeerVerdict.Unheard(String why) ->
                    new LastReported(PeerEntry.CONNECTING, why, -1, List.of(), observed);
                case PeerVerdict.Session wanted -> {
                    if (session == null || !session.isEstablished()) {
                        String ending = session == null ? "" : session.ending();
                        yield new LastReported(
                                PeerEntry.CONNECTING,
                                ending.isEmpty() ? noAnswer(wanted) : ending,
                                -1,
                                List.of(),
                                observed);
                    }
                    long told = routes.stream()
                            .filter(route -> route.peers().contains(name) && session.tells(route))
                            .count();
                    yield new LastReported(
                            PeerEntry.ESTABLISHED, session.ending(), (int) told, session.families(), observed);
                }
            };
        }

        private static String noAnswer(PeerVerdict.Session wanted) {
            return "%s does not answer at port %d, or rejects the session%s"
                    .formatted(
                            wanted.router(),
                            wanted.peer().port(),
                            wanted.peer().password().isPresent() ? ", or its password is another" : "");
        }

        PeerEntry entry(String node, String now) {
            return new PeerEntry(node, state, now, routes, lastError, families, observed);
        }
    }

    BgpReports(AgentParts parts, BgpView view, Renewal renewal, InstantSource clock) {
        this.node = parts.node();
        this.server = parts.server();
        this.cluster = parts.cluster();
        this.view = view;
        this.clock = clock;
        this.random = parts.random();
        this.renewal = renewal;
        this.warnings = parts.warnings();
    }

    void start() {
        Thread.ofPlatform().daemon().name("bgp-reports").start(this::run);
    }

    /** Takes the entries of this node away, as far as the API server answers in this time: nothing is announced any more. */
    void close(Duration patience) {
        try {
            ordered.last(patience, () -> removeEntries(patience));
        } catch (IOException failure) {
            warnings.warn("status of BGPPeers: " + ApiServer.message(failure));
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private void removeEntries(Duration patience) throws InterruptedException {
        long end = millis() + patience.toMillis();
        for (BgpView.PeerObject peer : view.peers()) {
            String name = peer.peer().name();
            long left = end - millis();
            if ((peer.seen().mine().isPresent() || entered.contains(name)) && left > 0) {
                try {
                    server.apply(
                            path(name),
                            FieldManagers.agent(node),
                            PeerEntry.applied(name, Optional.empty()),
                            Duration.ofMillis(left));
                } catch (IOException failure) {
                    warnings.warn("status of BGPPeer " + name + ": " + ApiServer.message(failure));
                }
            }
        }
    }

    private static String path(String peer) {
        return WatchedKind.PEERS.path() + "/" + peer + "/status";
    }

    /**
     * This is so from now on. Does not wait for anything.
     *
     * @param observed which generation of each peer it is of; none: of no one yet
     */
    void now(
            SequencedMap<String, PeerVerdict> peers,
            Map<String, SessionState> sessions,
            List<Route> routes,
            Map<String, Long> observed) {
        SequencedMap<String, LastReported> next = new TreeMap<>();
        peers.forEach((name, verdict) -> next.put(
                name, LastReported.of(name, verdict, sessions.get(name), routes, observed.getOrDefault(name, 0L))));
        said = next;
    }

    private void run() {
        try {
            while (!ordered.isOver()) {
                SequencedMap<String, LastReported> now = said;
                if (now != null) {
                    attempt(now);
                }
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void attempt(SequencedMap<String, LastReported> now) throws InterruptedException {
        try {
            report(now);
        } catch (RuntimeException failure) {
            warnings.warn("status of BGPPeers: " + ApiServer.message(failure));
        }
    }

    /** One round; called by one thread. */
    void report(SequencedMap<String, LastReported> now) throws InterruptedException {
        // Of a Node that is gone the operator removes the entries.
        if (!cluster.nodes().containsKey(node)) {
            return;
        }
        // Before entries: one that is written is of an agent that lives.
        renewal.renew();
        List<BgpView.PeerObject> peers = view.peers();
        String time = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        for (BgpView.PeerObject peer : peers) {
            if (ordered.isOver()) {
                return;
            }
            String name = peer.peer().name();
            EntryWrites pacing = writes.computeIfAbsent(name, _ -> new EntryWrites(random));
            Optional<PeerEntry> wanted = Optional.ofNullable(now.get(name)).map(one -> one.entry(node, time));
            Optional<EntryWrites.Write> due = pacing.due(wanted, peer.seen(), millis());
            if (due.isPresent()) {
                write(name, due.get(), pacing);
            }
        }
        writes.keySet().retainAll(peers.stream().map(one -> one.peer().name()).toList());
    }

    private static long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private void write(String name, EntryWrites.Write write, EntryWrites pacing) throws InterruptedException {
        try {
            ordered.next(() -> {
                if (write.entry().isPresent()) {
                    entered.add(name);
                }
                server.apply(
                        path(name),
                        FieldManagers.agent(node),
                        PeerEntry.applied(name, write.entry()),
                        ApiServer.ANSWER);
                pacing.wrote(write, millis());
            });
        } catch (ApiServer.Refused refused) {
            pacing.failed(millis());
            // Too many write at once, or somebody has deleted it, which comes by the watch.
            if (!UNREMARKABLE.contains(refused.code())) {
                warnings.warn("status of BGPPeer " + name + ": " + refused.getMessage());
            }
        } catch (IOException failure) {
            pacing.failed(millis());
            warnings.warn("status of BGPPeer " + name + ": " + ApiServer.message(failure));
        }
    }
}
