package dev.berth.controller.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.api.v1alpha1.OwnResource;
import dev.berth.kube.Cache;
import dev.berth.kube.Write;
import dev.berth.testing.cluster.ClusterInMemory;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one of Berth's own kinds: generations, and a status that is merged. Each version of an object is an object
 * of its own.
 */
final class SimulatedKind<R extends OwnResource<S, T>, S, T> {
    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private final ClusterInMemory.Kind<String, R> stored;

    /** The truth. */
    final NavigableMap<String, R> objects;

    private final Supplier<R> make;
    private final Class<T> status;

    /** Whose status a stranger wrote. */
    private final Set<String> strange = new HashSet<>();

    /** None yet. A status is written only onto an object as it was read. */
    SimulatedKind(ClusterInMemory store, Supplier<R> make, Class<T> status) {
        this.make = make;
        this.status = status;
        stored = store.kind(new ClusterInMemory.Metadata<>(
                object -> object.getMetadata().getUid(),
                object -> object.getMetadata().getResourceVersion(),
                (object, version) -> {
                    object.getMetadata().setResourceVersion(version);
                    return object;
                },
                object -> false));
        objects = stored.objects();
    }

    /** Grows with each change. */
    long revision() {
        return stored.revision();
    }

    /** What one operator has heard of it. */
    final class View implements Cache<R> {
        final ClusterInMemory.Kind<String, R>.Watch watch = stored.watch();

        @Override
        public Optional<R> get(@Nullable String namespace, String name) {
            return Optional.ofNullable(watch.cached().get(name));
        }

        @Override
        public Stream<R> list() {
            return List.copyOf(watch.cached().values()).stream();
        }
    }

    View view() {
        return new View();
    }

    /** Creates it. */
    R create(String name, String uid, @Nullable String created, S spec) {
        return store(
                new ObjectMetaBuilder()
                        .withName(name)
                        .withUid(uid)
                        .withGeneration(1L)
                        .withCreationTimestamp(created)
                        .build(),
                spec,
                null);
    }

    /** Changes its spec; another spec is another generation. */
    R edit(R before, S spec) {
        ObjectMeta metadata = before.getMetadata();
        return spec.equals(before.getSpec())
                ? before
                : store(
                        new ObjectMetaBuilder(metadata)
                                .withGeneration(metadata.getGeneration() + 1)
                                .build(),
                        spec,
                        before.getStatus());
    }

    R annotate(R before, String annotation, String value) {
        return store(
                new ObjectMetaBuilder(before.getMetadata())
                        .addToAnnotations(annotation, value)
                        .build(),
                before.getSpec(),
                before.getStatus());
    }

    void delete(String name) {
        stored.remove(name);
    }

    private R store(ObjectMeta metadata, S spec, @Nullable T said) {
        R object = make.get();
        object.setMetadata(metadata);
        object.setSpec(spec);
        object.setStatus(said);
        return stored.put(metadata.getName(), object);
    }

    /** A merge patch of the status of the object that was read. */
    Write<R> patchStatus(R read, T patch) {
        String name = read.getMetadata().getName();
        return stored.ifSame(name, read, () -> new Write.Done<>(patched(name, patch)));
    }

    private R patched(String name, T patch) {
        R before = Objects.requireNonNull(objects.get(name));
        // What Berth writes names each field that it ever writes, so only what others wrote can be left of the old.
        T now = strange.remove(name) ? merged(before.getStatus(), patch) : patch;
        return now.equals(before.getStatus())
                ? before
                : store(new ObjectMetaBuilder(before.getMetadata()).build(), before.getSpec(), now);
    }

    /** What anyone may write there. */
    void putStatus(R before, @Nullable T odd) {
        if (!Objects.equals(odd, before.getStatus())) {
            strange.add(before.getMetadata().getName());
            store(new ObjectMetaBuilder(before.getMetadata()).build(), before.getSpec(), odd);
        }
    }

    private T merged(@Nullable T before, T patch) {
        JsonNode target = JSON.convertValue(before == null ? Map.of() : before, JsonNode.class);
        return JSON.convertValue(merged(target, JSON.convertValue(patch, JsonNode.class)), status);
    }

    /**
     * RFC 7396.
     *
     * @param target is changed
     */
    private static JsonNode merged(@Nullable JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode fields)) {
            return patch;
        }
        ObjectNode into = target instanceof ObjectNode object ? object : JSON.convertValue(Map.of(), ObjectNode.class);
        fields.properties().forEach(field -> {
            if (field.getValue().isNull()) {
                into.remove(field.getKey());
            } else {
                into.set(field.getKey(), merged(into.get(field.getKey()), field.getValue()));
            }
        });
        return into;
    }
}
