package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.reason.Reason;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Who announces one address, by what the agents of all nodes say.
 *
 * @param nodes that announce it, by name
 * @param inConflict those of them that hear it claimed by another machine, while no other node reports that it has it
 * @param unheard nodes that announced it, and whose agents have stopped renewing their Leases
 * @param silent nodes that do not, by the word of their {@link NotAnnouncedReason#reason}
 * @param agents how many agents that announce by the protocol renew their Leases
 */
public record Announcement(
        Ip address,
        Protocol protocol,
        List<String> nodes,
        List<String> inConflict,
        List<String> unheard,
        SequencedMap<String, List<String>> silent,
        int agents) {
    /** How many nodes a message names: one that counts more would be written whenever one of many nodes comes or goes. */
    static final int NAMED = 3;

    /** {@link #by} where no node announces it. */
    public static final String NOBODY = "nobody";

    /** Whether anybody announces it. From the best to the worst. */
    public enum State {
        ANNOUNCED,
        UNKNOWN,
        NOBODY
    }

    public Announcement {
        nodes = List.copyOf(nodes);
        inConflict = List.copyOf(inConflict);
        unheard = List.copyOf(unheard);
        SequencedMap<String, List<String>> copy = new TreeMap<>();
        silent.forEach((reason, names) -> copy.put(reason, List.copyOf(names)));
        silent = Collections.unmodifiableSequencedMap(copy);
    }

    public State state() {
        if (!nodes.isEmpty()) {
            return State.ANNOUNCED;
        }
        return unheard.isEmpty() && (!silent.isEmpty() || agents == 0) ? State.NOBODY : State.UNKNOWN;
    }

    /** Whether nobody announces it for no other reason than that its Services have no endpoint. */
    public static boolean isForWantOfEndpoints(String reason) {
        return reason.equals(Reason.NoEndpoints.name()) || reason.equals(Reason.NoLocalEndpoints.name());
    }

    /** In one word, as conditions have it: a {@link Reason}, or what agents of another version say. */
    public String reason() {
        return switch (state()) {
            case ANNOUNCED -> reasonIfAnnounced().name();
            case UNKNOWN -> (unheard.isEmpty() ? Reason.NotReported : Reason.AgentNotReporting).name();
            case NOBODY -> agents == 0 ? Reason.NoAgent.name() : first().orElse(Reason.NotReported.name());
        };
    }

    private Reason reasonIfAnnounced() {
        if (isSplit()) {
            return Reason.MultipleNodes;
        }
        return inConflict.isEmpty() ? Reason.Announced : Reason.AddressConflict;
    }

    private String whatIsWrong() {
        if (isSplit()) {
            return "; their agents do not hear each other";
        }
        return inConflict.isEmpty()
                ? ""
                : "; another machine claims the address, too: the log of the agent on " + named(inConflict)
                        + " has its hardware address";
    }

    /** Whether more than one machine answers for it. */
    public boolean isDisturbed() {
        return isDisturbed(reason());
    }

    /** The same of one with this reason. */
    public static boolean isDisturbed(String reason) {
        return reason.equals(Reason.MultipleNodes.name()) || reason.equals(Reason.AddressConflict.name());
    }

    /** Two nodes answer ARP for it: their agents do not hear each other. */
    private boolean isSplit() {
        return protocol == Protocol.L2 && nodes.size() > 1;
    }

    /** The reason of most nodes. That there is no endpoint on a node says less than any other. */
    private Optional<String> first() {
        return silent.entrySet().stream()
                .max((one, other) -> {
                    int byWeight = Integer.compare(weight(one.getKey()), weight(other.getKey()));
                    return byWeight != 0
                            ? byWeight
                            : Integer.compare(
                                    one.getValue().size(), other.getValue().size());
                })
                .map(Map.Entry::getKey);
    }

    private static int weight(String reason) {
        return reason.equals(Reason.NoLocalEndpoints.name()) ? 0 : 1;
    }

    /** For a column: a node's name, how many nodes, {@link #NOBODY} or {@code unknown}. */
    public String by() {
        return switch (state()) {
            case ANNOUNCED -> nodes.size() == 1 ? nodes.getFirst() : nodes.size() + " nodes";
            case NOBODY -> NOBODY;
            case UNKNOWN -> "unknown";
        };
    }

    /** Whether several nodes announce it, and did so when {@link #by} was this. */
    public boolean differsInNumberFrom(String before) {
        return nodes.size() > 1 && before.endsWith(" nodes");
    }

    /**
     * Human-readable, without an end. Many nodes are not counted: a Service is read by every node of the cluster, and is
     * not to be written when one of them is restarted.
     */
    public String sentence() {
        return switch (state()) {
            case ANNOUNCED ->
                "%s %s %s by %s%s"
                        .formatted(
                                named(nodes),
                                nodes.size() == 1 ? "announces" : "announce",
                                address,
                                protocol.name(address.family()),
                                whatIsWrong());
            case UNKNOWN ->
                unheard.isEmpty()
                        ? "no agent has reported on %s yet".formatted(address)
                        : "%s announced %s, but %s; the address might still be announced"
                                .formatted(
                                        named(unheard),
                                        address,
                                        unheard.size() == 1
                                                ? "the agent has stopped renewing its Lease"
                                                : "their agents have stopped renewing their Leases");
            case NOBODY -> "no node announces %s: %s".formatted(address, agents == 0 ? withoutAgents() : why());
        };
    }

    private String withoutAgents() {
        return protocol == Protocol.L2
                ? "no agent has a current Lease; check that the DaemonSet berth-agent is installed and running"
                : "no agent that announces by BGP has a current Lease; check that the DaemonSet berth-agent is"
                        + " installed and running with a BGP speaker (docs/bgp.md)";
    }

    private String why() {
        return silent.size() == 1
                ? NotAnnouncedReason.sentence(silent.firstEntry().getKey())
                : silent.entrySet().stream()
                        .map(one -> named(one.getValue()) + ": " + NotAnnouncedReason.sentence(one.getKey()))
                        .collect(Collectors.joining("; "));
    }

    private static String named(List<String> nodes) {
        if (nodes.size() > NAMED) {
            return "more than " + NAMED + " nodes";
        }
        return (nodes.size() == 1 ? "node " : "nodes ") + String.join(", ", nodes);
    }
}
