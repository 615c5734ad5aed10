package dev.berth.controller.service;

import dev.berth.controller.Backoff;
import dev.berth.loadbalancer.Conditions;
import dev.berth.loadbalancer.Published;
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
    static final Duration OVERWRITES_WITHIN = Conditions.OVERWRITES_WITHIN;

    /** From this one on, an overwrite is not put right at once. */
    private static final int OVERWRITES_IN_CONFLICT = 3;

    /** How often a status is written only because its provider says something else. */
    static final Duration WORDS_EVERY = Duration.ofSeconds(30);

    private @Nullable Written written;

    /** Of which Service the overwrites are counted: one that bears its name after it begins at none. */
    private String countedFor = "";

    private final Deque<Instant> overwrites = new ArrayDeque<>();
    private int conflicts;
    private Instant letStandUntil = Instant.EPOCH;

    /** When other words of its provider were last written. */
    private Instant words = Instant.EPOCH;

    /** The ingress that stood in the status of the Service of this uid after our last write. */
    private record Written(String uid, List<Published> ingress) {}

    /** {@code ingress} stands in the status of the Service of {@code uid}, as we want it; empty: we took it off. */
    void published(String uid, List<Published> ingress) {
        written = ingress.isEmpty() ? null : new Written(uid, ingress);
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
     * Another wrote the status of the Service of {@code uid}, which is ours. The third time within ten minutes it is let stand for a while,
     * then put right again, and so on with growing delays: two controllers that both insist would write for
     * ever.
     *
     * @return how long to let it stand; absent: put it right at once
     */
    Optional<Duration> overwritten(String uid, Backoff backoff, Instant now) {
        countFor(uid);
        if (now.isBefore(letStandUntil)) {
            return Optional.of(Duration.between(now, letStandUntil));
        }
        if (letStandUntil.isAfter(Instant.EPOCH)) {
            letStandUntil = Instant.EPOCH;
            return Optional.empty();
        }
        if (!isRecent(now)) {
            overwrites.clear();
            conflicts = 0;
        }
        while (!overwrites.isEmpty()
                && overwrites.getFirst().plus(OVERWRITES_WITHIN).isBefore(now)) {
            overwrites.removeFirst();
        }
        overwrites.addLast(now);
        if (overwrites.size() < OVERWRITES_IN_CONFLICT) {
            return Optional.empty();
        }
        conflicts++;
        Duration wait = backoff.after(conflicts);
        letStandUntil = now.plus(wait);
        return Optional.of(wait);
    }

    private void countFor(String uid) {
        if (!uid.equals(countedFor)) {
            countedFor = uid;
            overwrites.clear();
            conflicts = 0;
            letStandUntil = Instant.EPOCH;
        }
    }

    /** Whether another keeps writing the status of the Service of {@code uid}. */
    boolean isInConflict(String uid, Instant now) {
        return uid.equals(countedFor) && conflicts > 0 && (isRecent(now) || now.isBefore(letStandUntil));
    }

    private boolean isRecent(Instant now) {
        return !overwrites.isEmpty()
                && overwrites.getLast().plus(OVERWRITES_WITHIN).isAfter(now);
    }
}
