package dev.berth.controller.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.api.v1alpha1.OwnResource;
import dev.berth.kube.Cache;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one of Berth's own kinds, as an API server keeps them: generations, resource versions, and a status that
 * is merged. Each version of an object is an object of its own.
 */
final class SimulatedKind<R extends OwnResource<S, T>, S, T> {
    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    /** The truth. */
    final NavigableMap<String, R> objects = new TreeMap<>();

    private final Supplier<R> make;
    private final Class<T> status;
    private final boolean onlyUnchanged;
    private final List<View> views = new ArrayList<>();

    /** Whose status a stranger wrote. */
    private final Set<String> strange = new HashSet<>();

    private long revision;

    /**
     * None yet.
     *
     * @param onlyUnchanged whether a status is written only onto an object as it was read
     */
    SimulatedKind(Supplier<R> make, Class<T> status, boolean onlyUnchanged) {
        this.make = make;
        this.status = status;
        this.onlyUnchanged = onlyUnchanged;
    }

    /** Grows with each change. */
    long revision() {
        return revision;
    }

    /** What one operator has heard of it. */
    final class View implements Cache<R> {
        private final NavigableMap<String, R> cached = new TreeMap<>();
        private final Deque<Map.Entry<String, Optional<R>>> news = new ArrayDeque<>();

        @Override
        public Optional<R> get(@Nullable String namespace, String name) {
            return Optional.ofNullable(cached.get(name));
        }

        @Override
        public Stream<R> list() {
            return List.copyOf(cached.values()).stream();
        }

        boolean hasNews() {
            return !news.isEmpty();
        }

        /** It hears of the next change: of the object of this name. */
        String hear() {
            Map.Entry<String, Optional<R>> change = news.removeFirst();
            change.getValue()
                    .ifPresentOrElse(now -> cached.put(change.getKey(), now), () -> cached.remove(change.getKey()));
            return change.getKey();
        }

        void relist() {
            news.clear();
            cached.clear();
            cached.putAll(objects);
        }
    }

    View view() {
        View view = new View();
        views.add(view);
        view.relist();
        return view;
    }

    private void hear(String name) {
        Optional<R> now = Optional.ofNullable(objects.get(name));
        views.forEach(view -> view.news.add(Map.entry(name, now)));
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
        if (objects.remove(name) != null) {
            revision++;
            hear(name);
        }
    }

    private R store(ObjectMeta metadata, S spec, @Nullable T said) {
        R object = make.get();
        metadata.setResourceVersion(Long.toString(++revision));
        object.setMetadata(metadata);
        object.setSpec(spec);
        object.setStatus(said);
        objects.put(metadata.getName(), object);
        hear(metadata.getName());
        return object;
    }

    /**
     * A merge patch of the status of the object that was read.
     *
     * @return false if the object is another
     */
    boolean patchStatus(R read, T patch) {
        String name = read.getMetadata().getName();
        R before = objects.get(name);
        if (before == null) {
            return true;
        }
        if (!before.getMetadata().getUid().equals(read.getMetadata().getUid())) {
            return false;
        }
        if (onlyUnchanged
                && !before.getMetadata()
                        .getResourceVersion()
                        .equals(read.getMetadata().getResourceVersion())) {
            return false;
        }
        // What Berth writes names each field that it ever writes, so only what others wrote can be left of the old.
        T now = strange.remove(name) ? merged(before.getStatus(), patch) : patch;
        if (!now.equals(before.getStatus())) {
            store(new ObjectMetaBuilder(before.getMetadata()).build(), before.getSpec(), now);
        }
        return true;
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
