package dev.berth.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private static final int AT_ONCE = 3;

    private final Workers workers = new Workers(AT_ONCE);
    private final AtomicInteger begun = new AtomicInteger();
    private final Semaphore ends = new Semaphore(0);

    @AfterEach
    void end() {
        ends.release(1_000);
        workers.shutdownNow();
    }

    private void submit(int tasks, Runnable what) {
        IntStream.range(0, tasks)
                .forEach(i -> workers.execute(() -> {
                    begun.incrementAndGet();
                    what.run();
                }));
    }

    private String untilItEnds() {
        ends.acquireUninterruptibly();
        return "ended";
    }

    private void awaitBegun(int tasks) {
        Awaitility.await().untilAsserted(() -> assertThat(begun).hasValue(tasks));
    }

    @Test
    void atMostSoManyAreWorkedOn_andEachThatEndsMakesRoomForOne() {
        submit(1_000, this::untilItEnds);

        awaitBegun(AT_ONCE);
        assertThat(workers.getPoolSize()).isEqualTo(AT_ONCE);
        assertThat(workers.getQueue()).hasSize(1_000 - AT_ONCE);
        ends.release(5);
        awaitBegun(AT_ONCE + 5);
    }

    @Test
    void whoStepsAsideMakesRoomForAnother_andTakesNobodysPlaceAfterwards() {
        submit(AT_ONCE, () -> assertThat(Workers.aside(this::untilItEnds)).isEqualTo("ended"));
        awaitBegun(AT_ONCE);
        CountDownLatch others = new CountDownLatch(1);
        submit(100, () -> awaitQuietly(others));

        awaitBegun(2 * AT_ONCE);
        ends.release(AT_ONCE);
        Awaitility.await().untilAsserted(() -> assertThat(workers.getPoolSize()).isEqualTo(AT_ONCE));
        assertThat(begun).hasValue(2 * AT_ONCE);
        others.countDown();
        awaitBegun(AT_ONCE + 100);
    }

    @Test
    void whoIsAsideAlreadyMakesNoMoreRoom() {
        submit(
                1,
                () -> assertThat(Workers.aside(() -> Workers.aside(this::untilItEnds)))
                        .isEqualTo("ended"));
        awaitBegun(1);

        submit(100, this::untilItEnds);

        awaitBegun(1 + AT_ONCE);
        assertThat(workers.getPoolSize()).isEqualTo(1 + AT_ONCE);
    }

    @Test
    void onAThreadOfNobodysAsideIsTheCallAlone() {
        assertThat(Workers.aside(() -> "called")).isEqualTo("called");
    }

    /** What is kept for it would be kept from others until all the others are done. */
    @Test
    void whatIsSubmittedAhead_isDoneBeforeAllThatWaits() {
        List<String> done = new CopyOnWriteArrayList<>();
        submit(AT_ONCE, this::untilItEnds);
        awaitBegun(AT_ONCE);
        workers.execute(() -> done.add("first"));
        workers.execute(() -> done.add("second"));

        Workers.ahead(() -> workers.execute(() -> done.add("ahead")));
        workers.execute(() -> done.add("last"));
        ends.release(1);

        Awaitility.await().untilAsserted(() -> assertThat(done).containsExactly("ahead", "first", "second", "last"));
    }

    @Test
    void withTooManyAside_noOtherBegins() {
        submit(100 * AT_ONCE, () -> assertThat(Workers.aside(this::untilItEnds)).isEqualTo("ended"));

        awaitBegun(9 * AT_ONCE);
        Awaitility.await().until(() -> ends.getQueueLength() == 9 * AT_ONCE);
        assertThat(begun).hasValue(9 * AT_ONCE);
        ends.release(100 * AT_ONCE);
        awaitBegun(100 * AT_ONCE);
    }

    /** Whatever comes between looking for a free worker and the queue. */
    @Test
    void taskThatIsSubmittedJustAsTheOnlyWorkerStepsAside_begins() throws InterruptedException {
        for (int round = 0; round < 5_000; round++) {
            CountDownLatch second = new CountDownLatch(1);
            Workers one = new Workers(1);
            try {
                one.execute(() -> Workers.aside(() -> {
                    awaitQuietly(second);
                    return "done";
                }));
                one.execute(second::countDown);

                assertThat(second.await(1, TimeUnit.MINUTES))
                        .as("round " + round)
                        .isTrue();
            } finally {
                one.shutdownNow();
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}
