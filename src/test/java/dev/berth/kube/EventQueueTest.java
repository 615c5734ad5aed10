package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private final EventQueue<String> queue = new EventQueue<>(100);

    private List<String> take(int number) throws InterruptedException {
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            taken.add(queue.take());
        }
        return taken;
    }

    @Test
    void aWarning_goesBeforeNormalOnesThatCameEarlier() throws InterruptedException {
        IntStream.range(0, 50).forEach(i -> queue.offer("n" + i, false));
        queue.offer("w0", true);
        queue.offer("w1", true);

        assertThat(take(4)).containsExactly("w0", "w1", "n0", "n1");
    }

    @Test
    void whereWarningsNeverEnd_everyTenthIsANormalOne() throws InterruptedException {
        IntStream.range(0, 3).forEach(i -> queue.offer("n" + i, false));
        IntStream.range(0, 30).forEach(i -> queue.offer("w" + i, true));

        List<String> taken = take(33);

        assertThat(taken.indexOf("n0")).isEqualTo(9);
        assertThat(taken.indexOf("n1")).isEqualTo(19);
        assertThat(taken.indexOf("n2")).isEqualTo(29);
        assertThat(taken.getLast()).isEqualTo("w29");
    }

    @Test
    void afterManyWarnings_oneNormalOneIsFirst_andThenWarningsAre() throws InterruptedException {
        IntStream.range(0, 25).forEach(i -> queue.offer("w" + i, true));
        assertThat(take(25)).last().isEqualTo("w24");

        queue.offer("w25", true);
        queue.offer("w26", true);
        queue.offer("n0", false);
        queue.offer("n1", false);

        assertThat(take(4)).containsExactly("n0", "w25", "w26", "n1");
    }

    @Test
    void eachKind_hasItsOwnRoom() {
        IntStream.range(0, 100)
                .forEach(i -> assertThat(queue.offer("n" + i, false)).isTrue());

        assertThat(queue.offer("n100", false)).isFalse();
        assertThat(queue.offer("w0", true)).isTrue();
    }

    @Test
    void take_waitsForTheNext() throws Exception {
        CompletableFuture<String> taken = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                taken.complete(queue.take());
            } catch (InterruptedException interrupted) {
                taken.completeExceptionally(interrupted);
            }
        });
        queue.offer("n0", false);

        assertThat(taken.get(10, TimeUnit.SECONDS)).isEqualTo("n0");
    }
}
