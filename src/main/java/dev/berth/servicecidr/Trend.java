package dev.berth.servicecidr;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Where a number of addresses is going.
 *
 * @param growthPerDay how many more are allocated each day, with one decimal; negative: fewer; null: not
 *     known yet
 * @param fullOn the day (UTC) on which none is free if it goes on like that, today if none is now; null:
 *     not known yet, or not within 100 years
 */
public record Trend(
        @Nullable BigDecimal growthPerDay, @Nullable LocalDate fullOn) {
    /** Less than that says nothing of a day. */
    static final Duration LEAST = Duration.ofHours(1);

    private static final Trend UNKNOWN = new Trend(null, null);
    private static final BigInteger HORIZON =
            BigInteger.valueOf(Duration.ofDays(36_525).toSeconds());
    private static final BigDecimal DAY = BigDecimal.valueOf(Duration.ofDays(1).toSeconds());

    /** Of what nothing is known of the past. */
    static Trend of(Usage.Count count, Instant now) {
        return count.isFull() && count.size().signum() > 0 ? new Trend(null, day(now)) : UNKNOWN;
    }

    /**
     * Of a straight line from then to now.
     *
     * @param before how many were allocated at {@code then}
     * @param after how many of the same are allocated at {@code now}
     * @param count the size and what is free now
     */
    static Trend of(long before, Instant then, long after, Usage.Count count, Instant now) {
        Duration passed = Duration.between(then, now);
        if (passed.compareTo(LEAST) < 0) {
            return of(count, now);
        }
        BigDecimal perDay = BigDecimal.valueOf(after - before)
                .multiply(DAY)
                .divide(BigDecimal.valueOf(passed.toSeconds()), 1, RoundingMode.HALF_UP);
        return new Trend(perDay, fullOn(after - before, passed, count, now));
    }

    private static @Nullable LocalDate fullOn(long growth, Duration passed, Usage.Count count, Instant now) {
        if (count.isFull() || growth <= 0) {
            return of(count, now).fullOn();
        }
        BigInteger seconds =
                count.free().multiply(BigInteger.valueOf(passed.toSeconds())).divide(BigInteger.valueOf(growth));
        return seconds.compareTo(HORIZON) > 0 ? null : day(now.plusSeconds(seconds.longValueExact()));
    }

    private static LocalDate day(Instant at) {
        return LocalDate.ofInstant(at, ZoneOffset.UTC);
    }
}
