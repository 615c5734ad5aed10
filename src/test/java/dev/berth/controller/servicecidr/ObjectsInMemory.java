package dev.berth.controller.servicecidr;

import dev.berth.kube.Cache;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cache that knows what a test puts into it. */
final class ObjectsInMemory<T extends HasMetadata> implements Cache<T> {
    private final List<T> objects = new ArrayList<>();

    void put(T object) {
        remove(object);
        objects.add(object);
    }

    void remove(T object) {
        objects.removeIf(known -> is(
                known, object.getMetadata().getNamespace(), object.getMetadata().getName()));
    }

    private boolean is(T object, @Nullable String namespace, String name) {
        return Objects.equals(object.getMetadata().getNamespace(), namespace)
                && object.getMetadata().getName().equals(name);
    }

    @Override
    public Optional<T> get(@Nullable String namespace, String name) {
        return list().filter(object -> is(object, namespace, name)).findFirst();
    }

    @Override
    public Stream<T> list() {
        return List.copyOf(objects).stream();
    }
}
