package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.kube.AnsweringServer;
import dev.berth.kube.AnsweringServer.Answer;
import dev.berth.kube.LeaderLease;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a replica does that gets the Lease and loses it, by an API server that says who holds it. */
class LeadershipTest {
    private final List<String> done = new ArrayList<>();
    private volatile String holder = "us";
    private Runnable meanwhile = () -> {};
    private AnsweringServer server;
    private Leadership leadership;

    @BeforeEach
    void start() {
        server = new AnsweringServer("/", request -> new Answer(200, """
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"namespace": "berth-system", "name": "berth", "resourceVersion": "5"},
                 "spec": {"holderIdentity": "%s"}}
                """.formatted(holder)));
        Clock clock = Clock.fixed(Instant.ofEpochMilli(7), ZoneOffset.UTC);
        leadership = new Leadership(
                new LeaderLease(server.client(), "berth-system", "berth", "berth.dev/controller", "us", clock),
                token -> done.add("token " + token),
                this::work,
                () -> done.add("end"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void work(Runnable mayBegin) {
        meanwhile.run();
        mayBegin.run();
        done.add("work");
    }

    @Test
    void replicaThatHoldsTheLease_works_andEndsOnceItIsLost() {
        leadership.begin();
        assertThat(done).containsExactly("token 7", "work");

        leadership.lost();

        assertThat(done).containsExactly("token 7", "work", "end");
    }

    @Test
    void replicaWhoseLeaseAnotherTook_whileItLearnsWhatIsHeld_endsWithoutAnyWork() {
        meanwhile = () -> holder = "them";

        leadership.begin();

        assertThat(done).containsExactly("token 7", "end");
    }

    @Test
    void replicaWhoseLeaseAnotherTook_beforeItHasAToken_endsWithoutAnyWork() {
        holder = "them";

        leadership.begin();

        assertThat(done).containsExactly("end");
    }

    @Test
    void replicaThatIsToldToEnd_losesTheLease_andEndsAsItWasTold() {
        leadership.begin();
        leadership.stopping();

        leadership.lost();

        assertThat(done).containsExactly("token 7", "work");
    }
}
