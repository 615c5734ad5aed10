package dev.berth.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.migration.Exported;
import dev.berth.migration.MetalLb;
import dev.berth.migration.MetalLbKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How MetalLB announces addresses, as objects of Berth's kinds: {@code berth export --from=metallb}. */
final class MetalLbExport {
    private final KubernetesClient client;

    MetalLbExport(KubernetesClient client) {
        this.client = client;
    }

    /** Prints each object, and before it, as comments, where it is from and what does not carry over. */
    void print(PrintWriter out) throws CommandFailure {
        Map<MetalLbKind, List<JsonNode>> objects = new EnumMap<>(MetalLbKind.class);
        for (MetalLbKind kind : MetalLbKind.values()) {
            objects.put(kind, list(kind));
        }
        List<Exported> all = MetalLb.export(objects);
        if (all.isEmpty()) {
            out.println("# MetalLB announces nothing here.");
        }
        for (Exported one : all) {
            out.print(one.comment());
            one.objects()
                    .forEach(object ->
                            out.print(client.getKubernetesSerialization().asYaml(object)));
        }
        out.flush();
    }

    /** By name; empty where MetalLB is not installed, or has no such kind. */
    private List<JsonNode> list(MetalLbKind kind) throws CommandFailure {
        ResourceDefinitionContext context = new ResourceDefinitionContext.Builder()
                .withGroup(MetalLbKind.GROUP)
                .withVersion(kind.version())
                .withKind(kind.kind())
                .withPlural(kind.plural())
                .withNamespaced(true)
                .build();
        try {
            return client.genericKubernetesResources(context).inAnyNamespace().list().getItems().stream()
                    .sorted(Comparator.comparing((GenericKubernetesResource object) ->
                            object.getMetadata().getName()))
                    .map(object -> client.getKubernetesSerialization().convertValue(object, JsonNode.class))
                    .toList();
        } catch (KubernetesClientException failure) {
            if (failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return List.of();
            }
            throw new CommandFailure(
                    "listing MetalLB's %s objects: %s".formatted(kind.kind(), Preflight.innermost(failure)));
        }
    }
}
