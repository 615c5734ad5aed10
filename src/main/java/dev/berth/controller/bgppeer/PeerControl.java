package dev.berth.controller.bgppeer;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.BGPPeer.NodeSession;
import dev.berth.controller.Heartbeats;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.kube.Cache;
import dev.berth.kube.Conditions;
import dev.berth.loadbalancer.Condition.Status;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the part of a BGPPeer's status that is of all nodes. The entries of nodes are their agents' own, but those of which there
 * is no agent: of a Node that is gone it is removed, of an agent that is not heard of it says so. Free of the operator SDK.
 */
public final class PeerControl {
    /** How often a status is written: the sessions of 100 nodes that come up at once are not 100 writes. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    /** How often it is looked whose agent is gone: no event reports that. */
    static final Duration LOOK = Duration.ofSeconds(30);

    private static final String UNKNOWN = "Unknown";

    private final StartGate gate;
    private final Predicate<String> nodes;
    private final Writes writes;
    private final InstantSource clock;
    private final InstantSource steady;
    private final Map<String, Instant> written = new ConcurrentHashMap<>();
    private final Supplier<Optional<Map<String, String>>> renewals;
    private final Heartbeats heartbeats = new Heartbeats();
    private Instant looked = Instant.MIN;

    /** By peer and node, after which renewal its agent was found silent. Said once: the agent may be there all the same. */
    private final Map<String, String> reported = new ConcurrentHashMap<>();

    /** By the name of the peer, the node whose silent agent was reported last, or could not be. */
    private final Map<String, String> attempted = new ConcurrentHashMap<>();

    private volatile Cache<BGPPeer> peers = Cache.empty();

    /** How a status is written. */
    public interface Writes {
        /**
         * Writes these fields of the status, and no others.
         *
         * @return false if it has to be tried again
         */
        boolean summary(BGPPeer peer, Map<String, Object> fields);

        /**
         * Changes the entries of nodes.
         *
         * @param operations of a JSON patch
         * @return as of {@link #summary}
         */
        boolean entries(BGPPeer peer, List<Map<String, Object>> operations);

        /**
         * Says of one node this and nothing else, as its agent would: what the agent says later takes its place.
         *
         * @return as of {@link #summary}
         */
        boolean entry(BGPPeer peer, NodeSession session);
    }

    /**
     * Reads nothing yet, and writes nothing before the gate opens.
     *
     * @param nodes whether there is a Node of this name; asked once the gate is open
     * @param renewals by node, when its agent has renewed its Lease; absent: not known
     * @param clock what time it is, for what others read
     * @param steady how time passes: nobody sets it forward or back
     */
    public PeerControl(
            StartGate gate,
            Predicate<String> nodes,
            Supplier<Optional<Map<String, String>>> renewals,
            Writes writes,
            InstantSource clock,
            InstantSource steady) {
        this.gate = gate;
        this.nodes = nodes;
        this.renewals = renewals;
        this.writes = writes;
        this.clock = clock;
        this.steady = steady;
    }

    void peers(Cache<BGPPeer> cache) {
        peers = cache;
    }

    /** How many nodes have an entry with this state in the status of a peer, over all peers. */
    public long countSessions(String state) {
        return peers.list()
                .flatMap(peer -> sessions(peer).stream())
                .filter(session -> state.equals(session.state()))
                .count();
    }

    /** Brings the status of the peer of this name up to date. */
    Next reconcile(String name) {
        gate.await();
        Optional<BGPPeer> found = peers.get(null, name);
        if (found.isEmpty()) {
            written.remove(name);
            attempted.remove(name);
            reported.keySet().removeIf(one -> one.startsWith(name + "/"));
            return Next.ON_EVENT;
        }
        BGPPeer peer = found.get();
        List<NodeSession> sessions = sessions(peer);
        if (!sessions.isEmpty()) {
            lookForAgents();
        }
        List<Map<String, Object>> withoutGone = withoutGone(peer);
        List<NodeSession> silent = silent(name, sessions);
        Map<String, Object> summary =
                summary(peer, PeerSummary.of(generation(peer), asked(peer), with(silent, sessions)));
        if (withoutGone.isEmpty() && silent.isEmpty() && summary.isEmpty()) {
            return sessions.isEmpty() ? Next.ON_EVENT : Next.after(LOOK);
        }
        Instant now = steady.instant();
        Instant before = written.get(name);
        if (before != null && now.isBefore(before.plus(PAUSE))) {
            return Next.after(Duration.between(now, before.plus(PAUSE)));
        }
        written.put(name, now);
        // What follows from entries that go is written once they are gone.
        if (!withoutGone.isEmpty()) {
            return Next.after(writes.entries(peer, withoutGone) ? LOOK : PAUSE);
        }
        boolean isDone = summary.isEmpty() || writes.summary(peer, summary);
        if (silent.isEmpty()) {
            return Next.after(isDone ? LOOK : PAUSE);
        }
        // There may be many, and each is written for itself: the summary does not wait for them.
        NodeSession next = next(name, silent);
        if (writes.entry(peer, next)) {
            report(name, next);
        }
        return Next.after(PAUSE);
    }

    /** The families that it names. */
    private static List<String> asked(BGPPeer peer) {
        BGPPeer.Spec spec = peer.getSpec();
        List<String> families = spec == null ? null : spec.families();
        return families == null
                ? List.of()
                : families.stream().filter(Objects::nonNull).toList();
    }

    private static long generation(BGPPeer peer) {
        return Objects.requireNonNullElse(peer.getMetadata().getGeneration(), 0L);
    }

    /** All entries that name a node; another schema may let others in. */
    private static List<NodeSession> sessions(BGPPeer peer) {
        return entries(peer).stream().filter(PeerControl::namesANode).toList();
    }

    /** As they are; one may be null. */
    private static List<NodeSession> entries(BGPPeer peer) {
        BGPPeer.Status status = peer.getStatus();
        List<NodeSession> entries = status == null ? null : status.nodes();
        return entries == null ? List.of() : entries;
    }

    private static boolean namesANode(@Nullable NodeSession entry) {
        return entry != null && entry.node() != null && !entry.node().isEmpty();
    }

    private synchronized void lookForAgents() {
        Instant now = steady.instant();
        if (!looked.isAfter(now.minus(LOOK))) {
            looked = now;
            heartbeats.look(
                    renewals.get(),
                    peers.list()
                            .flatMap(peer -> sessions(peer).stream())
                            .map(NodeSession::node)
                            .distinct()
                            .toList(),
                    now);
        }
    }

    /** From the last one to the first, so that none moves before its turn. */
    private List<Map<String, Object>> withoutGone(BGPPeer peer) {
        List<NodeSession> entries = entries(peer);
        List<Map<String, Object>> operations = new ArrayList<>();
        for (int place = entries.size() - 1; place >= 0; place--) {
            NodeSession entry = entries.get(place);
            if (namesANode(entry) && !nodes.test(entry.node())) {
                String path = "/status/nodes/" + place;
                operations.add(Map.of("op", "test", "path", path + "/node", "value", entry.node()));
                operations.add(Map.of("op", "remove", "path", path));
            }
        }
        return operations;
    }

    /** What the entries whose agents are not heard of are to say, by the names of the nodes. */
    private synchronized List<NodeSession> silent(String name, List<NodeSession> sessions) {
        return sessions.stream()
                .filter(session -> !UNKNOWN.equals(session.state()))
                .flatMap(session -> heartbeats
                        .silentSince(session.node(), steady.instant())
                        .filter(renewed -> !renewed.equals(reported.get(name + "/" + session.node())))
                        .map(renewed -> silent(session.node(), renewed))
                        .stream())
                .sorted(NodeSession.BY_NAME)
                .toList();
    }

    private static List<NodeSession> with(List<NodeSession> silent, List<NodeSession> sessions) {
        Map<String, NodeSession> byNode =
                silent.stream().collect(Collectors.toMap(NodeSession::node, one -> one, (one, _) -> one));
        return sessions.stream()
                .map(session -> byNode.getOrDefault(session.node(), session))
                .toList();
    }

    /** The one after that of the last attempt: one that cannot be written keeps no other back. */
    private NodeSession next(String name, List<NodeSession> silent) {
        String last = attempted.getOrDefault(name, "");
        NodeSession next = silent.stream()
                .filter(session -> session.node().compareTo(last) > 0)
                .findFirst()
                .orElseGet(silent::getFirst);
        attempted.put(name, next.node());
        return next;
    }

    private NodeSession silent(String node, String renewed) {
        return new NodeSession(
                node,
                UNKNOWN,
                clock.instant().truncatedTo(ChronoUnit.SECONDS).toString(),
                null,
                (renewed.isEmpty() ? "its agent has no Lease" : "its agent last renewed its Lease at " + renewed)
                        + "; its speaker, if running, keeps announcing its current routes",
                null,
                null);
    }

    private synchronized void report(String name, NodeSession session) {
        heartbeats
                .silentSince(session.node(), steady.instant())
                .ifPresent(renewed -> reported.put(name + "/" + session.node(), renewed));
    }

    /** The fields that are to be written; empty: they are as they should be. */
    private Map<String, Object> summary(BGPPeer peer, PeerSummary summary) {
        BGPPeer.Status before = peer.getStatus();
        long generation = generation(peer);
        Condition ready = Conditions.of(
                Conditions.of(before),
                Conditions.READY,
                Status.of(summary.isReady()),
                summary.reason(),
                summary.message(),
                generation,
                clock.instant());
        boolean isSame = before != null
                && Objects.equals(before.observedGeneration(), generation)
                && summary.sessions().equals(before.sessions())
                && List.of(ready).equals(before.conditions());
        return isSame
                ? Map.of()
                : Map.of(
                        "observedGeneration", generation, "sessions", summary.sessions(), "conditions", List.of(ready));
    }
}
