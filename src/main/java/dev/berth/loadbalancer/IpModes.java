package dev.berth.loadbalancer;

import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
     * What the answer to a write tells; absent: nothing, for the field was not sent, or was in use: then it is kept in any
     * case.
     *
     * @param before the ingress as it was
     * @param sent what was written; null: not the ingress
     * @param stored what the API server answered
     */
    public static Optional<Answer> answer(
            List<Published> before, @Nullable List<Published> sent, List<Published> stored) {
        return sent == null || !Publication.usesIpMode(sent) || Publication.usesIpMode(before)
                ? Optional.empty()
                : Optional.of(Publication.usesIpMode(stored) ? Answer.KEPT : Answer.DROPPED);
    }

    /** What an event says once the field was dropped. */
    public static ServiceEvent dropped() {
        return ServiceEvent.warning(
                Reason.IPModeDropped,
                "the API server drops status.loadBalancer.ingress[].ipMode (older than 1.29, or its feature gate"
                        + " LoadBalancerIPMode is off); kube-proxy treats every address as ipMode VIP");
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
