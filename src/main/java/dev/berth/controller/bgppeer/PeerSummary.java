package dev.berth.controller.bgppeer;

import dev.berth.api.v1alpha1.BGPPeer.NodeSession;
import java.util.List;
import java.util.Objects;
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

    /** @param nodes in any order */
    static PeerSummary of(List<NodeSession> nodes) {
        if (nodes.isEmpty()) {
            return new PeerSummary(
                    "0/0",
                    false,
                    "NoNode",
                    "no node has such a session: spec.nodeSelector selects none, or no agent that has a speaker runs");
        }
        List<NodeSession> failing = nodes.stream()
                .filter(node -> !isEstablished(node))
                .sorted(NodeSession.BY_NAME)
                .toList();
        int established = nodes.size() - failing.size();
        String sessions = established + "/" + nodes.size();
        String count = "%d of %d nodes have a session".formatted(established, nodes.size());
        if (failing.isEmpty()) {
            return new PeerSummary(sessions, true, ESTABLISHED, count);
        }
        String reason = Stream.of(UNUSABLE, UNKNOWN)
                .filter(state -> failing.stream().anyMatch(node -> state.equals(node.state())))
                .findFirst()
                .orElse("NotEstablished");
        return new PeerSummary(sessions, false, reason, count + "; " + named(failing));
    }

    private static boolean isEstablished(NodeSession node) {
        return ESTABLISHED.equals(node.state());
    }

    private static String named(List<NodeSession> nodes) {
        int more = nodes.size() - NAMED;
        return nodes.stream()
                        .limit(NAMED)
                        .map(node -> node.node() + ": " + Objects.requireNonNullElse(node.lastError(), "no answer yet"))
                        .collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : "");
    }
}
