package dev.berth.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.berth.kube.AnsweringServer.Answer;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaderLeaseTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.006Z");

    private static final String LEASE = """
        {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
         "metadata": {"namespace": "berth-system", "name": "berth", "resourceVersion": "7",
                      "annotations": {"berth.dev/fencing-token": "%s"}},
         "spec": {"holderIdentity": "them"}}
        """;

    @Test
    void token_whereNothingIsRememberedOfLeadersBefore_isTheTime() {
        assertThat(LeaderLease.token(NOW, null)).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void token_isHigherThanTheOneBefore_whateverTheClockSays() {
        String before = Long.toString(NOW.toEpochMilli());

        assertThat(LeaderLease.token(NOW, before)).isEqualTo(NOW.toEpochMilli() + 1);
        assertThat(LeaderLease.token(NOW.minusSeconds(3600), before)).isEqualTo(NOW.toEpochMilli() + 1);
        assertThat(LeaderLease.token(NOW.plusSeconds(1), before)).isEqualTo(NOW.toEpochMilli() + 1000);
    }

    @Test
    void token_afterWhatIsNoNumberThatAnotherCanFollow_isTheTime() {
        assertThat(LeaderLease.token(NOW, "")).isEqualTo(NOW.toEpochMilli());
        assertThat(LeaderLease.token(NOW, "seven")).isEqualTo(NOW.toEpochMilli());
        assertThat(LeaderLease.token(NOW, Long.toString(Long.MAX_VALUE))).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void tokenWithoutElection_isHigherThanTheOneInTheLease_whoeverHoldsIt_andWritten() {
        String before = Long.toString(NOW.plusSeconds(3600).toEpochMilli());
        List<String> patches = new CopyOnWriteArrayList<>();

        long token = tokenWithoutElection(request -> {
            if (request.getRequestMethod().equals("PATCH")) {
                patches.add(new String(request.getRequestBody().readAllBytes(), UTF_8));
            }
            return new Answer(200, LEASE.formatted(before));
        });

        assertThat(token).isEqualTo(Long.parseLong(before) + 1);
        assertThat(patches)
                .singleElement(STRING)
                .contains("\"" + token + "\"", "\"resourceVersion\"")
                .doesNotContain("holderIdentity");
    }

    @Test
    void tokenWithoutElection_whereTheLeaseMayNotBePatched_isHigherThanTheOneInItAllTheSame() {
        String before = Long.toString(NOW.plusSeconds(3600).toEpochMilli());

        assertThat(tokenWithoutElection(request -> request.getRequestMethod().equals("GET")
                        ? new Answer(200, LEASE.formatted(before))
                        : new Answer(403, "{}")))
                .isEqualTo(Long.parseLong(before) + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404})
    void tokenWithoutElection_whereThereIsNoLeaseToRead_isTheTime(int status) {
        assertThat(tokenWithoutElection(request -> new Answer(status, "{}"))).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void tokenWithoutElection_whileTheApiServerCannotTell_isNotTaken() {
        assertThatThrownBy(() -> tokenWithoutElection(request -> new Answer(500, "{}")))
                .isInstanceOf(KubernetesClientException.class);
    }

    private static long tokenWithoutElection(AnsweringServer.Answers answers) {
        try (AnsweringServer server = new AnsweringServer("/", answers)) {
            return new LeaderLease(
                            server.client(),
                            "berth-system",
                            "berth",
                            "berth.dev/controller",
                            "us",
                            Clock.fixed(NOW, ZoneOffset.UTC))
                    .takeTokenWithoutElection();
        }
    }
}
