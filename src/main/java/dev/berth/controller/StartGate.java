package dev.berth.controller;

import java.util.concurrent.CountDownLatch;

/**
 * Holds every control loop back until all that is held is known: a restart can never hand a held
 * address to another. Opens once.
 */
public final class StartGate {
    private final CountDownLatch closed = new CountDownLatch(1);

    public void open() {
        closed.countDown();
    }

    public boolean isOpen() {
        return closed.getCount() == 0;
    }

    /** Returns when the gate is open. */
    public void await() {
        try {
            closed.await();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped before it started", stopping);
        }
    }
}
