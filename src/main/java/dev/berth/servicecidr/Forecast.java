package dev.berth.servicecidr;

import dev.berth.ip.IpFamily;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * When the ranges are full, if use grows as it did since the oldest {@link UsageSample}. Nothing is known
 * until there is one that is an hour old.
 */
public final class Forecast {
    /** How far two samples are apart, at least. */
    public static final Duration INTERVAL = Duration.ofHours(12);

    /** How many are kept: a week's. */
    public static final int KEPT = 15;

    private final List<UsageSample> history;
    private final Usage usage;
    private final Instant now;
    /** Those of now, by CIDR: most that samples name are among them, and to read one takes longer than all else here. */
    private final Map<String, ServiceRange> ranges;

    private Forecast(List<UsageSample> history, Usage usage, Instant now) {
        this.history = history;
        this.usage = usage;
        this.now = now;
        ranges = new TreeMap<>();
        usage.ranges().forEach(use -> ranges.put(use.range().toString(), use.range()));
    }

    /** Of what was and what is; samples of later than {@code now} do not count. */
    public static Forecast of(List<UsageSample> history, Usage usage, Instant now) {
        return new Forecast(upTo(now, history), usage, now);
    }

    /** Whether it is time for another sample. */
    static boolean isDue(List<UsageSample> history, Instant now) {
        List<UsageSample> known = upTo(now, history);
        return known.isEmpty() || Duration.between(known.getLast().at(), now).compareTo(INTERVAL) >= 0;
    }

    /**
     * The history to keep: with what is now if that {@link #isDue}, oldest first, and no more than {@link #KEPT}.
     * A range that is gone stays in the samples of its time, so that Services which moved to another one do
     * not look like growth of the family.
     */
    public static List<UsageSample> record(List<UsageSample> history, Usage usage, Instant now) {
        List<UsageSample> kept = new ArrayList<>(upTo(now, history));
        if (isDue(history, now)) {
            kept.add(UsageSample.of(usage, now));
        }
        return List.copyOf(kept.subList(Math.max(0, kept.size() - KEPT), kept.size()));
    }

    private static List<UsageSample> upTo(Instant now, List<UsageSample> history) {
        return history.stream()
                .filter(sample -> !sample.at().isAfter(now))
                .sorted(Comparator.comparing(UsageSample::at))
                .toList();
    }

    /** Of the static band of a range; nothing is known of a range that is not there. */
    public Trend staticBand(ServiceRange range) {
        return band(range, Usage.OfRange::staticBand, sample -> allocated(sample.staticBand(), range));
    }

    /** Of the dynamic band of a range; nothing is known of a range that is not there. */
    public Trend dynamicBand(ServiceRange range) {
        return band(range, Usage.OfRange::dynamicBand, sample -> allocated(sample.dynamicBand(), range));
    }

    /** Of both bands of a range together; nothing is known of a range that is not there. */
    Trend range(ServiceRange range) {
        return band(range, Usage.OfRange::all, sample -> both(sample, range));
    }

    private static Optional<Long> both(UsageSample sample, ServiceRange range) {
        return allocated(sample.staticBand(), range)
                .flatMap(some -> allocated(sample.dynamicBand(), range).map(others -> some + others));
    }

    private static Optional<Long> allocated(Map<String, Long> band, ServiceRange range) {
        return Optional.ofNullable(band.get(range.toString()));
    }

    private Trend band(
            ServiceRange range,
            Function<Usage.OfRange, Usage.Count> band,
            Function<UsageSample, Optional<Long>> allocated) {
        Usage.Count count = usage.ranges().stream()
                .filter(use -> use.range().equals(range))
                .findFirst()
                .map(band)
                .orElse(Usage.Count.NONE);
        return trend(allocated, count.allocated(), count);
    }

    /**
     * Of all ready ranges of a family together. What grows is what the family has allocated in all ranges,
     * ready or not; what gets full is what is free in the ready ones.
     */
    public Trend family(IpFamily family) {
        long allocated = allocated(UsageSample.of(usage, now), family).orElse(0L);
        return trend(
                sample -> allocated(sample, family),
                allocated,
                usage.family(family).orElse(Usage.Count.NONE));
    }

    private Optional<Long> allocated(UsageSample sample, IpFamily family) {
        List<ServiceRange> sampled = Stream.of(sample.staticBand(), sample.dynamicBand())
                .flatMap(band -> band.keySet().stream())
                .flatMap(cidr -> range(cidr).stream())
                .filter(range -> range.family() == family)
                .toList();
        return sampled.isEmpty()
                ? Optional.empty()
                : Optional.of(new RangeUnion(sampled)
                        .ranges().stream()
                                .mapToLong(range -> both(sample, range).orElse(0L))
                                .sum());
    }

    private Optional<ServiceRange> range(String cidr) {
        ServiceRange known = ranges.get(cidr);
        return known == null ? ServiceRange.find(cidr) : Optional.of(known);
    }

    private Trend trend(Function<UsageSample, Optional<Long>> before, long after, Usage.Count count) {
        return history.stream()
                .flatMap(sample ->
                        before.apply(sample).map(was -> Trend.of(was, sample.at(), after, count, now)).stream())
                .findFirst()
                .orElseGet(() -> Trend.of(count, now));
    }
}
