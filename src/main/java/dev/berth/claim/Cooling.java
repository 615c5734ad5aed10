package dev.berth.claim;

import dev.berth.pool.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** How long a released address is withheld from others. Pure. */
public final class Cooling {
    private Cooling() {}

    /**
     * How long {@code spec} has to rest from {@code now} on, which is never longer than its pool says; zero: no longer,
     * or it was not released.
     *
     * @param pool that has the address; absent: none, and it need not rest
     */
    static Duration left(ClaimSpec spec, Optional<Pool> pool, Instant now) {
        Instant released = spec.releasedAt();
        return released == null ? Duration.ZERO : left(since(released, now, now), pool, now);
    }

    /**
     * Since when an address that was released at {@code releasedAt} is withheld, by a clock that nobody sets. What is dated in
     * the future, by a clock that was ahead, is withheld from now on.
     *
     * @param now by the clock that {@code releasedAt} is compared with
     * @param steady the same moment by the one that nobody sets
     */
    public static Instant since(Instant releasedAt, Instant now, Instant steady) {
        return releasedAt.isAfter(now) ? steady : steady.minus(Duration.between(releasedAt, now));
    }

    /**
     * How long an address has to rest from {@code steady} on; zero: no longer.
     *
     * @param since when it began, by the same clock
     * @param pool that has the address; absent: none, and it need not rest
     */
    public static Duration left(Instant since, Optional<Pool> pool, Instant steady) {
        Duration left = pool.map(found -> found.policy().reuseAfter())
                .orElse(Duration.ZERO)
                .minus(Duration.between(since, steady));
        return left.isNegative() ? Duration.ZERO : left;
    }
}
