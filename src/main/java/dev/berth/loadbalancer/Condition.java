package dev.berth.loadbalancer;

import dev.berth.reason.Reason;
import java.time.Instant;

/**
 * A condition as Kubernetes writes them.
 *
 * @param reason of ours one of {@link Reason}, in the words of this version of Berth; of others any
 * @param since when {@code status} last changed
 */
public record Condition(String type, Status status, String reason, String message, Instant since) {
    /** Whether it holds. */
    public enum Status {
        TRUE("True"),
        FALSE("False"),
        UNKNOWN("Unknown");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        public static Status of(boolean holds) {
            return holds ? TRUE : FALSE;
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

    /** Whether it is so for this reason. */
    boolean isFor(Reason known) {
        return reason.equals(known.name());
    }

    /** Whether the two say the same; when it began does not count. */
    public boolean sameContent(Condition other) {
        return type.equals(other.type)
                && status == other.status
                && reason.equals(other.reason)
                && message.equals(other.message);
    }
}
