package dev.berth.controller;

import dev.berth.kube.Cache;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The operator SDK's cache of a controller's primary kind, as the rest of Berth reads it. */
public record PrimaryCache<T extends HasMetadata>(IndexerResourceCache<T> cache) implements Cache<T> {
    @Override
    public Optional<T> get(@Nullable String namespace, String name) {
        return cache.get(new ResourceID(name, namespace));
    }

    @Override
    public Stream<T> list() {
        return cache.list();
    }
}
