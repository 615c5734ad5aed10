package dev.berth.dataplane.haproxy;

import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Does what many callers ask for in few goes. One who comes when nothing was done for a while is served at once. After each
 * go there is a pause, as long as the go was, but bounded: who comes meanwhile is served with all others that do, so that
 * goes take half of the time at most.
 *
 * <p>What fails together is tried in halves, down to each alone: nobody is refused for what another asks.
 *
 * @param <T> what a caller asks for
 */
final class Batches<T> {
    /** For finding out which of those that fail together is the reason. */
    private static final Duration FINDING_OUT = Duration.ofSeconds(10);

    /** When one comes again for which that was too short. */
    private static final Duration COME_AGAIN = Duration.ofSeconds(1);

    private final Duration longestPause;
    private final LongSupplier nanoTime;
    private final Later later;
    private final Function<List<T>, Came<T>> go;

    private final List<Asked<T>> waiting = new ArrayList<>();
    /** A go is to come, or under way. */
    private boolean isPlanned;

    private long start;
    private long end;

    /** Runs something after a delay; one at a time, each to its end. */
    interface Later {
        void run(Runnable what, Duration delay);
    }

    /**
     * What came of one go.
     *
     * @param refused what could not be done, each for a reason of its own; all else was, or failed together
     * @param failed what failed together, so that nothing of it was done; it may be the fault of one
     * @param why it did; null: nothing failed together
     */
    record Came<T>(
            SequencedMap<T, RuntimeException> refused,
            List<T> failed,
            @Nullable RuntimeException why) {
        static <T> Came<T> done(SequencedMap<T, RuntimeException> refused) {
            return new Came<>(refused, List.of(), null);
        }
    }

    private record Asked<T>(T what, CompletableFuture<Void> done) {}

    /**
     * Goes, with nothing to do yet.
     *
     * @param go does all of it, or says what it could not do
     */
    Batches(Duration longestPause, LongSupplier nanoTime, Later later, Function<List<T>, Came<T>> go) {
        this.longestPause = longestPause;
        this.nanoTime = nanoTime;
        this.later = later;
        this.go = go;
        this.end = nanoTime.getAsLong();
        this.start = end;
    }

    /**
     * Returns when it is done.
     *
     * @throws RuntimeException why it could not be done
     * @throws ProviderException if the caller is interrupted; it will not be done, or has been, for a go that has begun with it is
     *     waited for
     */
    void run(T what) {
        Asked<T> asked = ask(what);
        try {
            asked.done.get();
        } catch (InterruptedException stopping) {
            if (!cancel(asked)) {
                // Whoever asks next about the same must see what came of it. It ends soon, and nothing interrupts join.
                asked.done.exceptionally(refused -> null).join();
            }
            Thread.currentThread().interrupt();
            throw new ProviderException("interrupted", stopping);
        } catch (ExecutionException refused) {
            if (refused.getCause() instanceof RuntimeException reason) {
                throw reason;
            }
            throw new IllegalStateException(refused.getCause());
        }
    }

    private synchronized Asked<T> ask(T what) {
        if (!isPlanned) {
            plan();
        }
        Asked<T> asked = new Asked<>(what, new CompletableFuture<>());
        waiting.add(asked);
        return asked;
    }

    private void plan() {
        long pause = Math.min(end - start, longestPause.toNanos());
        long passed = nanoTime.getAsLong() - end;
        try {
            later.run(this::go, Duration.ofNanos(Math.max(0, pause - passed)));
        } catch (RejectedExecutionException closed) {
            throw new ProviderException("Berth ends", closed);
        }
        isPlanned = true;
    }

    /** Whether no go has begun with it. */
    private synchronized boolean cancel(Asked<T> asked) {
        return waiting.remove(asked);
    }

    private synchronized List<Asked<T>> begin() {
        List<Asked<T>> all = List.copyOf(waiting);
        waiting.clear();
        start = nanoTime.getAsLong();
        return all;
    }

    private synchronized void end() {
        end = nanoTime.getAsLong();
        isPlanned = false;
        if (waiting.isEmpty()) {
            return;
        }
        try {
            plan();
        } catch (ProviderException closed) {
            waiting.forEach(asked -> asked.done.completeExceptionally(closed));
            waiting.clear();
        }
    }

    private void go() {
        List<Asked<T>> all = begin();
        try {
            SequencedMap<T, RuntimeException> refused = tryAll(all);
            end();
            all.forEach(asked -> {
                RuntimeException reason = refused.get(asked.what);
                if (reason == null) {
                    asked.done.complete(null);
                } else {
                    asked.done.completeExceptionally(reason);
                }
            });
        } catch (RuntimeException | Error nothingDone) {
            end();
            all.forEach(asked -> asked.done.completeExceptionally(nothingDone));
        }
    }

    private SequencedMap<T, RuntimeException> tryAll(List<Asked<T>> all) {
        Came<T> came = go.apply(all.stream().map(Asked::what).toList());
        SequencedMap<T, RuntimeException> refused = new LinkedHashMap<>(came.refused);
        if (came.why != null) {
            new FindingOut(refused, came.failed.size()).halves(came.failed, came.why);
        }
        return refused;
    }

    /** Which of those that failed together are refused. */
    private final class FindingOut {
        private final long began = nanoTime.getAsLong();
        private final SequencedMap<T, RuntimeException> refused;
        private final int together;

        FindingOut(SequencedMap<T, RuntimeException> refused, int together) {
            this.refused = refused;
            this.together = together;
        }

        void halves(List<T> failed, RuntimeException why) {
            if (failed.size() == 1) {
                refused.put(failed.getFirst(), why);
                return;
            }
            alone(failed.subList(0, failed.size() / 2));
            alone(failed.subList(failed.size() / 2, failed.size()));
        }

        private void alone(List<T> some) {
            if (nanoTime.getAsLong() - began > FINDING_OUT.toNanos()) {
                some.forEach(one -> refused.put(one, notTried()));
                return;
            }
            try {
                Came<T> came = go.apply(List.copyOf(some));
                refused.putAll(came.refused);
                if (came.why != null) {
                    halves(came.failed, came.why);
                }
            } catch (RuntimeException noneDone) {
                some.forEach(one -> refused.put(one, noneDone));
            }
        }

        private ProviderException notTried() {
            return new ProviderException(
                            "%d changes came together, and one of them is refused; which one was not found out within %d s, so that this"
                                            .formatted(together, FINDING_OUT.toSeconds())
                                    + " one was not tried alone; it is tried again")
                    .withRetryAfter(COME_AGAIN);
        }
    }
}
