package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;

/** Keeps objects without {@code metadata.managedFields}: they are half of an object's memory, and not read. */
public final class LeanItemStore<T extends HasMetadata> extends BasicItemStore<T> {
    public LeanItemStore() {
        super(Cache::metaNamespaceKeyFunc);
    }

    @Override
    public T put(String key, T object) {
        if (object.getMetadata() != null) {
            object.getMetadata().setManagedFields(null);
        }
        return super.put(key, object);
    }
}
