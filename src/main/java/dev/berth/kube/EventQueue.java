package dev.berth.kube;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * Events that wait to be written: warnings first, for they say what somebody has to do, and a burst of
 * normal ones takes minutes to write. Bounded, each kind by itself; and where warnings never end, every
 * tenth is a normal one all the same. Safe for several threads that add, and one that takes.
 */
final class EventQueue<E> {
    private static final int WARNINGS_IN_A_ROW = 9;

    private final BlockingQueue<E> warnings;
    private final BlockingQueue<E> normal;

    /** One for each element in the two together. */
    private final Semaphore waiting = new Semaphore(0);

    private int inARow;

    /**
     * An empty one.
     *
     * @param capacity how many of each kind there is room for
     */
    EventQueue(int capacity) {
        warnings = new ArrayBlockingQueue<>(capacity);
        normal = new ArrayBlockingQueue<>(capacity);
    }

    /** Adds one; false: there is no room. */
    boolean offer(E event, boolean warning) {
        boolean added = (warning ? warnings : normal).offer(event);
        if (added) {
            waiting.release();
        }
        return added;
    }

    /** Takes the next one, and waits for it if there is none. */
    E take() throws InterruptedException {
        waiting.acquire();
        boolean warningsFirst = inARow < WARNINGS_IN_A_ROW;
        E first = (warningsFirst ? warnings : normal).poll();
        boolean found = first != null;
        // The permit says that there is one in the other, then.
        E next = first != null ? first : (warningsFirst ? normal : warnings).take();
        inARow = found == warningsFirst ? inARow + 1 : 0;
        return next;
    }
}
