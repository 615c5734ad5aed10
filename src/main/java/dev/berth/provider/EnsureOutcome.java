package dev.berth.provider;

import java.time.Duration;

/** What came of {@link LoadBalancerProvider#ensureLoadBalancer}. */
public sealed interface EnsureOutcome {
    /** It is there, as asked. */
    record Ready(LoadBalancerStatus status) implements EnsureOutcome {}

    /**
     * It is on its way; no failure.
     *
     * @param retryAfter when to ask again, exactly; positive
     * @param message what is being waited for, human-readable
     */
    record Pending(Duration retryAfter, String message) implements EnsureOutcome {}

    /** Somebody else serves this Service: Berth writes no status and no event. */
    record ImplementedElsewhere() implements EnsureOutcome {}
}
