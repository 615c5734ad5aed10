package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.kube.AnsweringServer;
import dev.berth.kube.AnsweringServer.Answer;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PreflightTest {
    /** As one does while a whole cluster starts after a power cut. */
    @Test
    void apiServerThatDoesNotAnswerInTime_isAskedAgain_atTheStart() {
        AtomicInteger asked = new AtomicInteger();
        Semaphore answers = new Semaphore(0);
        try (AnsweringServer slow = new AnsweringServer("/apis/berth.dev", request -> {
            if (asked.incrementAndGet() == 1) {
                answers.acquireUninterruptibly();
            }
            return new Answer(200, "{\"items\": []}");
        })) {
            slow.client().getConfiguration().setRequestTimeout(1_000);

            assertThat(Preflight.check(slow.client(), List.of(BGPPeer.class), 2))
                    .isEmpty();
            assertThat(asked).hasValue(2);
            answers.release();
        }
    }

    @Test
    void inAPod_nobodyIsSentToAKubeconfig() {
        assertThat(Preflight.advice(false)).doesNotContain("kubeconfig").contains("the Pod's ServiceAccount");
        assertThat(Preflight.advice(true)).isEqualTo("check the kubeconfig");
    }
}
