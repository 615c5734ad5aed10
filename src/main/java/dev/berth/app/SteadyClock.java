package dev.berth.app;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Begins with what the system's clock says, and then goes by the time that passes, whatever the system's clock is set to.
 * For delays; not for what others read.
 */
final class SteadyClock implements InstantSource {
    private final Instant start = Instant.now();
    private final long begun = System.nanoTime();

    @Override
    public Instant instant() {
        return start.plus(Duration.ofNanos(System.nanoTime() - begun));
    }
}
