package dev.berth.agent;

/** When neighbours are told where an address is: several times, for a frame may be lost. Times are milliseconds. */
final class RepeatSchedule {
    private static final long[] AFTER = {0, 100, 500, 1_000, 2_000, 4_000, 8_000};

    private long began;
    private int announced;

    /** The first is at once. */
    RepeatSchedule(long now) {
        began = now;
    }

    /** All of them again. */
    void begin(long now) {
        began = now;
        announced = 0;
    }

    /** How long ago the first one was due. */
    long age(long now) {
        return now - began;
    }

    /** When the next one is due; {@link Long#MAX_VALUE}: never. */
    long next() {
        return announced < AFTER.length ? began + AFTER[announced] : Long.MAX_VALUE;
    }

    /** One more has been. */
    void announced() {
        announced++;
    }
}
