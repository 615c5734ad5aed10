package dev.berth.agent;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** What one thread writes of this agent again and again, and another for the last time: that has to arrive last. */
final class OrderedWrites {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean isOver;

    /** Writes to the API server. */
    interface Write {
        void run() throws IOException, InterruptedException;
    }

    /** Whether {@link #last} has begun. */
    boolean isOver() {
        return isOver;
    }

    /** Writes, but not after {@link #last}. */
    void next(Write write) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!isOver) {
                write.run();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes for the last time.
     *
     * @param patience for how long it waits for a write that is under way; then it is written all the same
     */
    void last(Duration patience, Write write) throws IOException, InterruptedException {
        isOver = true;
        boolean isAlone = lock.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            write.run();
        } finally {
            if (isAlone) {
                lock.unlock();
            }
        }
    }
}
