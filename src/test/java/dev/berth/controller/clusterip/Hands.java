package dev.berth.controller.clusterip;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that a test moves. */
final class Hands implements InstantSource {
    private Instant now = NetworkInMemory.START;

    void pass(Duration time) {
        now = now.plus(time);
    }

    void passSeconds(long seconds) {
        pass(Duration.ofSeconds(seconds));
    }

    @Override
    public Instant instant() {
        return now;
    }
}
