package dev.berth.agent;

import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When an agent writes what it has to say of one BGPPeer. Each write of one agent is read by all others: those that only
 * count are rare, the rarer the more nodes there are, and a session that flaps is not written each time. Times are
 * milliseconds of a steady clock.
 */
final class EntryWrites {
    /** How often a count alone is written, where there is one node; each more makes it rarer. */
    static final long COUNT_AGAIN = 30_000;

    static final long COUNT_AGAIN_PER_NODE = 1_000;

    /** So many at once, and then one each so often. */
    static final int AT_ONCE = 5;

    static final long REFILL = 10_000;

    /** How long a write may take to come back by the watch. */
    static final long UNSEEN = 10_000;

    static final long FIRST_PAUSE = 1_000;
    static final long LONGEST_PAUSE = 60_000;

    private final RandomGenerator random;
    private @Nullable Written last;
    private long pause = FIRST_PAUSE;
    private @Nullable Long notBefore;

    /** @param entry absent: the one that is there goes */
    record Write(Optional<PeerEntry> entry) {}

    /**
     * The last one.
     *
     * @param spent each write costs {@link #REFILL}, and time pays
     */
    private record Written(Optional<PeerEntry> entry, long at, long spent) {
        long stillSpent(long now) {
            return Math.max(0, spent - (now - at));
        }
    }

    EntryWrites(RandomGenerator random) {
        this.random = random;
    }

    /**
     * What is to be written; absent: nothing, or not yet.
     *
     * @param wanted what there is to say; absent: nothing
     * @param seen what the status says
     */
    Optional<Write> due(Optional<PeerEntry> wanted, PeerEntry.Seen seen, long now) {
        Optional<PeerEntry> mine = seen.mine();
        Written before = last;
        Optional<PeerEntry> next = wanted.map(one -> one.continuing(before == null ? mine : before.entry()));
        if (next.equals(mine) || (notBefore != null && now < notBefore)) {
            return Optional.empty();
        }
        if (before != null) {
            boolean isOnItsWay = next.equals(before.entry()) && now - before.at() < UNSEEN;
            boolean isCount = next.isPresent() && mine.isPresent() && next.get().isAlmost(mine.get());
            long rare = COUNT_AGAIN + COUNT_AGAIN_PER_NODE * (seen.nodes() - 1);
            boolean isRare = isCount && now - before.at() < rare;
            if (isOnItsWay || isRare || before.stillSpent(now) >= AT_ONCE * REFILL) {
                return Optional.empty();
            }
        }
        return Optional.of(new Write(next));
    }

    void wrote(Write what, long now) {
        long spent = last == null ? 0 : last.stillSpent(now);
        last = new Written(what.entry(), now, spent + REFILL);
        pause = FIRST_PAUSE;
        notBefore = null;
    }

    /** Tries again later, and not when all others do. */
    void failed(long now) {
        notBefore = now + pause / 2 + random.nextLong(pause);
        pause = Math.min(LONGEST_PAUSE, 2 * pause);
    }
}
