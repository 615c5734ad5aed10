package dev.berth.address;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** How long a released address rests. Pure. */
public final class Cooling {
    private Cooling() {}

    /**
     * How long {@code spec} has to rest from {@code now} on; zero: no longer, or it was not released.
     *
     * @param pool that has the address; absent: none, and it need not rest
     */
    public static Duration left(ClaimSpec spec, Optional<Pool> pool, Instant now) {
        Instant released = spec.releasedAt();
        if (released == null || pool.isEmpty()) {
            return Duration.ZERO;
        }
        Duration left = Duration.between(now, released.plus(pool.get().policy().reuseAfter()));
        return left.isNegative() ? Duration.ZERO : left;
    }
}
