package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.cluster.Line.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A Service that the API server lets nobody write. */
class RefusedFinalizerTest extends CloudStage {
    @Test
    void neitherFinalizerNorStatus_isSentAgainBeforeItsTime_whateverEventsCome() {
        create("web");
        writes = Fault.REFUSED;
        reconcile("web");
        assertThat(sent).isEqualTo(2);

        reconcile("web");
        reconcile("web");
        assertThat(sent).isEqualTo(2);

        writes = Fault.NONE;
        clock = clock.plus(Duration.ofMinutes(6));
        reconcile("web");
        assertThat(service("web").ingress()).isNotEmpty();
    }
}
