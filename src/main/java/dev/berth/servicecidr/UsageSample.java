package dev.berth.servicecidr;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * How many addresses of each range were allocated at a time.
 *
 * @param staticBand by CIDR
 * @param dynamicBand by CIDR
 */
public record UsageSample(Instant at, Map<String, Long> staticBand, Map<String, Long> dynamicBand) {
    public UsageSample {
        staticBand = Collections.unmodifiableMap(new TreeMap<>(staticBand));
        dynamicBand = Collections.unmodifiableMap(new TreeMap<>(dynamicBand));
    }

    /** What {@code usage} says. */
    public static UsageSample of(Usage usage, Instant at) {
        return new UsageSample(
                at, allocated(usage, Usage.OfRange::staticBand), allocated(usage, Usage.OfRange::dynamicBand));
    }

    private static Map<String, Long> allocated(Usage usage, Function<Usage.OfRange, Usage.Count> band) {
        Map<String, Long> byCidr = new TreeMap<>();
        for (Usage.OfRange range : usage.ranges()) {
            byCidr.put(range.range().toString(), band.apply(range).allocated());
        }
        return byCidr;
    }
}
