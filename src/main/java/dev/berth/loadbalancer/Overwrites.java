package dev.berth.loadbalancer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How often another controller wrote to the status of one Service. A value. One that has its name after it begins at
 * none.
 *
 * @param times of those that count
 * @param conflicts how often it was let stand in a row
 * @param letStandUntil by the clock that nobody sets
 * @param standing what another wrote, and what has not been put right since; null: nothing
 */
public record Overwrites(
        String uid,
        List<Instant> times,
        int conflicts,
        Instant letStandUntil,
        @Nullable List<Published> standing) {
    /** Overwrites longer ago than this do not count. */
    private static final Duration WITHIN = ServiceConditions.OVERWRITES_WITHIN;

    /** From this one on, an overwrite is not put right at once. */
    private static final int IN_CONFLICT = 3;

    public Overwrites {
        times = List.copyOf(times);
        standing = standing == null ? null : List.copyOf(standing);
    }

    /** Nobody wrote to the status of the Service of this uid. */
    public static Overwrites none(String uid) {
        return new Overwrites(uid, List.of(), 0, Instant.EPOCH, null);
    }

    /** What to do about what another wrote. */
    public sealed interface Verdict {
        /** What is remembered from now on. */
        Overwrites after();

        /** Whether it is seen for the first time: the write that was to put it right may have failed. */
        boolean isNew();
    }

    /** Put it right at once. */
    record PutRight(Overwrites after, boolean isNew) implements Verdict {}

    /** Let it stand for a while from now on. */
    record LetStand(Overwrites after, boolean isNew) implements Verdict {}

    /** Let it stand still. */
    record StillStands(Overwrites after, boolean isNew, Duration left) implements Verdict {}

    /**
     * Another wrote {@code ingress}. The third time within ten minutes it is let stand for a while, then put right again,
     * and so on with growing delays: two controllers that both insist would write forever.
     */
    public Verdict by(List<Published> ingress, Instant now) {
        boolean isNew = !ingress.equals(standing);
        if (now.isBefore(letStandUntil)) {
            return new StillStands(
                    new Overwrites(uid, times, conflicts, letStandUntil, ingress),
                    isNew,
                    Duration.between(now, letStandUntil));
        }
        boolean waited = letStandUntil.isAfter(Instant.EPOCH);
        return isNew && !waited
                ? counted(ingress, now)
                : new PutRight(new Overwrites(uid, times, conflicts, Instant.EPOCH, ingress), isNew);
    }

    private Verdict counted(List<Published> ingress, Instant now) {
        int before = isRecent(now) ? conflicts : 0;
        List<Instant> recent = Stream.concat(
                        times.stream()
                                .filter(time ->
                                        isRecent(now) && !time.plus(WITHIN).isBefore(now)),
                        Stream.of(now))
                .toList();
        return recent.size() < IN_CONFLICT
                ? new PutRight(new Overwrites(uid, recent, before, Instant.EPOCH, ingress), true)
                : new LetStand(new Overwrites(uid, recent, before + 1, Instant.EPOCH, ingress), true);
    }

    private boolean isRecent(Instant now) {
        return !times.isEmpty() && times.getLast().plus(WITHIN).isAfter(now);
    }

    /** It is let stand until {@code then}. */
    Overwrites letStand(Instant then) {
        return new Overwrites(uid, times, conflicts, then, standing);
    }

    /** What another wrote stands there no longer. */
    public Overwrites putRight() {
        return new Overwrites(uid, times, conflicts, letStandUntil, null);
    }

    /** Whether another keeps writing. */
    public boolean isInConflict(Instant now) {
        return conflicts > 0 && (isRecent(now) || now.isBefore(letStandUntil));
    }
}
