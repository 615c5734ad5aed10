package dev.berth.agent;

/**
 * When to decide: again and again, and at once when something is otherwise. Decisions that follow each other take a fifth of the
 * time at most, where they are short, and are ten a second at most, where they are long. Times are milliseconds of a
 * steady clock.
 */
final class Pace {
    /** Some things change without an event. */
    static final long LOOK_AGAIN = 1_000;

    /** From one decision because of a change to the next; what comes meanwhile is decided about together. */
    static final long SHORTEST = 10;

    static final long LONGEST = 100;
    private static final long SHARE = 5;

    private final long lookAgain;
    private long pause = LONGEST;
    private long last;

    /** When it was decided last because of a change: a look that finds nothing holds up none that comes after it. */
    private long lastChange;

    private boolean isDue;

    /** To decide at once, and every second. */
    Pace(long now) {
        this(now, LOOK_AGAIN);
    }

    /** @param lookAgain how often to decide without any change */
    Pace(long now, long lookAgain) {
        this.lookAgain = lookAgain;
        last = now - lookAgain;
        lastChange = now - LONGEST;
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
        if (isDue) {
            lastChange = now;
        }
        isDue = false;
        return true;
    }

    /** For so long the last decision took. */
    void took(long millis) {
        pause = Math.clamp(SHARE * millis, SHORTEST, LONGEST);
    }

    long next() {
        return isDue ? lastChange + pause : last + lookAgain;
    }
}
