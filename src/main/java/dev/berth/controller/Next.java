package dev.berth.controller;

import java.time.Duration;
import java.util.Optional;

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
}
