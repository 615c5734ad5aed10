package dev.berth.loadbalancer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What is not to be tried before its time, by now. */
public record Waits(List<Waiting> all) {
    /** Everything may be tried. */
    public static final Waits NONE = new Waits(List.of());

    /** One thing that has to wait. */
    public record Waiting(Attempt attempt, Postponed until) {}

    public Waits {
        all = List.copyOf(all);
    }

    /** Why {@code attempt} has to wait, and how long; absent: it may be tried. */
    public Optional<Postponed> on(Attempt attempt) {
        for (Waiting waiting : all) {
            if (waiting.attempt().equals(attempt)) {
                return Optional.of(waiting.until());
            }
        }
        return Optional.empty();
    }

    /** How long {@code attempt} has to wait; absent: it may be tried. Asked for only where something waits at all. */
    Optional<Duration> delay(Supplier<? extends Attempt> attempt) {
        return all.isEmpty() ? Optional.empty() : on(attempt.get()).map(Postponed::left);
    }
}
