package dev.berth.agent;

import java.util.random.RandomGenerator;

/**
 * When an agent writes its report. At once after a quiet time, and then the rarer the more nodes there are: each of them
 * may have something to say whenever one Service changes. Times are milliseconds of a steady clock.
 */
final class ReportPace {
    /** So many reports a second are written in the whole cluster, at most. */
    private static final int PER_SECOND = 10;

    static final long SHORTEST = 1_000;

    /** How often one is written that says the same: somebody may have deleted it. The API server stores none of these. */
    static final long REPEAT = 600_000;

    static final long FIRST_PAUSE = 1_000;
    static final long LONGEST_PAUSE = 60_000;

    private final RandomGenerator random;
    private long last;
    private long notBefore;
    private long repeat;
    private long pause = FIRST_PAUSE;

    /** Of one that has written nothing yet. */
    ReportPace(RandomGenerator random, long now) {
        this.random = random;
        last = now - LONGEST_PAUSE;
        notBefore = now;
    }

    /**
     * Whether to write now.
     *
     * @param differs whether there is something else to say than was written last
     * @param nodes how many the cluster has
     */
    boolean isDue(boolean differs, int nodes, long now) {
        return now >= notBefore
                && (differs ? now - last >= Math.max(SHORTEST, nodes * 1_000L / PER_SECOND) : now - last >= repeat);
    }

    void wrote(long now) {
        last = now;
        repeat = REPEAT + random.nextLong(REPEAT / 10);
        pause = FIRST_PAUSE;
    }

    /** Tries again later, and not when all others do. */
    void failed(long now) {
        notBefore = now + pause / 2 + random.nextLong(pause);
        pause = Math.min(LONGEST_PAUSE, 2 * pause);
    }
}
