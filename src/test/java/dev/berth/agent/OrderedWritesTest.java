package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class OrderedWritesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final OrderedWrites writes = new OrderedWrites();
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final CountDownLatch answer = new CountDownLatch(1);

    private Thread started(OrderedWrites.Write write) {
        return Thread.ofPlatform().start(() -> {
            try {
                write.run();
            } catch (Exception failure) {
                written.add(failure.toString());
            }
        });
    }

    private Thread writeThatIsUnderWay() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Thread one = started(() -> writes.next(() -> {
            begun.countDown();
            answer.await();
            written.add("report");
        }));
        begun.await();
        return one;
    }

    @Test
    void last_waitsForAWriteThatIsUnderWay() throws InterruptedException {
        Thread one = writeThatIsUnderWay();
        Thread last = started(() -> writes.last(PATIENCE, () -> written.add("none")));
        await().until(() -> last.getState() == Thread.State.TIMED_WAITING);
        answer.countDown();
        one.join();
        last.join();
        assertThat(written).containsExactly("report", "none");
    }

    /** The API server may not answer at all. */
    @Test
    void last_isWrittenAllTheSame_whereTheWriteBeforeItDoesNotEnd() throws Exception {
        Thread one = writeThatIsUnderWay();
        writes.last(Duration.ofMillis(1), () -> written.add("none"));
        assertThat(written).containsExactly("none");
        answer.countDown();
        one.join();
    }

    @Test
    void nothing_isWrittenAfterTheLast() throws Exception {
        writes.last(PATIENCE, () -> written.add("none"));
        writes.next(() -> written.add("report"));
        assertThat(writes.isOver()).isTrue();
        assertThat(written).containsExactly("none");
    }
}
