package dev.berth.kube;

import dev.berth.loadbalancer.Condition.Status;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Conditions of our own kinds. */
public final class Conditions {
    private Conditions() {}

    /**
     * A condition as it should be.
     *
     * @param old what the object has; its lastTransitionTime stays if the status does
     * @param generation of the object that it was made from
     */
    public static Condition of(
            @Nullable List<Condition> old,
            String type,
            Status status,
            String reason,
            String message,
            @Nullable Long generation,
            Instant now) {
        String since = find(old, type)
                .filter(known -> status.toString().equals(known.getStatus()))
                .map(Condition::getLastTransitionTime)
                .orElseGet(() -> now.truncatedTo(ChronoUnit.SECONDS).toString());
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status.toString())
                .withReason(reason)
                .withMessage(message)
                .withObservedGeneration(generation)
                .withLastTransitionTime(since)
                .build();
    }

    /** The condition of this type; absent: the object has none. */
    public static Optional<Condition> find(@Nullable List<Condition> conditions, String type) {
        return (conditions == null ? List.<Condition>of() : conditions)
                .stream()
                        .filter(condition -> condition != null && type.equals(condition.getType()))
                        .findFirst();
    }
}
