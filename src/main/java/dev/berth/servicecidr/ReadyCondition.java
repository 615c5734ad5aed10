package dev.berth.servicecidr;

import dev.berth.reason.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The condition {@code Ready} of a ServiceCIDR.
 *
 * @param reason that of whoever wrote it; empty: none
 * @param message human-readable; each controller, and each version of one, may have its own
 */
public record ReadyCondition(Status status, String reason, String message) {
    /** What the ServiceCIDR controller says of a range that addresses may come from. */
    public static final ReadyCondition READY = new ReadyCondition(Status.TRUE, "", "Kubernetes Service CIDR is ready");

    /** What the ServiceCIDR controller says of a range that may not go yet. */
    public static final ReadyCondition TERMINATING = new ReadyCondition(
            Status.FALSE,
            Reason.Terminating.name(),
            "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR");

    /** What Berth says of a range that may not go before another one of the same CIDR is gone. */
    public static final ReadyCondition AFTER_ANOTHER = new ReadyCondition(
            Status.FALSE,
            Reason.TerminatingAfterAnother.name(),
            "Another ServiceCIDR of the same CIDR was deleted before, and goes first");

    /** What Berth says once all those are gone. */
    public static final ReadyCondition LAST_OF_ITS_CIDR = new ReadyCondition(
            Status.FALSE,
            Reason.TerminatingLastOfItsCIDR.name(),
            "The other ServiceCIDRs of the same CIDR are gone, and every API server is given 10 seconds to see it");

    /** Whether {@code other} says the same: its status and reason. */
    public boolean isSaidBy(@Nullable ReadyCondition other) {
        return other != null && status == other.status && reason.equals(other.reason);
    }

    /** Whether it holds. */
    public enum Status {
        TRUE("True"),
        FALSE("False"),
        UNKNOWN("Unknown");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        /** The status of this name; anything else is UNKNOWN. */
        public static Status of(String text) {
            return switch (text) {
                case "True" -> TRUE;
                case "False" -> FALSE;
                default -> UNKNOWN;
            };
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
