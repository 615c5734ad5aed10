package dev.berth.controller.service;

import dev.berth.controller.Backoff;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceConditions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What was written to the status of one Service, and how often another controller wrote something else. */
final class StatusWrites {
    /** Overwrites longer ago than this do not count. */
    static final Duration OVERWRITES_WITHIN = ServiceConditions.OVERWRITES_WITHIN;

    /** From this one on, an overwrite is not put right at once. */
    private static final int OVERWRITES_IN_CONFLICT = 3;

    /** How often a status is written only because its provider says something else. */
    static final Duration WORDS_EVERY = Duration.ofSeconds(30);

    private @Nullable Written written;
    private Overwrites overwrites = new Overwrites("");

    /** When other words of its provider were last written. */
    private Instant words = Instant.EPOCH;

    /** The ingress that stood in the status of the Service of this uid after our last write. */
    private record Written(String uid, List<Published> ingress) {}

    /** What others wrote to the status of the Service of this uid: one that bears its name after it begins at none. */
    private static final class Overwrites {
        private final String uid;
        private final Deque<Instant> times = new ArrayDeque<>();
        private int conflicts;
        private Instant letStandUntil = Instant.EPOCH;

        /** What another wrote, and what has not been put right since; null: nothing. */
        private @Nullable List<Published> standing;

        Overwrites(String uid) {
            this.uid = uid;
        }

        boolean isRecent(Instant now) {
            return !times.isEmpty() && times.getLast().plus(OVERWRITES_WITHIN).isAfter(now);
        }
    }

    /** {@code ingress} stands in the status of the Service of {@code uid}, as we want it; empty: we took it off. */
    void published(String uid, List<Published> ingress) {
        written = ingress.isEmpty() ? null : new Written(uid, ingress);
        overwrites.standing = null;
    }

    /** What was written last: whatever else stands there now is another's; null: nothing, as far as is remembered. */
    @Nullable List<Published> published(String uid) {
        Written last = written;
        return last != null && last.uid().equals(uid) ? last.ingress() : null;
    }

    /** How long other words of its provider, and nothing else, must wait; absent: not at all. */
    Optional<Duration> wordsMustWait(Instant now) {
        Duration passed = Duration.between(words, now).abs();
        return passed.compareTo(WORDS_EVERY) < 0 ? Optional.of(WORDS_EVERY.minus(passed)) : Optional.empty();
    }

    /** They are written now. */
    void writesWords(Instant now) {
        words = now;
    }

    /**
     * What to do about what another wrote.
     *
     * @param isNew whether it is seen for the first time: the write that was to put it right may have failed
     * @param letStand how long to let it stand; absent: put it right at once
     */
    record Overwrite(boolean isNew, Optional<Duration> letStand) {}

    /**
     * Another wrote {@code ingress} to the status of the Service of {@code uid}, which is ours. The third time within
     * ten minutes it is let stand for a while, then put right again, and so on with growing delays: two controllers
     * that both insist would write for ever.
     */
    Overwrite overwritten(String uid, List<Published> ingress, Backoff backoff, Instant now) {
        if (!uid.equals(overwrites.uid)) {
            overwrites = new Overwrites(uid);
        }
        boolean isNew = !ingress.equals(overwrites.standing);
        overwrites.standing = ingress;
        if (now.isBefore(overwrites.letStandUntil)) {
            return new Overwrite(isNew, Optional.of(Duration.between(now, overwrites.letStandUntil)));
        }
        boolean waited = overwrites.letStandUntil.isAfter(Instant.EPOCH);
        overwrites.letStandUntil = Instant.EPOCH;
        return new Overwrite(isNew, isNew && !waited ? count(backoff, now) : Optional.empty());
    }

    private Optional<Duration> count(Backoff backoff, Instant now) {
        if (!overwrites.isRecent(now)) {
            overwrites.times.clear();
            overwrites.conflicts = 0;
        }
        while (!overwrites.times.isEmpty()
                && overwrites.times.getFirst().plus(OVERWRITES_WITHIN).isBefore(now)) {
            overwrites.times.removeFirst();
        }
        overwrites.times.addLast(now);
        if (overwrites.times.size() < OVERWRITES_IN_CONFLICT) {
            return Optional.empty();
        }
        overwrites.conflicts++;
        Duration wait = backoff.after(overwrites.conflicts);
        overwrites.letStandUntil = now.plus(wait);
        return Optional.of(wait);
    }

    /** Whether another keeps writing the status of the Service of {@code uid}. */
    boolean isInConflict(String uid, Instant now) {
        return uid.equals(overwrites.uid)
                && overwrites.conflicts > 0
                && (overwrites.isRecent(now) || now.isBefore(overwrites.letStandUntil));
    }
}
