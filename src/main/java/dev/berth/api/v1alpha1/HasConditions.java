package dev.berth.api.v1alpha1;

import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A status with conditions. */
public interface HasConditions {
    /** Null: it has none. */
    @Nullable List<Condition> conditions();
}
