package dev.berth.address;

import java.time.Instant;
import java.util.Comparator;

/**
 * A Service's place among those that wait.
 *
 * @param since when it began to wait
 * @param created the Service's creation
 */
public record WaitTurn(Instant since, Instant created, String uid) implements Comparable<WaitTurn> {
    /** Before everyone who waits. */
    public static final WaitTurn FIRST = new WaitTurn(Instant.EPOCH, Instant.EPOCH, "");

    private static final Comparator<WaitTurn> ORDER = Comparator.comparing(WaitTurn::since)
            .thenComparing(WaitTurn::created)
            .thenComparing(WaitTurn::uid);

    @Override
    public int compareTo(WaitTurn other) {
        return ORDER.compare(this, other);
    }
}
