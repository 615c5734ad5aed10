package dev.berth.agent;

/**
 * Has garbage collected once changes have come to an end. What they leave in the old generation would stay until that is
 * full, and the JVM gives memory back only after it was collected. Times are milliseconds of a steady clock.
 */
final class QuietCollection {
    /** For how long nothing must have changed. */
    static final long QUIET = 30_000;

    private final Runnable collector;
    private long version;
    private long since;
    private boolean isDue;

    /** @param collector collects all garbage, which stops all threads for some 20 ms */
    QuietCollection(Runnable collector) {
        this.collector = collector;
    }

    /**
     * Collects, if it is time.
     *
     * @param current another number whenever something has changed
     */
    void look(long current, long now) {
        if (current != version) {
            version = current;
            since = now;
            isDue = true;
        } else if (isDue && now - since >= QUIET) {
            isDue = false;
            collector.run();
        }
    }
}
