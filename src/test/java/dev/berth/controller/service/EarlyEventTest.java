package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.SampleService;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An event on a Service that comes between a write of ours and the answer to it. */
class EarlyEventTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");

    /** Its write is done, and its answer is on its way. */
    private Runnable meanwhile = () -> {};

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public void answered(String call) {
            meanwhile.run();
        }
    });
    private final PoolOperator berth = new PoolOperator(cluster, () -> Instant.EPOCH);

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    private void reconcile() {
        cluster.put(WEB, SampleService.named(WEB, "u1"));
        berth.hear();
        berth.due.clear();
        berth.control.reconcile(WEB);
        assertThat(Objects.requireNonNull(cluster.services.get(WEB)).ingress()).isNotEmpty();
    }

    private String version() {
        return Objects.requireNonNull(cluster.services.get(WEB)).resourceVersion();
    }

    @Test
    void eventOfTheWriteItself_isNoReasonToLookAgain() {
        meanwhile = () -> {
            if (!Objects.requireNonNull(cluster.services.get(WEB)).ingress().isEmpty()) {
                berth.hear();
                assertThat(berth.control.takeEchoOfOurWrite(WEB, "u1", version()))
                        .isTrue();
                meanwhile = () -> {};
            }
        };

        reconcile();

        assertThat(berth.due).isEmpty();
    }

    @Test
    void anyOtherEvent_isLookedAtOnceTheWriteIsOver() {
        meanwhile = () -> {
            if (!Objects.requireNonNull(cluster.services.get(WEB)).ingress().isEmpty()) {
                assertThat(berth.control.takeEchoOfOurWrite(WEB, "u1", "another"))
                        .isTrue();
                assertThat(berth.due).isEmpty();
                meanwhile = () -> {};
            }
        };

        reconcile();

        assertThat(berth.due).contains(WEB);
    }
}
