package dev.berth.controller.bgppeer;

import dev.berth.api.v1alpha1.BGPPeer.NodeSession;
import dev.berth.reason.Reason;
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
record PeerSummary(String sessions, boolean isReady, Reason reason, String message) {
    /** Of a session. */
    private static final String ESTABLISHED = "Established";

    private static final List<String> FAMILIES = List.of("IPv4", "IPv6");

    /** How many nodes a message names. */
    private static final int NAMED = 3;

    /**
     * Of a peer of this generation.
     *
     * @param asked the families that it names; empty: both will do, or one
     * @param nodes in any order
     */
    static PeerSummary of(long generation, List<String> asked, List<NodeSession> nodes) {
        if (nodes.isEmpty()) {
            return new PeerSummary(
                    "0/0",
                    false,
                    Reason.NoNode,
                    "no node is configured for this peer: spec.nodeSelector selects none, or no agent with a BGP"
                            + " speaker is running");
        }
        long established = nodes.stream().filter(PeerSummary::isEstablished).count();
        String sessions = established + "/" + nodes.size();
        String count = "%d of %d nodes have a session".formatted(established, nodes.size());
        List<NodeSession> failing = nodes.stream()
                .filter(node -> fault(generation, asked, node).isPresent())
                .sorted(NodeSession.BY_NAME)
                .toList();
        return failing.isEmpty()
                ? new PeerSummary(sessions, true, Reason.Established, count + unnegotiated(nodes))
                : new PeerSummary(
                        sessions, false, reason(generation, failing), count + "; " + named(generation, asked, failing));
    }

    private static boolean isEstablished(NodeSession node) {
        return ESTABLISHED.equals(node.state());
    }

    /** What routers have not agreed to; empty: nothing. */
    private static String unnegotiated(List<NodeSession> nodes) {
        return FAMILIES.stream()
                .map(family -> {
                    long without = nodes.stream()
                            .filter(node -> isWithout(family, node))
                            .count();
                    return without == 0
                            ? ""
                            : "; %s was not negotiated on %d %s"
                                    .formatted(family, without, without == 1 ? "node" : "nodes");
                })
                .collect(Collectors.joining());
    }

    private static boolean isWithout(String family, NodeSession node) {
        List<String> families = node.families();
        return families != null && !families.contains(family);
    }

    private static Optional<String> fault(long generation, List<String> asked, NodeSession node) {
        if (!isEstablished(node)) {
            return Optional.of(Objects.requireNonNullElse(node.lastError(), "no answer yet"));
        }
        if (!isTakenOver(generation, node)) {
            return Optional.of("has not applied generation %d yet".formatted(generation));
        }
        if (FAMILIES.stream().allMatch(family -> isWithout(family, node))) {
            return Optional.of("no address family was negotiated");
        }
        return asked.stream()
                .filter(family -> isWithout(family, node))
                .findFirst()
                .map(family -> family + " was not negotiated");
    }

    private static boolean isTakenOver(long generation, NodeSession node) {
        return Objects.equals(node.observedGeneration(), generation);
    }

    private static Reason reason(long generation, List<NodeSession> failing) {
        return Stream.of(Reason.Unusable, Reason.Unknown)
                .filter(state -> failing.stream().anyMatch(node -> state.name().equals(node.state())))
                .findFirst()
                .orElseGet(() -> {
                    if (!failing.stream().allMatch(PeerSummary::isEstablished)) {
                        return Reason.NotEstablished;
                    }
                    return failing.stream().allMatch(node -> isTakenOver(generation, node))
                            ? Reason.FamilyNotNegotiated
                            : Reason.NotApplied;
                });
    }

    private static String named(long generation, List<String> asked, List<NodeSession> nodes) {
        int more = nodes.size() - NAMED;
        return nodes.stream()
                        .limit(NAMED)
                        .map(node -> node.node() + ": "
                                + fault(generation, asked, node).orElse(""))
                        .collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : "");
    }
}
