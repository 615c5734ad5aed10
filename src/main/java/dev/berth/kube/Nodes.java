package dev.berth.kube;

import dev.berth.loadbalancer.NodeRules;
import dev.berth.loadbalancer.NodeState;
import io.fabric8.kubernetes.api.model.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** From Kubernetes' Node to ours. */
final class Nodes {
    private Nodes() {}

    static NodeState state(Node node) {
        List<String> internal = addresses(node, "InternalIP");
        return new NodeState(
                node.getMetadata().getName(),
                Optional.ofNullable(node.getSpec())
                        .map(spec -> spec.getProviderID())
                        .orElse(""),
                read(node.getMetadata().getLabels()),
                Optional.ofNullable(node.getSpec())
                        .map(spec -> NullSafe.list(spec.getTaints()))
                        .orElse(List.of())
                        .stream()
                        .map(taint -> NullSafe.text(taint.getKey()))
                        .toList(),
                node.getMetadata().getDeletionTimestamp() != null,
                internal.isEmpty() ? addresses(node, "ExternalIP") : internal);
    }

    /** The labels that anything depends on. */
    static Map<String, String> read(@Nullable Map<String, String> labels) {
        Map<String, String> read = new LinkedHashMap<>(NullSafe.map(labels));
        read.keySet().removeIf(name -> !NodeRules.isRead(name));
        return read;
    }

    private static List<String> addresses(Node node, String type) {
        return addresses(node, type::equals);
    }

    /** Those whose type is such a one, whatever else they are. */
    static List<String> addresses(Node node, Predicate<String> type) {
        return Optional.ofNullable(node.getStatus())
                .map(status -> NullSafe.list(status.getAddresses()))
                .orElse(List.of())
                .stream()
                .filter(address -> type.test(NullSafe.text(address.getType())))
                .map(address -> NullSafe.text(address.getAddress()))
                .toList();
    }
}
