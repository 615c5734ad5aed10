package dev.berth.announce;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * What a node goes by: the Nodes, and the agents that live.
 *
 * @param nodes by name
 * @param agents by the name of their node, that of this node among them
 */
public record NodesAndAgents(SequencedMap<String, NodeFacts> nodes, SequencedMap<String, Agent> agents) {
    public NodesAndAgents {
        nodes = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(nodes));
        agents = Collections.unmodifiableSequencedMap(new TreeMap<>(agents));
    }

    /** One that can announce an address. */
    private record Candidate(String node, Link link, Agent agent, NodeFacts facts) {
        /**
         * How much another would be preferred to it.
         *
         * @param isReliable whether the agent of any of them hears from the API server
         */
        int demerits(boolean isReliable) {
            return (isReliable && agent.contact() == ApiContact.LOST ? 4 : 0)
                    + (agent.steady() ? 0 : 2)
                    + (facts.leaving() ? 1 : 0);
        }
    }

    /**
     * The node that announces an address; absent: none can. The same for all who are in the same situation.
     *
     * <p>Of those that can, one whose agent has lost the API server comes last, if another's agent reliably hears from it:
     * an outage for all moves nothing. Then comes one that has just begun, then one that is about to leave the cluster;
     * of the others the highest of {@link Rendezvous} has it.
     */
    Optional<String> owner(DesiredAddress asked) {
        return best(asked, candidates(asked)).map(Candidate::node);
    }

    private static Optional<Candidate> best(DesiredAddress asked, List<Candidate> candidates) {
        String address = asked.address().toString();
        boolean isReliable =
                candidates.stream().anyMatch(candidate -> candidate.agent().contact() == ApiContact.RELIABLE);
        return candidates.stream().reduce((one, other) -> {
            int byDemerits = Integer.compare(one.demerits(isReliable), other.demerits(isReliable));
            return byDemerits < 0 || (byDemerits == 0 && Rendezvous.outranks(address, one.node(), other.node()))
                    ? one
                    : other;
        });
    }

    /** Whether a node announces an address. */
    public Verdict verdict(DesiredAddress asked, String node) {
        List<Candidate> candidates = candidates(asked);
        Optional<Candidate> owner = best(asked, candidates);
        if (owner.map(Candidate::node).filter(node::equals).isPresent()) {
            Link link = owner.orElseThrow().link();
            return new Verdict.Announces(link.name(), candidates.size() - 1, link.has(asked.address()));
        }
        return new Verdict.Silent(
                objection(asked, node).orElse(NotAnnouncedReason.ANOTHER_NODE),
                owner.map(Candidate::node).orElse(""));
    }

    /**
     * Whether a node that is not about to leave the cluster announces an address to a router. One whose agent has lost the API
     * server may not know of the address.
     *
     * @param peer the name of its BGPPeer
     */
    boolean isAnnouncedByStayingNode(String peer, DesiredRoute asked) {
        return agents.entrySet().stream()
                .filter(agent -> agent.getValue().willing()
                        && agent.getValue().contact() != ApiContact.LOST
                        && agent.getValue()
                                .sessions()
                                .getOrDefault(peer, List.of())
                                .contains(asked.address().family()))
                .map(Map.Entry::getKey)
                .anyMatch(node -> isStaying(node) && asked.objection(node).isEmpty());
    }

    private boolean isStaying(String node) {
        NodeFacts facts = nodes.get(node);
        return facts != null && !facts.leaving() && facts.objection().isEmpty();
    }

    private List<Candidate> candidates(DesiredAddress asked) {
        return agents.entrySet().stream()
                .filter(agent -> objection(asked, agent.getKey()).isEmpty())
                .map(agent -> new Candidate(
                        agent.getKey(),
                        link(asked, agent.getKey()).orElseThrow(),
                        agent.getValue(),
                        nodes.getOrDefault(agent.getKey(), NodeFacts.FIT)))
                .toList();
    }

    private Optional<Link> link(DesiredAddress asked, String node) {
        return Optional.ofNullable(agents.get(node))
                .flatMap(agent -> Link.forAddress(asked.address(), asked.parameters(), agent.links()));
    }

    /** Why a node cannot announce an address, the others left aside; absent: it can. */
    private Optional<NotAnnouncedReason> objection(DesiredAddress asked, String node) {
        Optional<NotAnnouncedReason> ofNode = Optional.ofNullable(nodes.get(node))
                .map(NodeFacts::objection)
                .orElse(Optional.of(NotAnnouncedReason.NODE_UNKNOWN));
        return ofNode.or(() -> asked.objection(node))
                .or(() -> Optional.ofNullable(agents.get(node))
                        .map(agent -> agent.willing()
                                ? Optional.<NotAnnouncedReason>empty()
                                : Optional.of(NotAnnouncedReason.AGENT_NOT_READY))
                        .orElse(Optional.of(NotAnnouncedReason.NO_AGENT)))
                .or(() -> objection(asked, link(asked, node)))
                .or(() -> Optional.ofNullable(agents.get(node))
                        .map(agent -> agent.refused().get(asked.address())));
    }

    private static Optional<NotAnnouncedReason> objection(DesiredAddress asked, Optional<Link> link) {
        if (link.isEmpty()) {
            return Optional.of(
                    asked.parameters().interfaces().isEmpty()
                            ? NotAnnouncedReason.NO_INTERFACE
                            : NotAnnouncedReason.NO_NAMED_INTERFACE);
        }
        return link.filter(its -> its.isEndOfNetwork(asked.address()))
                .map(_ -> NotAnnouncedReason.NETWORK_OR_BROADCAST_ADDRESS);
    }
}
