package dev.berth.controller.bgppeer;

import dev.berth.api.v1alpha1.BGPPeer.NodeSession;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What follows from the sessions of all nodes.
 *
 * @param sessions how many are established, of how many
 * @param reason of the condition Ready
 * @param message of the condition Ready
 */
record PeerSummary(String sessions, boolean isReady, String reason, String message) {
    private static final String ESTABLISHED = "Established";
    private static final String UNUSABLE = "Unusable";
    private static final String UNKNOWN = "Unknown";

    /** How many nodes a message names. */
    private static final int NAMED = 3;

    /**
     * Of a peer of this generation.
     *
     * @param nodes in any order
     */
    static PeerSummary of(long generation, List<NodeSession> nodes) {
        if (nodes.isEmpty()) {
            return new PeerSummary(
                    "0/0",
                    false,
                    "NoNode",
                    "no node has such a session: spec.nodeSelector selects none, or no agent that has a speaker runs");
        }
        long established = nodes.stream().filter(PeerSummary::isEstablished).count();
        String sessions = established + "/" + nodes.size();
        String count = "%d of %d nodes have a session".formatted(established, nodes.size());
        List<NodeSession> failing = nodes.stream()
                .filter(node -> fault(generation, node).isPresent())
                .sorted(NodeSession.BY_NAME)
                .toList();
        return failing.isEmpty()
                ? new PeerSummary(sessions, true, ESTABLISHED, count)
                : new PeerSummary(sessions, false, reason(failing), count + "; " + named(generation, failing));
    }

    private static boolean isEstablished(NodeSession node) {
        return ESTABLISHED.equals(node.state());
    }

    private static Optional<String> fault(long generation, NodeSession node) {
        if (!isEstablished(node)) {
            return Optional.of(Objects.requireNonNullElse(node.lastError(), "no answer yet"));
        }
        return Objects.equals(node.observedGeneration(), generation)
                ? Optional.empty()
                : Optional.of("has not taken over generation %d yet".formatted(generation));
    }

    private static String reason(List<NodeSession> failing) {
        return Stream.of(UNUSABLE, UNKNOWN)
                .filter(state -> failing.stream().anyMatch(node -> state.equals(node.state())))
                .findFirst()
                .orElse(failing.stream().allMatch(PeerSummary::isEstablished) ? "NotTakenOver" : "NotEstablished");
    }

    private static String named(long generation, List<NodeSession> nodes) {
        int more = nodes.size() - NAMED;
        return nodes.stream()
                        .limit(NAMED)
                        .map(node ->
                                node.node() + ": " + fault(generation, node).orElse(""))
                        .collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : "");
    }
}
