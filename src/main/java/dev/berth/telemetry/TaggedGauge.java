package dev.berth.telemetry;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A gauge with one tag. Of each value of the tag it shows a number, from when that is asked for first. */
final class TaggedGauge {
    private final MeterRegistry registry;
    private final String name;
    private final String description;
    private final String tag;
    private final Map<String, AtomicInteger> numbers = new ConcurrentHashMap<>();

    TaggedGauge(MeterRegistry registry, String name, String description, String tag) {
        this.registry = registry;
        this.name = name;
        this.description = description;
        this.tag = tag;
    }

    /** The number of this value of the tag; begins with 0. */
    AtomicInteger of(String value) {
        return numbers.computeIfAbsent(value, _ -> {
            AtomicInteger number = new AtomicInteger();
            Gauge.builder(name, number, AtomicInteger::get)
                    .description(description)
                    .tag(tag, value)
                    .register(registry);
            return number;
        });
    }
}
