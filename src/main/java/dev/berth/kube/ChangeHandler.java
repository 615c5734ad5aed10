package dev.berth.kube;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import org.jspecify.annotations.Nullable;

/** One method for all three events of an informer. */
abstract class ChangeHandler<T> implements ResourceEventHandler<T> {
    /** Null: it was not there, or is not any more. */
    abstract void changed(@Nullable T old, @Nullable T now);

    @Override
    public void onAdd(T object) {
        changed(null, object);
    }

    @Override
    public void onUpdate(T old, T now) {
        changed(old, now);
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {
        changed(object, null);
    }
}
