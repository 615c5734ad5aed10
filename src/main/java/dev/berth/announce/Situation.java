package dev.berth.announce;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * What a node goes by: the Nodes, and the agents that live.
 *
 * @param nodes by name
 * @param agents by the name of their node, that of this node among them
 */
public record Situation(SequencedMap<String, NodeFacts> nodes, SequencedMap<String, Agent> agents) {
    public Situation {
        nodes = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(nodes));
        agents = Collections.unmodifiableSequencedMap(new TreeMap<>(agents));
    }

    /** One that can announce an address, and how much another would be preferred to it. */
    private record Candidate(String node, String link, int demerits) {}

    /**
     * The node that announces an address; absent: none can. The same for all who are in the same situation.
     *
     * <p>Of those that can, one whose agent hears from the API server comes first, then one that has lived for a while,
     * then one that is not about to leave the cluster, then the highest of {@link Rendezvous}.
     */
    public Optional<String> owner(Asked asked) {
        return best(asked, candidates(asked)).map(Candidate::node);
    }

    private static Optional<Candidate> best(Asked asked, List<Candidate> candidates) {
        String address = asked.address().toString();
        return candidates.stream()
                .reduce((one, other) -> one.demerits() == other.demerits()
                        ? (Rendezvous.outranks(address, one.node(), other.node()) ? one : other)
                        : (one.demerits() < other.demerits() ? one : other));
    }

    /** Whether a node announces an address. */
    public Verdict verdict(Asked asked, String node) {
        List<Candidate> candidates = candidates(asked);
        Optional<Candidate> owner = best(asked, candidates);
        if (owner.map(Candidate::node).filter(node::equals).isPresent()) {
            return new Verdict.Announces(owner.orElseThrow().link(), candidates.size() - 1);
        }
        return new Verdict.Silent(
                objection(asked, node).orElse(Reason.ANOTHER_NODE),
                owner.map(Candidate::node).orElse(""));
    }

    private List<Candidate> candidates(Asked asked) {
        return agents.keySet().stream()
                .filter(node -> objection(asked, node).isEmpty())
                .map(node -> new Candidate(node, link(asked, node).orElseThrow().name(), demerits(node)))
                .toList();
    }

    private int demerits(String node) {
        Agent agent = agents.get(node);
        NodeFacts facts = nodes.get(node);
        return (agent != null && agent.current() ? 0 : 4)
                + (agent != null && agent.steady() ? 0 : 2)
                + (facts != null && !facts.leaving() ? 0 : 1);
    }

    private Optional<Link> link(Asked asked, String node) {
        return Optional.ofNullable(agents.get(node))
                .flatMap(agent -> Link.forAddress(asked.address(), asked.parameters(), agent.links()));
    }

    /** Why a node cannot announce an address, the others left aside; absent: it can. */
    private Optional<Reason> objection(Asked asked, String node) {
        Optional<Reason> ofNode =
                Optional.ofNullable(nodes.get(node)).map(NodeFacts::objection).orElse(Optional.of(Reason.NODE_UNKNOWN));
        return ofNode.or(() -> asked.objection(node))
                .or(() -> Optional.ofNullable(agents.get(node))
                        .map(agent -> agent.willing() ? Optional.<Reason>empty() : Optional.of(Reason.AGENT_NOT_READY))
                        .orElse(Optional.of(Reason.NO_AGENT)))
                .or(() -> link(asked, node).isPresent() ? Optional.empty() : Optional.of(Reason.NO_INTERFACE))
                .or(() -> Optional.ofNullable(agents.get(node))
                        .map(agent -> agent.refused().get(asked.address())));
    }
}
