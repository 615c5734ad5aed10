package dev.berth.loadbalancer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What is not to be tried before its time, by now. */
public record Waits(List<Waiting> all) {
    /** Everything may be tried. */
    public static final Waits NONE = new Waits(List.of());

    /** One thing that has to wait. */
    public record Waiting(Object request, Postponed until) {}

    public Waits {
        all = List.copyOf(all);
    }

    /** Why {@code request} has to wait, and how long; absent: it may be tried. */
    public Optional<Postponed> on(Object request) {
        return all.stream()
                .filter(waiting -> waiting.request().equals(request))
                .map(Waiting::until)
                .findFirst();
    }

    /** How long {@code request} has to wait; absent: it may be tried. */
    Optional<Duration> delay(Object request) {
        return on(request).map(Postponed::left);
    }
}
