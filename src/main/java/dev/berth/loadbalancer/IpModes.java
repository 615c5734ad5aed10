package dev.berth.loadbalancer;

import java.time.Duration;

/**
 * What is known of whether the API server keeps {@code ipMode}. A value.
 *
 * @param gate whether Berth's own feature gate LoadBalancerIPMode is on
 */
public record IpModes(boolean gate, Answer answer) {
    /** For how long a "dropped" holds. */
    public static final Duration ASK_AGAIN = Duration.ofMinutes(10);

    /** For how long to wait while another asks. */
    static final Duration ANOTHER_ASKS = Duration.ofSeconds(1);

    /** What is known. */
    public enum Answer {
        UNKNOWN,
        KEPT,
        DROPPED
    }

    /**
     * Whether to write the field at all.
     *
     * @param inUse whether the Service has it already: an API server drops it only where it is not in use
     */
    public boolean isPublished(boolean inUse) {
        return gate && (inUse || answer != Answer.DROPPED);
    }

    /** Whether a dry run should tell before the field alone is a reason to write. */
    public boolean isUnknown() {
        return gate && answer == Answer.UNKNOWN;
    }

    /**
     * Whether a Service that should have a mode goes without: it is looked at again. One that was written
     * without the field does so even if another Service has learned by now that it is kept.
     *
     * @param written whether the field was written
     */
    public boolean isMissing(boolean written) {
        return gate && (!written || answer == Answer.DROPPED);
    }
}
