package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.Condition.Status;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");

    private static Condition valid(Status status) {
        return Conditions.of(null, "Valid", status, Reason.Valid, "it is so", 7L, NOW);
    }

    @Test
    void ready_isFalse_withReasonAndMessageOfTheFirstConditionThatIsFalse() {
        Condition ready = Conditions.ready(null, List.of(valid(Status.TRUE), valid(Status.FALSE)), 7L, NOW);

        assertThat(ready.getType()).isEqualTo("Ready");
        assertThat(ready.getStatus()).isEqualTo("False");
        assertThat(ready.getReason()).isEqualTo("Valid");
        assertThat(ready.getMessage()).isEqualTo("it is so");
        assertThat(ready.getObservedGeneration()).isEqualTo(7);
        assertThat(ready.getLastTransitionTime()).isEqualTo("2026-01-02T03:04:05Z");
    }

    @Test
    void ready_isTrue_whileNothingThatDecidesIsFalse() {
        assertThat(Conditions.ready(null, List.of(valid(Status.TRUE)), 7L, NOW).getStatus())
                .isEqualTo("True");
    }

    @Test
    void lastTransitionTime_staysWhileTheStatusDoes_unlessItIsNoTime() {
        Condition old = new ConditionBuilder(valid(Status.TRUE))
                .withLastTransitionTime("2020-01-01T00:00:00Z")
                .build();
        Condition odd =
                new ConditionBuilder(old).withLastTransitionTime("yesterday").build();

        assertThat(since(old, Status.TRUE)).isEqualTo("2020-01-01T00:00:00Z");
        assertThat(since(old, Status.FALSE)).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(since(odd, Status.TRUE)).isEqualTo("2026-01-02T03:04:05Z");
    }

    private static String since(Condition old, Status status) {
        return Conditions.of(List.of(old), "Valid", status, Reason.Valid, "", 7L, NOW)
                .getLastTransitionTime();
    }

    /** 256 ranges can each have a fault, and a status that the API server refuses is never written. */
    @Test
    void message_isNotLongerThanTheSchemaAllows() {
        assertThat(Conditions.of(null, "Valid", Status.FALSE, Reason.Valid, "x".repeat(40_000), 7L, NOW)
                        .getMessage())
                .hasSize(32_768)
                .endsWith("x...");
    }
}
