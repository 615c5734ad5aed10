package dev.berth.loadbalancer;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a provider is looked at for what it has for one Service, beside the resync. A value: each method answers with the
 * next one. Times are those of the clock that nobody sets.
 *
 * @param last when it was looked at last
 * @param targetsDue when it is looked at for its targets, if it says how many of them pass their health check
 * @param isReported whether it says that something has changed, and was not looked at since
 */
public record LookSchedule(Instant last, Instant targetsDue, boolean isReported) {
    /** How often a provider is looked at that says how many targets pass their health check. */
    private static final Duration EVERY = Duration.ofSeconds(30);

    /** How soon after its targets may have changed: some may have had no health check yet. And how often at most. */
    private static final Duration SOON = Duration.ofSeconds(5);

    /** It was never looked at. */
    public static final LookSchedule NEVER = new LookSchedule(Instant.EPOCH, Instant.EPOCH, false);

    /** It was asked to change something just now: its targets are looked at soon. */
    public LookSchedule changed(Instant now) {
        return new LookSchedule(last, now.plus(SOON), isReported);
    }

    /** It is about to be looked at: what was reported until now is seen. */
    public LookSchedule looks(Instant now) {
        return new LookSchedule(now, now.plus(EVERY), false);
    }

    /** It says that something has changed. */
    public LookSchedule reported() {
        return new LookSchedule(last, targetsDue, true);
    }

    /** What is due now is about to be done. */
    public LookSchedule begun(Instant now) {
        return isReportDue(now) ? new LookSchedule(last, targetsDue, false) : this;
    }

    /** Whether it is to be looked at now. */
    public boolean isDue(boolean tellsOfTargets, Instant now) {
        return isReportDue(now) || (tellsOfTargets && !targetsDue.isAfter(now));
    }

    private boolean isReportDue(Instant now) {
        return isReported && !now.isBefore(last.plus(SOON));
    }

    /** How long a report must wait: soon after another look it is not looked at at once. */
    public Duration untilReport(Instant now) {
        Duration left = Duration.between(now, last.plus(SOON));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** When it is to be looked at, in how long; absent: not by itself. */
    public Optional<Duration> next(boolean tellsOfTargets, Instant now) {
        Optional<Duration> targets = tellsOfTargets ? Optional.of(untilTargets(now)) : Optional.empty();
        if (!isReported) {
            return targets;
        }
        Duration report = untilReport(now);
        return targets.filter(left -> left.compareTo(report) < 0).or(() -> Optional.of(report));
    }

    private Duration untilTargets(Instant now) {
        Duration left = Duration.between(now, targetsDue);
        return left.compareTo(SOON) < 0 ? SOON : left;
    }
}
