package dev.berth.agent;

import java.net.InetAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where the agents of Nodes hear. What was read stays while the Node does: its status may lose its addresses for a while. */
final class AgentPlaces {
    private final Map<String, Place> byNode = new HashMap<>();

    /** @param uid of the Node */
    private record Place(String uid, InetAddress address) {}

    /** By the name of the Node, of these Nodes; none of one that has never had an InternalIP. */
    synchronized Map<String, InetAddress> of(Collection<NodeObject> nodes) {
        byNode.keySet().retainAll(nodes.stream().map(NodeObject::name).collect(Collectors.toSet()));
        nodes.forEach(node -> byNode.compute(node.name(), (_, before) -> place(node, before)));
        return byNode.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, entry -> entry.getValue().address()));
    }

    private static @Nullable Place place(NodeObject node, @Nullable Place before) {
        return node.agent()
                .map(address -> new Place(node.uid(), address))
                .or(() ->
                        Optional.ofNullable(before).filter(place -> place.uid().equals(node.uid())))
                .orElse(null);
    }
}
