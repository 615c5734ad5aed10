package dev.berth.kube;

import dev.berth.plan.NodeState;
import io.fabric8.kubernetes.api.model.Node;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

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
                Given.map(node.getMetadata().getLabels()),
                Optional.ofNullable(node.getSpec()).map(spec -> Given.list(spec.getTaints())).orElse(List.of()).stream()
                        .map(taint -> Given.text(taint.getKey()))
                        .toList(),
                node.getMetadata().getDeletionTimestamp() != null,
                internal.isEmpty() ? addresses(node, "ExternalIP") : internal);
    }

    private static List<String> addresses(Node node, String type) {
        return addresses(node, type::equals);
    }

    /** Those whose type is such a one, whatever else they are. */
    static List<String> addresses(Node node, Predicate<String> type) {
        return Optional.ofNullable(node.getStatus())
                .map(status -> Given.list(status.getAddresses()))
                .orElse(List.of())
                .stream()
                .filter(address -> type.test(Given.text(address.getType())))
                .map(address -> Given.text(address.getAddress()))
                .toList();
    }
}
