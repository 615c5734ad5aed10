package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private static final Duration LONGEST = Duration.ofMillis(500);

    private record Planned(Runnable go, Duration delay) {}

    private final Deque<Planned> planned = new ConcurrentLinkedDeque<>();
    private final List<List<String>> goes = new ArrayList<>();
    private final SequencedMap<String, RuntimeException> refused = new LinkedHashMap<>();
    /** Together with which nothing can be done. */
    private final Map<String, RuntimeException> bad = new ConcurrentHashMap<>();

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);

    /** How long a go takes. */
    private long millis = 100;

    private final Batches<String> batches = new Batches<>(LONGEST, now::get, this::plan, all -> {
        goes.add(all);
        pass(millis);
        return came(all);
    });

    /** The worst of those that nothing is done with, whoever is asked for together with it. */
    private Batches.Came<String> came(List<String> all) {
        return all.stream()
                .filter(bad::containsKey)
                .findFirst()
                .map(first -> new Batches.Came<>(refused, all, bad.get(first)))
                .orElseGet(() -> Batches.Came.done(refused));
    }

    private void plan(Runnable go, Duration delay) {
        planned.add(new Planned(go, delay));
    }

    /** Of a caller of its own, who waits; returns once it does. */
    private CompletableFuture<Void> ask(String what) {
        return ask(batches, what);
    }

    private static CompletableFuture<Void> ask(Batches<String> batches, String what) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                batches.run(what);
                asked.complete(null);
            } catch (RuntimeException reason) {
                asked.completeExceptionally(reason);
            }
        });
        soon(() -> caller.getState() == Thread.State.WAITING || asked.isDone());
        return asked;
    }

    private static void soon(Callable<Boolean> condition) {
        Awaitility.await().pollInterval(Duration.ofMillis(1)).until(condition);
    }

    private void go() {
        Planned next = planned.remove();
        now.addAndGet(next.delay.toNanos());
        next.go.run();
    }

    private void serve(String what) {
        CompletableFuture<Void> asked = ask(what);
        go();
        asked.join();
    }

    private void pass(long millis) {
        now.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    @Test
    void theFirst_isServedAtOnce() {
        CompletableFuture<Void> first = ask("first");

        assertThat(planned).extracting(Planned::delay).containsExactly(Duration.ZERO);
        go();

        first.join();
        assertThat(goes).containsExactly(List.of("first"));
    }

    @Test
    void thoseThatComeSoonAfter_areServedTogether_afterAPauseAsLongAsTheGo() {
        serve("first");
        pass(30);

        List<CompletableFuture<Void>> others =
                IntStream.range(0, 20).mapToObj(i -> ask("other-" + i)).toList();

        assertThat(planned).extracting(Planned::delay).containsExactly(Duration.ofMillis(70));
        go();
        others.forEach(CompletableFuture::join);
        assertThat(goes).hasSize(2);
        assertThat(goes.getLast()).hasSize(20);
    }

    @Test
    void thePause_isBounded_howeverLongAGoTakes() {
        millis = 10_000;
        serve("first");

        CompletableFuture<Void> _ = ask("second");

        assertThat(planned).extracting(Planned::delay).containsExactly(LONGEST);
    }

    @Test
    void who_comesAfterThePause_isServedAtOnce() {
        serve("first");
        pass(100);

        CompletableFuture<Void> _ = ask("second");

        assertThat(planned).extracting(Planned::delay).containsExactly(Duration.ZERO);
    }

    @Test
    void who_comesDuringAGo_isInTheNextOne() {
        List<List<String>> seen = new ArrayList<>();
        AtomicReference<CompletableFuture<Void>> late = new AtomicReference<>();
        AtomicReference<Batches<String>> self = new AtomicReference<>();
        self.set(new Batches<>(LONGEST, now::get, this::plan, all -> {
            seen.add(all);
            if (seen.size() == 1) {
                late.set(ask(self.get(), "late"));
            }
            pass(40);
            return Batches.Came.done(refused);
        }));
        CompletableFuture<Void> first = ask(self.get(), "first");

        go();
        first.join();
        assertThat(planned).extracting(Planned::delay).containsExactly(Duration.ofMillis(40));
        go();

        late.get().join();
        assertThat(seen).containsExactly(List.of("first"), List.of("late"));
    }

    @Test
    void who_isRefused_isSaidSo_andNobodyElse() {
        refused.put("bad", new ProviderException("it is bad"));
        CompletableFuture<Void> bad = ask("bad");
        CompletableFuture<Void> good = ask("good");

        go();

        soon(bad::isDone);
        assertThat(bad.exceptionNow()).hasMessage("it is bad");
        good.join();
    }

    @Test
    void ofThoseThatFailTogether_eachIsRefusedForItsOwnReason_orDone() {
        bad.put("other-3", new ProviderException("3 is bad"));
        bad.put("other-12", new ProviderException("12 is bad"));
        List<CompletableFuture<Void>> others =
                IntStream.range(0, 16).mapToObj(i -> ask("other-" + i)).toList();

        go();

        soon(() -> others.stream().allMatch(CompletableFuture::isDone));
        for (int i = 0; i < 16; i++) {
            if (i == 3 || i == 12) {
                assertThat(others.get(i).exceptionNow()).hasMessage(i + " is bad");
            } else {
                others.get(i).join();
            }
        }
        assertThat(goes).hasSize(15);
    }

    @Test
    void oneBadAmongMany_isFoundInFewGoes() {
        bad.put("other-700", new ProviderException("700 is bad"));
        List<CompletableFuture<Void>> others =
                IntStream.range(0, 1_024).mapToObj(i -> ask("other-" + i)).toList();

        go();

        soon(() -> others.stream().allMatch(CompletableFuture::isDone));
        assertThat(others.stream().filter(CompletableFuture::isCompletedExceptionally))
                .hasSize(1);
        assertThat(goes).hasSizeLessThanOrEqualTo(21);
    }

    @Test
    void whoIsNotTriedInTime_isAskedToComeAgain_andNotRefusedForAnother() {
        bad.put("other-0", new ProviderException("0 is bad"));
        List<CompletableFuture<Void>> others =
                IntStream.range(0, 16).mapToObj(i -> ask("other-" + i)).toList();
        millis = 4_000;

        go();

        soon(() -> others.stream().allMatch(CompletableFuture::isDone));
        List<Throwable> reasons =
                others.stream().map(CompletableFuture::exceptionNow).toList();
        assertThat(goes).hasSize(4);
        assertThat(reasons)
                .allSatisfy(reason -> assertThat(reason)
                        .hasMessageStartingWith(
                                "16 changes came together, and one of them is refused; which one was not"
                                        + " found out within 10 s")
                        .isInstanceOfSatisfying(
                                ProviderException.class,
                                again -> assertThat(again.retryAfter()).contains(Duration.ofSeconds(1))));
    }

    /** HAProxy hangs in between. */
    @Test
    void whatIsDoneBeforeAGoFails_staysDone() {
        bad.put("first", new ProviderException("it is bad"));
        AtomicBoolean hangs = new AtomicBoolean();
        Batches<String> hanging = new Batches<>(LONGEST, now::get, this::plan, all -> {
            if (hangs.get()) {
                throw new ProviderException("HAProxy hangs");
            }
            hangs.set(all.equals(List.of("good")));
            return came(all);
        });
        List<CompletableFuture<Void>> asked = Stream.of("good", "first", "late")
                .map(what -> ask(hanging, what))
                .toList();

        go();

        asked.getFirst().join();
        soon(() -> asked.stream().allMatch(CompletableFuture::isDone));
        assertThat(asked.get(1).exceptionNow()).hasMessage("HAProxy hangs");
        assertThat(asked.get(2).exceptionNow()).hasMessage("HAProxy hangs");
    }

    @Test
    void aGoThatFails_failsForAllInIt_andTheNextOneComes() {
        List<List<String>> seen = new ArrayList<>();
        Batches<String> fails = new Batches<>(LONGEST, now::get, this::plan, all -> {
            seen.add(all);
            throw new ProviderException("HAProxy hangs");
        });
        for (int i = 1; i <= 2; i++) {
            CompletableFuture<Void> asked = ask(fails, "one");
            go();
            soon(asked::isDone);
            assertThat(asked.exceptionNow()).hasMessage("HAProxy hangs");
        }
        assertThat(seen).hasSize(2);
    }

    @Test
    void who_isInterruptedBeforeTheGo_isNotInIt() throws InterruptedException {
        AtomicReference<Throwable> told = new AtomicReference<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                batches.run("given up");
            } catch (ProviderException interrupted) {
                told.set(interrupted);
            }
        });
        soon(() -> caller.getState() == Thread.State.WAITING);
        CompletableFuture<Void> other = ask("other");

        caller.interrupt();
        caller.join();
        go();

        assertThat(told.get()).hasMessage("interrupted");
        other.join();
        assertThat(goes).containsExactly(List.of("other"));
    }

    /** Else its next call could be answered before this one is done, and be undone by it. */
    @Test
    void who_isInterruptedDuringTheGo_returnsAfterIt() throws InterruptedException {
        AtomicReference<Thread> caller = new AtomicReference<>();
        AtomicBoolean returned = new AtomicBoolean();
        AtomicBoolean returnedBefore = new AtomicBoolean();
        Batches<String> slow = new Batches<>(LONGEST, now::get, this::plan, all -> {
            caller.get().interrupt();
            soon(() -> returned.get() || !caller.get().isInterrupted());
            soon(() -> returned.get() || caller.get().getState() == Thread.State.WAITING);
            returnedBefore.set(returned.get());
            return Batches.Came.done(refused);
        });
        caller.set(Thread.ofVirtual().start(() -> {
            try {
                slow.run("given up");
            } catch (ProviderException interrupted) {
                returned.set(true);
            }
        }));
        soon(() -> caller.get().getState() == Thread.State.WAITING);

        go();
        caller.get().join();

        assertThat(returnedBefore).isFalse();
        assertThat(returned).isTrue();
    }

    @Test
    void afterTheEnd_nothingIsDone() {
        Batches<String> ended = new Batches<>(
                LONGEST,
                now::get,
                (go, delay) -> {
                    throw new RejectedExecutionException();
                },
                all -> Batches.Came.done(refused));

        CompletableFuture<Void> asked = ask(ended, "late");

        assertThat(asked.exceptionNow()).isInstanceOf(ProviderException.class).hasMessage("Berth ends");
    }
}
