package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DelayedExecutorTest {
    @Test
    void whatIsDueAfterTheClose_isNeverDone_andNoFault() throws InterruptedException {
        DelayedExecutor later = new DelayedExecutor();
        AtomicBoolean done = new AtomicBoolean();
        later.after(Duration.ofDays(1), () -> done.set(true));

        later.close();
        later.after(Duration.ZERO, () -> done.set(true));

        assertThat(done).isFalse();
    }

    @Test
    void whatIsBeingDone_isInterruptedByTheClose_whichWaitsForItsEnd() throws InterruptedException {
        DelayedExecutor later = new DelayedExecutor();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        later.after(Duration.ZERO, () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException told) {
                ended.set(true);
            }
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        later.close();

        assertThat(ended).isTrue();
    }

    /** Else the lease would be handed over while it may write. */
    @Test
    void whatGoesOnForAllThat_failsTheClose() throws InterruptedException {
        DelayedExecutor later = new DelayedExecutor(Duration.ofMillis(1));
        CountDownLatch begun = new CountDownLatch(1);
        Semaphore end = new Semaphore(0);
        later.after(Duration.ZERO, () -> {
            begun.countDown();
            end.acquireUninterruptibly();
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        try {
            assertThatIllegalStateException().isThrownBy(later::close).withMessage("1 tasks are still running");
        } finally {
            end.release();
        }
    }

    @Test
    void whatIsCancelled_isNotDone() throws InterruptedException {
        try (DelayedExecutor later = new DelayedExecutor()) {
            AtomicBoolean done = new AtomicBoolean();
            CountDownLatch after = new CountDownLatch(1);
            later.after(Duration.ofMillis(20), () -> done.set(true)).run();
            later.after(Duration.ofMillis(40), after::countDown);

            assertThat(after.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(done).isFalse();
        }
    }
}
