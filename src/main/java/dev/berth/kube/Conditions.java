package dev.berth.kube;

import dev.berth.api.v1alpha1.HasConditions;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Conditions of our own kinds. */
public final class Conditions {
    /** Whether what the spec asks for is in effect: what {@code kubectl wait} and kstatus look at. */
    public static final String READY = "Ready";

    /** Of a message, by the schema of Kubernetes' conditions. */
    private static final int LONGEST = 32_768;

    private Conditions() {}

    /** The conditions that an object of this status has; empty: it has none, or no status yet. */
    public static List<Condition> of(@Nullable HasConditions status) {
        List<Condition> conditions = status == null ? null : status.conditions();
        return conditions == null ? List.of() : conditions;
    }

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
            Reason reason,
            String message,
            @Nullable Long generation,
            Instant now) {
        return of(old, type, status, reason.name(), message, generation, now);
    }

    private static Condition of(
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
                .filter(Conditions::isTime)
                .orElseGet(() -> now.truncatedTo(ChronoUnit.SECONDS).toString());
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status.toString())
                .withReason(reason)
                .withMessage(message.length() <= LONGEST ? message : message.substring(0, LONGEST - 3) + "...")
                .withObservedGeneration(generation)
                .withLastTransitionTime(since)
                .build();
    }

    /**
     * The condition Ready: False as the first of {@code deciding} that is False, or else True.
     *
     * @param old what the object has
     * @param deciding conditions of the object without which its spec is not in effect
     */
    public static Condition ready(
            @Nullable List<Condition> old, List<Condition> deciding, @Nullable Long generation, Instant now) {
        return deciding.stream()
                .filter(condition -> Status.FALSE.toString().equals(condition.getStatus()))
                .findFirst()
                .map(fault -> of(old, READY, Status.FALSE, fault.getReason(), fault.getMessage(), generation, now))
                .orElseGet(() -> of(
                        old, READY, Status.TRUE, Reason.Ready, "what the spec asks for is in effect", generation, now));
    }

    /** A status may have been written by anybody, under any schema. */
    private static boolean isTime(String text) {
        try {
            Instant.parse(text);
            return true;
        } catch (DateTimeParseException noTime) {
            return false;
        }
    }

    /** The condition of this type; absent: the object has none. */
    public static Optional<Condition> find(@Nullable List<Condition> conditions, String type) {
        return (conditions == null ? List.<Condition>of() : conditions)
                .stream()
                        .filter(condition -> condition != null && type.equals(condition.getType()))
                        .findFirst();
    }
}
