package dev.berth.kube;

import dev.berth.plan.NodeState;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
                Optional.ofNullable(node.getMetadata().getLabels()).orElse(Map.of()),
                Optional.ofNullable(node.getSpec()).map(spec -> spec.getTaints()).orElse(List.of()).stream()
                        .map(Taint::getKey)
                        .toList(),
                node.getMetadata().getDeletionTimestamp() != null,
                internal.isEmpty() ? addresses(node, "ExternalIP") : internal);
    }

    private static List<String> addresses(Node node, String type) {
        return Optional.ofNullable(node.getStatus()).map(status -> status.getAddresses()).orElse(List.of()).stream()
                .filter(address -> address.getType().equals(type))
                .map(NodeAddress::getAddress)
                .toList();
    }
}
