package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Whether HAProxy works, whatever else takes its time. */
class SupervisorTest {
    private final AtomicBoolean hangs = new AtomicBoolean();
    private final CountDownLatch end = new CountDownLatch(1);

    private boolean runs() {
        if (hangs.get()) {
            throw new ProviderException("it does not answer");
        }
        return true;
    }

    private void wait(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aSlowChange_delaysNoLook() {
        CountDownLatch begun = new CountDownLatch(1);
        try (Supervisor supervisor = new Supervisor(this::runs, () -> wait(end))) {
            try {
                supervisor.begin(() -> {});
                supervisor.later(
                        () -> {
                            begun.countDown();
                            wait(end);
                        },
                        Duration.ZERO);
                wait(begun);
                assertThat(supervisor.works()).isTrue();

                hangs.set(true);
                Awaitility.await().until(() -> !supervisor.works());
                hangs.set(false);
                Awaitility.await().until(supervisor::works);
            } finally {
                end.countDown();
            }
        }
    }

    @Test
    void whatCannotBeLookedAfter_isTriedAgain() {
        CountDownLatch tried = new CountDownLatch(2);
        try (Supervisor supervisor = new Supervisor(this::runs, () -> {
            tried.countDown();
            throw new ProviderException("not yet");
        })) {
            supervisor.begin(() -> {});
            wait(tried);

            assertThat(supervisor.works()).isTrue();
        }
    }
}
