package dev.berth.claim;

import java.time.Instant;
import java.util.Comparator;

/**
 * A Service's place among those that wait.
 *
 * @param since when it began to wait
 * @param created the Service's creation
 */
public record QueuePosition(Instant since, Instant created, String uid) implements Comparable<QueuePosition> {
    /** Before everyone who waits. */
    public static final QueuePosition FIRST = new QueuePosition(Instant.EPOCH, Instant.EPOCH, "");

    private static final Comparator<QueuePosition> ORDER = Comparator.comparing(QueuePosition::since)
            .thenComparing(QueuePosition::created)
            .thenComparing(QueuePosition::uid);

    @Override
    public int compareTo(QueuePosition other) {
        return ORDER.compare(this, other);
    }
}
