package dev.berth.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The status of a BGPPeer. All agents write it, each its own node's part, and what follows from all parts.
 *
 * @param generation of the object
 * @param observed the generation that the status is of; 0: there is no status
 * @param nodes by name
 */
record PeerStatus(long generation, long observed, List<Node> nodes, Optional<Ready> ready) {
    static final String ESTABLISHED = "Established";
    static final String CONNECTING = "Connecting";
    static final String UNUSABLE = "Unusable";

    /** How many nodes a message names. */
    private static final int NAMED = 3;

    /** Of an error; the schema allows as much. */
    private static final int LONGEST = 512;

    /**
     * The session of a node.
     *
     * @param since as Kubernetes writes times
     * @param routes -1: there is no session
     * @param lastError empty: none
     */
    record Node(String name, String state, String since, int routes, String lastError) {
        Node {
            lastError = lastError.length() <= LONGEST ? lastError : lastError.substring(0, LONGEST);
        }

        Node withRoutes(int other) {
            return new Node(name, state, since, other, lastError);
        }

        /** Whether nothing but the number of routes differs. */
        boolean isAlmost(Node other) {
            return equals(other.withRoutes(routes));
        }
    }

    /** The condition Ready. {@code since}: when its status changed last. */
    record Ready(boolean isTrue, String reason, String message, String since) {}

    PeerStatus {
        nodes = List.copyOf(nodes);
    }

    static PeerStatus read(JsonNode object) {
        JsonNode status = object.path("status");
        return new PeerStatus(
                object.path("metadata").path("generation").asLong(0),
                status.path("observedGeneration").asLong(0),
                status.path("nodes")
                        .valueStream()
                        .map(node -> new Node(
                                node.path("node").asText(""),
                                node.path("state").asText(""),
                                node.path("since").asText(""),
                                node.path("routes").asInt(-1),
                                node.path("lastError").asText("")))
                        .toList(),
                status.path("conditions")
                        .valueStream()
                        .filter(condition -> condition.path("type").asText("").equals("Ready"))
                        .findFirst()
                        .map(condition -> new Ready(
                                condition.path("status").asText("").equals("True"),
                                condition.path("reason").asText(""),
                                condition.path("message").asText(""),
                                condition.path("lastTransitionTime").asText(""))));
    }

    /** What it says of a node. */
    Optional<Node> of(String node) {
        return nodes.stream().filter(one -> one.name().equals(node)).findFirst();
    }

    /**
     * The status to be, after one node's part is another; equal to this one if nothing changes.
     *
     * @param mine absent: the node has no such peer
     * @param there the names of all Nodes; of others nothing is said any more
     * @param now as Kubernetes writes times
     */
    PeerStatus next(String self, Optional<Node> mine, Set<String> there, String now) {
        List<Node> all = Stream.concat(
                        nodes.stream().filter(one -> !one.name().equals(self) && there.contains(one.name())),
                        mine.stream())
                .sorted(Comparator.comparing(Node::name))
                .toList();
        Ready next = ready(all, now);
        boolean isSame =
                ready.filter(before -> before.isTrue() == next.isTrue()).isPresent();
        return new PeerStatus(
                generation,
                generation,
                all,
                Optional.of(new Ready(
                        next.isTrue(),
                        next.reason(),
                        next.message(),
                        isSame ? ready.map(Ready::since).orElse(now) : now)));
    }

    private static Ready ready(List<Node> nodes, String now) {
        if (nodes.isEmpty()) {
            return new Ready(
                    false,
                    "NoNode",
                    "no node has such a session: spec.nodeSelector selects none, or no agent that has a speaker runs",
                    now);
        }
        String count = "%s nodes have a session".formatted(sessions(nodes, " of "));
        List<Node> failing =
                nodes.stream().filter(node -> !node.state().equals(ESTABLISHED)).toList();
        if (failing.isEmpty()) {
            return new Ready(true, ESTABLISHED, count, now);
        }
        String named = failing.stream()
                .limit(NAMED)
                .map(node -> node.name() + ": " + (node.lastError().isEmpty() ? "no answer yet" : node.lastError()))
                .collect(Collectors.joining("; "));
        boolean isUnusable = failing.stream().anyMatch(node -> node.state().equals(UNUSABLE));
        return new Ready(
                false,
                isUnusable ? UNUSABLE : "NotEstablished",
                count + "; " + named + (failing.size() > NAMED ? "; and " + (failing.size() - NAMED) + " more" : ""),
                now);
    }

    private static String sessions(List<Node> nodes, String of) {
        long established =
                nodes.stream().filter(node -> node.state().equals(ESTABLISHED)).count();
        return established + of + nodes.size();
    }

    /** As a merge patch of an object of this version. */
    String patch(String resourceVersion) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata").put("resourceVersion", resourceVersion);
        ObjectNode status = patch.putObject("status");
        status.put("observedGeneration", observed);
        status.put("sessions", sessions(nodes, "/"));
        ArrayNode parts = status.putArray("nodes");
        for (Node node : nodes) {
            ObjectNode part = parts.addObject();
            part.put("node", node.name()).put("state", node.state()).put("since", node.since());
            if (node.routes() >= 0) {
                part.put("routes", node.routes());
            }
            if (!node.lastError().isEmpty()) {
                part.put("lastError", node.lastError());
            }
        }
        ArrayNode conditions = status.putArray("conditions");
        ready.ifPresent(one -> conditions
                .addObject()
                .put("type", "Ready")
                .put("status", one.isTrue() ? "True" : "False")
                .put("reason", one.reason())
                .put("message", one.message())
                .put("lastTransitionTime", one.since())
                .put("observedGeneration", observed));
        return patch.toString();
    }
}
