package dev.berth.app;

import dev.berth.controller.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Does things after a delay, each on its own virtual thread, until it is closed. Goes by the time that passes. */
final class DelayedExecutor implements Timer, AutoCloseable {
    /** How long to wait, at the end, for what is just being done. */
    private static final Duration ENDING = Duration.ofSeconds(2);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("later").factory());
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    private final Duration ending;
    private volatile boolean closed;

    DelayedExecutor() {
        this(ENDING);
    }

    /** With another time to wait at the end. */
    DelayedExecutor(Duration ending) {
        this.ending = ending;
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler((what, closing) -> {});
    }

    @Override
    public Runnable after(Duration delay, Runnable what) {
        Future<?> task = timer.schedule(() -> start(what), TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
        return () -> task.cancel(false);
    }

    private void start(Runnable what) {
        Thread.startVirtualThread(() -> {
            running.add(Thread.currentThread());
            try {
                if (!closed) {
                    what.run();
                }
            } finally {
                running.remove(Thread.currentThread());
            }
        });
    }

    /**
     * Nothing begins any more, and what is being done is interrupted.
     *
     * @throws IllegalStateException if some of it is still running: it may still write
     */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        running.forEach(Thread::interrupt);
        long until = System.nanoTime() + ending.toNanos();
        try {
            for (Thread one : running) {
                one.join(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        long left = running.stream().filter(Thread::isAlive).count();
        if (left > 0) {
            throw new IllegalStateException(left + " tasks are still running");
        }
    }
}
