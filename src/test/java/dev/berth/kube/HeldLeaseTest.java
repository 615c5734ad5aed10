package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.kube.AnsweringServer.Answer;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether this replica holds the Lease, by an API server that says who does. */
class HeldLeaseTest {
    private volatile String holder = "us";
    private AnsweringServer server;
    private LeaderLease lease;

    @BeforeEach
    void start() {
        server = new AnsweringServer("/", request -> new Answer(200, """
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"namespace": "berth-system", "name": "berth"}, "spec": {"holderIdentity": "%s"}}
                """.formatted(holder)));
        lease = new LeaderLease(
                server.client(),
                "berth-system",
                "berth",
                "berth.dev/controller",
                "us",
                Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void leaderWhoseLeaseAnotherTookMeanwhile_isTold() {
        assertThatCode(lease::requireHeld).doesNotThrowAnyException();

        holder = "them";

        assertThatThrownBy(lease::requireHeld)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Lease berth-system/berth is held by them, not by this replica, us");
    }
}
