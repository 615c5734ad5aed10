package dev.berth.kube;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What an informer has of one kind. */
public interface Cache<T> {
    /**
     * The object of this name.
     *
     * @param namespace null for a cluster-scoped kind
     */
    Optional<T> get(@Nullable String namespace, String name);

    Stream<T> list();

    /** A cache that has nothing: before its informer is there. */
    static <T> Cache<T> empty() {
        return new Cache<>() {
            @Override
            public Optional<T> get(@Nullable String namespace, String name) {
                return Optional.empty();
            }

            @Override
            public Stream<T> list() {
                return Stream.empty();
            }
        };
    }
}
