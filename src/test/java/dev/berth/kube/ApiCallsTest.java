package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.function.Function;
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
            new Row("it is invalid", CURE, 422, "it is no CIDR", "it is no CIDR"));

    private static Write<String> refused(Row row) {
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            return new ApiCalls(client, row.cure())
                    .write(
                            () -> {
                                throw new KubernetesClientException(new StatusBuilder()
                                        .withCode(row.code())
                                        .withMessage(row.said())
                                        .build());
                            },
                            Function.identity());
        }
    }

    @Test
    void refusal_endsWithWhatGivesThePermission_ifOneIsMissing() {
        assertThat(ROWS)
                .allSatisfy(row -> assertThat(refused(row)).as(row.rule()).isEqualTo(new Write.Refused<>(row.told())));
    }
}
