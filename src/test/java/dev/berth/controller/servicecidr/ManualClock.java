package dev.berth.controller.servicecidr;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that a test moves. */
final class ManualClock implements InstantSource {
    private Instant now = NetworkInMemory.START;
    private Duration ahead = Duration.ZERO;

    void pass(Duration time) {
        now = now.plus(time);
    }

    void passSeconds(long seconds) {
        pass(Duration.ofSeconds(seconds));
    }

    /** Somebody sets it; no time passes. */
    void set(Duration by) {
        ahead = ahead.plus(by);
    }

    /** The same, which nobody sets. */
    InstantSource steady() {
        return () -> now;
    }

    @Override
    public Instant instant() {
        return now.plus(ahead);
    }
}
