package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiCallsTest {
    private static final String CURE = "add the component";
    private static final String BY_RBAC = "servicecidrs.networking.k8s.io \"web\" is forbidden: User"
            + " \"system:serviceaccount:berth-system:berth\" cannot patch resource \"servicecidrs\" in API group"
            + " \"networking.k8s.io\" at the cluster scope";
    private static final String BY_POLICY = "servicecidrs.networking.k8s.io \"web\" is forbidden:"
            + " ValidatingAdmissionPolicy 'servicecidrs.deny' with binding 'b' denied request: ask the network team";

    private record Row(String rule, String cure, int code, String said, String told) {}

    private static final List<Row> ROWS = List.of(
            new Row("RBAC forbids it", CURE, 403, BY_RBAC, BY_RBAC + "; " + CURE),
            new Row("RBAC forbids what any installation may do", "", 403, BY_RBAC, BY_RBAC),
            new Row("a policy forbids it", CURE, 403, BY_POLICY, BY_POLICY),
            new Row("it is invalid", CURE, 422, "it is not a CIDR", "it is not a CIDR"));

    private final KubernetesClient client = new KubernetesClientBuilder().build();
    private final ApiCalls calls = new ApiCalls(client, new ApiBudget());

    @AfterEach
    void close() {
        client.close();
    }

    private static StatusBuilder status(int code, String reason) {
        return new StatusBuilder().withCode(code).withReason(reason).withMessage("the message");
    }

    private Write<String> changed(Status answer) {
        return calls.write(() -> answered(answer), String.class::cast);
    }

    private Write<String> created(Status answer) {
        return calls.create(() -> answered(answer), String.class::cast);
    }

    private static Object answered(Status answer) {
        throw new KubernetesClientException(answer);
    }

    @Test
    void changeOfAnotherObject_isAConflict() {
        assertThat(changed(status(409, "Conflict").build())).isEqualTo(new Write.Conflict<>("the message"));
        assertThat(changed(status(422, "Invalid")
                        .withNewDetails()
                        .addNewCause("metadata.uid", "field is immutable", "FieldValueInvalid")
                        .endDetails()
                        .build()))
                .isEqualTo(new Write.Conflict<>("the message"));
    }

    @Test
    void whatAPolicyForbids_isRefused_whateverItsMessageSays() {
        Status denied = status(422, "Invalid")
                .withMessage("ValidatingAdmissionPolicy 'GUIDED-NETWORKS' denied request: see metadata.uid, UID")
                .withNewDetails()
                .addNewCause(null, "see metadata.uid, UID", null)
                .endDetails()
                .build();

        assertThat(changed(denied)).isEqualTo(new Write.Refused<>(denied.getMessage()));
        assertThat(created(denied)).isEqualTo(new Write.Refused<>(denied.getMessage()));
    }

    @Test
    void creation_isInConflict_onlyIfThereIsOneOfThatName() {
        assertThat(created(status(409, "AlreadyExists").build())).isEqualTo(new Write.Conflict<>("the message"));
        assertThat(created(status(409, "Conflict").build())).isEqualTo(new Write.Unknown<>("the message"));
    }

    @Test
    void answersWithoutDetails_areUnderstood() {
        assertThat(changed(status(422, "Invalid").build())).isEqualTo(new Write.Refused<>("the message"));
        assertThat(changed(status(429, "TooManyRequests").build())).isEqualTo(new Write.Refused<>("the message"));
        assertThat(changed(status(404, "NotFound").build())).isEqualTo(new Write.NotFound<>("the message"));
        assertThat(changed(status(503, "ServiceUnavailable").build())).isEqualTo(new Write.Unknown<>("the message"));
        assertThat(created(status(403, "Forbidden").build())).isEqualTo(new Write.Refused<>("the message"));
    }

    private Write<String> refused(Row row) {
        Status answer = status(row.code(), "").withMessage(row.said()).build();
        return new ApiCalls(client, new ApiBudget(), row.cure()).write(() -> answered(answer), String.class::cast);
    }

    @Test
    void refusal_endsWithWhatGivesThePermission_ifOneIsMissing() {
        assertThat(ROWS)
                .allSatisfy(row -> assertThat(refused(row)).as(row.rule()).isEqualTo(new Write.Refused<>(row.told())));
    }

    /** Absent would have what is its own given to others. */
    @Test
    void objectThatCannotBeRead_isNotAbsent_andAnAnswerThatCannotBeRead_isNotARefusal() {
        assertThat(calls.<String, String>read(() -> "there", ApiCallsTest::unreadable))
                .isEqualTo(new Read.Failed<>("cannot be read: odd"));
        assertThat(calls.<String, String>write(() -> "there", ApiCallsTest::unreadable))
                .isEqualTo(new Write.Unknown<>("the answer cannot be read: odd"));
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // it returns to nobody
    private static <T> T unreadable(Object object) {
        throw new Unreadable("odd");
    }
}
