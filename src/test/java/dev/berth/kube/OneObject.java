package dev.berth.kube;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cache that has one object of a kind, whatever its name, or none. */
public record OneObject<T>(Supplier<Optional<T>> object) implements Cache<T> {
    @Override
    public Optional<T> get(@Nullable String namespace, String name) {
        return object.get();
    }

    @Override
    public Stream<T> list() {
        return object.get().stream();
    }
}
