package dev.berth.loadbalancer;

import java.time.Duration;
import java.util.Optional;

/** What is not to be tried before its time. */
public interface Waits {
    /** Why {@code request} has to wait, and how long; absent: it may be tried. */
    Optional<Postponed> on(Object request);

    /** How long {@code request} has to wait; absent: it may be tried. */
    default Optional<Duration> delay(Object request) {
        return on(request).map(Postponed::left);
    }
}
