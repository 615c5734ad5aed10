package dev.berth.controller.bgppeer;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.BGPPeer.NodeSession;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.kube.Cache;
import dev.berth.kube.Conditions;
import dev.berth.loadbalancer.Condition.Status;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Keeps the part of a BGPPeer's status that is of all nodes. The entries of nodes are their agents' own, but that of a Node
 * which is gone: nobody else removes it. Free of the operator SDK.
 */
public final class PeerControl {
    /** How often a status is written: the sessions of 100 nodes that come up at once are not 100 writes. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    /** How often it is looked whose agent is gone: nothing tells of that. */
    static final Duration LOOK = Duration.ofSeconds(30);

    private final StartGate gate;
    private final Predicate<String> nodes;
    private final Writes writes;
    private final InstantSource clock;
    private final InstantSource steady;
    private final Map<String, Instant> written = new ConcurrentHashMap<>();
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
    }

    /**
     * Wires it.
     *
     * @param nodes whether there is a Node of this name; asked once the gate is open
     * @param clock what time it is, for what others read
     * @param steady how time passes: nobody sets it forward or back
     */
    public PeerControl(
            StartGate gate, Predicate<String> nodes, Writes writes, InstantSource clock, InstantSource steady) {
        this.gate = gate;
        this.nodes = nodes;
        this.writes = writes;
        this.clock = clock;
        this.steady = steady;
    }

    void peers(Cache<BGPPeer> cache) {
        peers = cache;
    }

    /** Brings the status of the peer of this name up to date. */
    Next reconcile(String name) {
        gate.await();
        Optional<BGPPeer> found = peers.get(null, name);
        if (found.isEmpty()) {
            written.remove(name);
            return Next.ON_EVENT;
        }
        BGPPeer peer = found.get();
        List<NodeSession> sessions = sessions(peer);
        List<Map<String, Object>> operations = operations(sessions);
        Map<String, Object> summary = summary(peer, PeerSummary.of(sessions));
        if (operations.isEmpty() && summary.isEmpty()) {
            return sessions.isEmpty() ? Next.ON_EVENT : Next.after(LOOK);
        }
        Instant now = steady.instant();
        Instant before = written.get(name);
        if (before != null && now.isBefore(before.plus(PAUSE))) {
            return Next.after(Duration.between(now, before.plus(PAUSE)));
        }
        written.put(name, now);
        // What follows from other entries is written once they are seen.
        boolean isDone = operations.isEmpty() ? writes.summary(peer, summary) : writes.entries(peer, operations);
        return Next.after(isDone ? LOOK : PAUSE);
    }

    private static List<NodeSession> sessions(BGPPeer peer) {
        BGPPeer.Status status = peer.getStatus();
        List<NodeSession> sessions = status == null ? null : status.nodes();
        return sessions == null ? List.of() : sessions;
    }

    /** From the last one to the first, so that none moves before its turn. */
    private List<Map<String, Object>> operations(List<NodeSession> sessions) {
        List<Map<String, Object>> operations = new ArrayList<>();
        for (int place = sessions.size() - 1; place >= 0; place--) {
            String node = sessions.get(place).node();
            if (!nodes.test(node)) {
                String path = "/status/nodes/" + place;
                operations.add(Map.of("op", "test", "path", path + "/node", "value", node));
                operations.add(Map.of("op", "remove", "path", path));
            }
        }
        return operations;
    }

    /** The fields that are to be written; empty: they are as they should be. */
    private Map<String, Object> summary(BGPPeer peer, PeerSummary summary) {
        BGPPeer.Status before = peer.getStatus();
        long generation = Objects.requireNonNullElse(peer.getMetadata().getGeneration(), 0L);
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
