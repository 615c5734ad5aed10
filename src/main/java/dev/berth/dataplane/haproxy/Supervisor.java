package dev.berth.dataplane.haproxy;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks all the time whether HAProxy works, and has it looked after. What is done takes turns with changes, which may take
 * long; looks wait for nothing.
 */
final class Supervisor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final long LOOK_AGAIN_MILLIS = 500;

    /** After so many HAProxy is no good: another host may have the addresses. */
    private static final int BAD_LOOKS = 2;

    private final BooleanSupplier runs;
    private final Runnable lookAfter;

    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("haproxy-supervisor").factory());

    /** One for what is looked after, and one for changes. */
    private final ScheduledExecutorService working = Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().daemon().name("haproxy-changes-", 0).factory());

    private final AtomicBoolean isLookedAfter = new AtomicBoolean();

    /** How many looks have failed, one after the other. */
    private volatile int badLooks = BAD_LOOKS;

    /** The last one that was said; empty: none since it worked. */
    private volatile String failure = "";

    /**
     * Nobody looks yet.
     *
     * @param runs whether HAProxy runs; throws where that cannot be said, because it does not answer
     * @param lookAfter starts it if it does not run, and the like
     */
    Supervisor(BooleanSupplier runs, Runnable lookAfter) {
        this.runs = runs;
        this.lookAfter = lookAfter;
    }

    /** Looks again and again from now on, after {@code takeOver}. */
    void begin(Runnable takeOver) {
        try {
            takeOver.run();
            badLooks = 0;
        } catch (RuntimeException later) {
            say(later);
        }
        ScheduledFuture<?> _ =
                looking.scheduleWithFixedDelay(this::look, LOOK_AGAIN_MILLIS, LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Whether HAProxy carries traffic, by the last looks. */
    boolean works() {
        return badLooks < BAD_LOOKS;
    }

    /** Runs a change after a while; it delays no look. */
    void later(Runnable what, Duration delay) {
        ScheduledFuture<?> _ = working.schedule(what, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void look() {
        try {
            badLooks = runs.getAsBoolean() ? 0 : Math.min(badLooks + 1, BAD_LOOKS);
            if (isLookedAfter.compareAndSet(false, true)) {
                working.execute(this::lookAfter);
            }
        } catch (RejectedExecutionException ending) {
            isLookedAfter.set(false);
        } catch (RuntimeException | Error failed) {
            // Also where no thread or no memory is left: it must go on looking, and let another host have the
            // addresses.
            badLooks = Math.min(badLooks + 1, BAD_LOOKS);
            say(failed);
        }
    }

    private void lookAfter() {
        try {
            lookAfter.run();
            failure = "";
        } catch (RuntimeException | Error failed) {
            say(failed);
        } finally {
            isLookedAfter.set(false);
        }
    }

    private void say(Throwable failed) {
        String message = String.valueOf(failed.getMessage());
        if (!message.equals(failure)) {
            LOG.error("looking after HAProxy: {}", message);
        }
        failure = message;
    }

    /** Looks no more, once what is under way has ended. */
    @Override
    public void close() {
        looking.close();
        working.close();
    }
}
