package dev.berth.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which agents have not renewed their Lease for how long. It goes by when a renewal was seen, as Kubernetes' own controllers do:
 * the clocks of nodes may differ.
 */
public final class Heartbeats {
    /** An agent renews its Lease every 30 s. */
    public static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Map<String, Beat> beats = new TreeMap<>();

    /** @param renewed as the agent wrote it; empty: it has no Lease */
    private record Beat(String renewed, Instant seen, boolean isRenewed) {}

    /**
     * Takes in what there is now.
     *
     * @param renewals by node, when its Lease was renewed; absent: it is not known, so nobody is missed
     * @param nodes of which somebody wants to know
     */
    public void look(Optional<Map<String, String>> renewals, Collection<String> nodes, Instant now) {
        if (renewals.isEmpty()) {
            beats.clear();
            return;
        }
        for (String node : nodes) {
            String renewed = renewals.get().getOrDefault(node, "");
            Beat before = beats.get(node);
            if (before == null || !before.renewed().equals(renewed)) {
                beats.put(node, new Beat(renewed, now, before != null));
            }
        }
        beats.keySet().retainAll(nodes);
    }

    /** When the agent of a node was seen last to have renewed its Lease; absent: never since it is looked for. */
    public Optional<Instant> renewed(String node) {
        return Optional.ofNullable(beats.get(node)).filter(Beat::isRenewed).map(Beat::seen);
    }

    /** When the agent of a node has renewed its Lease last, if that is too long ago; empty text: never. */
    public Optional<String> silentSince(String node, Instant now) {
        return Optional.ofNullable(beats.get(node))
                .filter(beat -> !now.isBefore(beat.seen().plus(PATIENCE)))
                .map(Beat::renewed);
    }
}
