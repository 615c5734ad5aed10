package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Keeps of each object in a cache only what Berth reads. Most of a Node is the list of its images: 5,000 with 50 images
 * each take 245 MiB whole, and 13 MiB so.
 */
public final class Trimmed<T extends HasMetadata> extends BasicItemStore<T> {
    private final Consumer<T> trim;

    private Trimmed(Consumer<T> trim) {
        super(Cache::metaNamespaceKeyFunc);
        this.trim = trim;
    }

    /** Of any kind, all but who wrote which field. */
    public static <T extends HasMetadata> ItemStore<T> withoutManagedFields() {
        return new Trimmed<>(Trimmed::dropManagedFields);
    }

    /** Of Nodes, the labels that are read, spec and addresses. */
    static ItemStore<Node> nodes() {
        return new Trimmed<>(node -> {
            dropManagedFields(node);
            node.getMetadata().setAnnotations(Map.of());
            node.getMetadata().setLabels(Nodes.read(node.getMetadata().getLabels()));
            if (node.getStatus() != null) {
                NodeStatus kept = new NodeStatus();
                kept.setAddresses(node.getStatus().getAddresses());
                node.setStatus(kept);
            }
        });
    }

    /** Of Namespaces, their labels. */
    static ItemStore<Namespace> namespaces() {
        return new Trimmed<>(namespace -> {
            dropManagedFields(namespace);
            namespace.getMetadata().setAnnotations(Map.of());
            namespace.setSpec(null);
            namespace.setStatus(null);
        });
    }

    private static void dropManagedFields(HasMetadata object) {
        object.getMetadata().setManagedFields(List.of());
    }

    /** The object itself is trimmed: it comes straight from the API server, and nobody else has it yet. */
    @Override
    public T put(String key, T object) {
        trim.accept(object);
        return super.put(key, object);
    }
}
