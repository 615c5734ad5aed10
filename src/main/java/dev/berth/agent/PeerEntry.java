package dev.berth.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.ip.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * What the status of a BGPPeer says of one node. Only the node's agent writes it, by server-side apply: the entries of other
 * nodes, and what the operator makes of all, stay as they are.
 *
 * @param since as Kubernetes writes times
 * @param routes -1: there is no session
 * @param lastError empty: none
 * @param families that were negotiated; empty: none, or there is no session
 * @param observed the generation of the peer that the node has taken over; 0: none
 */
record PeerEntry(
        String node, String state, String since, int routes, String lastError, List<IpFamily> families, long observed) {
    static final String ESTABLISHED = "Established";
    static final String CONNECTING = "Connecting";
    static final String UNUSABLE = "Unusable";

    /** Of an error; the schema allows as much. */
    private static final int LONGEST = 512;

    PeerEntry {
        families = List.copyOf(families);
        lastError = lastError.length() <= LONGEST ? lastError : lastError.substring(0, LONGEST);
    }

    /** All that is said of a peer, as far as one node needs it. */
    record Seen(Optional<PeerEntry> mine, int nodes) {
        static Seen read(JsonNode object, String node) {
            JsonNode nodes = object.path("status").path("nodes");
            return new Seen(
                    nodes.valueStream()
                            .filter(one -> one.path("node").asText("").equals(node))
                            .findFirst()
                            .map(PeerEntry::read),
                    nodes.size());
        }
    }

    private static PeerEntry read(JsonNode entry) {
        return new PeerEntry(
                entry.path("node").asText(""),
                entry.path("state").asText(""),
                entry.path("since").asText(""),
                entry.path("routes").asInt(-1),
                entry.path("lastError").asText(""),
                entry.path("families")
                        .valueStream()
                        .flatMap(one -> IpFamily.find(one.asText("")).stream())
                        .toList(),
                entry.path("observedGeneration").asLong(0));
    }

    PeerEntry withRoutes(int other) {
        return new PeerEntry(node, state, since, other, lastError, families, observed);
    }

    /** Whether nothing but the number of routes differs. */
    boolean isAlmost(PeerEntry other) {
        return equals(other.withRoutes(routes));
    }

    /** The same state lasts since it began. */
    PeerEntry continuing(Optional<PeerEntry> before) {
        return before.filter(one -> one.state().equals(state))
                .map(one -> new PeerEntry(node, state, one.since(), routes, lastError, families, observed))
                .orElse(this);
    }

    /** What its agent applies to the status of a peer. Without an entry: what it has applied before goes. */
    static String applied(String peer, Optional<PeerEntry> entry) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "berth.dev/v1alpha1").put("kind", "BGPPeer");
        object.putObject("metadata").put("name", peer);
        entry.ifPresent(one -> {
            ObjectNode part = object.putObject("status").putArray("nodes").addObject();
            part.put("node", one.node()).put("state", one.state()).put("since", one.since());
            if (one.routes() >= 0) {
                part.put("routes", one.routes());
            }
            if (!one.lastError().isEmpty()) {
                part.put("lastError", one.lastError());
            }
            if (!one.families().isEmpty() || one.state().equals(ESTABLISHED)) {
                ArrayNode families = part.putArray("families");
                one.families().forEach(family -> families.add(family.toString()));
            }
            if (one.observed() > 0) {
                part.put("observedGeneration", one.observed());
            }
        });
        return object.toString();
    }
}
