package dev.berth.agent;

/**
 * When to decide: every second, at once when something is otherwise, and ten times a second at most, whatever comes. Times
 * are milliseconds of a steady clock.
 */
final class Pace {
    /** Interfaces change without a word. */
    static final long LOOK_AGAIN = 1_000;

    /** What comes meanwhile is decided about together. */
    static final long SHORTEST = 100;

    private long last;
    private boolean isDue;

    /** To decide at once. */
    Pace(long now) {
        last = now - LOOK_AGAIN;
    }

    /** Something is otherwise. */
    void change() {
        isDue = true;
    }

    /** Whether there is something to be decided about, and it is too early. */
    boolean isHeldUp(long now) {
        return isDue && now < next();
    }

    /** Whether to decide now; then it counts as done. */
    boolean begins(long now) {
        if (now < next()) {
            return false;
        }
        last = now;
        isDue = false;
        return true;
    }

    long next() {
        return last + (isDue ? SHORTEST : LOOK_AGAIN);
    }
}
