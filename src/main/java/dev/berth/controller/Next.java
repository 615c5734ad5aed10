package dev.berth.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * When to look again if nothing happens before.
 *
 * @param delay absent: only when something happens
 */
public record Next(Optional<Duration> delay) {
    /** Only when something happens. */
    public static final Next ON_EVENT = new Next(Optional.empty());

    public static Next after(Duration delay) {
        return new Next(Optional.of(delay));
    }

    /** The first of some times to look again; absent: none of them is there. */
    public static Optional<Instant> earliest(Stream<Optional<Instant>> times) {
        return times.flatMap(Optional::stream).min(Instant::compareTo);
    }
}
