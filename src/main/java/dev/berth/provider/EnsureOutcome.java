package dev.berth.provider;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What came of {@link LoadBalancerProvider#ensureLoadBalancer}. */
public sealed interface EnsureOutcome {
    /** It is there, as asked. */
    static Ready ready(LoadBalancerStatus status) {
        return new Ready(status);
    }

    /**
     * It is on its way; no failure.
     *
     * @param retryAfter when to ask again, exactly; positive
     * @param message what is being waited for, human-readable
     */
    static Pending pending(Duration retryAfter, String message) {
        return new Pending(retryAfter, message);
    }

    /** Somebody else serves this Service: Berth writes no status and no event. */
    static ImplementedElsewhere implementedElsewhere() {
        return ImplementedElsewhere.INSTANCE;
    }

    /** It is there, as asked. */
    final class Ready implements EnsureOutcome {
        private final LoadBalancerStatus status;

        private Ready(LoadBalancerStatus status) {
            this.status = status;
        }

        public LoadBalancerStatus status() {
            return status;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Ready that && Objects.equals(status, that.status);
        }

        @Override
        public int hashCode() {
            return Objects.hash(status);
        }

        @Override
        public String toString() {
            return "Ready[status=" + status + "]";
        }
    }

    /** It is on its way; no failure. */
    final class Pending implements EnsureOutcome {
        private final Duration retryAfter;
        private final String message;

        private Pending(Duration retryAfter, String message) {
            this.retryAfter = retryAfter;
            this.message = message;
        }

        /** When to ask again, exactly. */
        public Duration retryAfter() {
            return retryAfter;
        }

        /** What is being waited for, human-readable. */
        public String message() {
            return message;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Pending that
                    && Objects.equals(retryAfter, that.retryAfter)
                    && Objects.equals(message, that.message);
        }

        @Override
        public int hashCode() {
            return Objects.hash(retryAfter, message);
        }

        @Override
        public String toString() {
            return "Pending[retryAfter=" + retryAfter + ", message=" + message + "]";
        }
    }

    /** Somebody else serves this Service: Berth writes no status and no event. */
    final class ImplementedElsewhere implements EnsureOutcome {
        private static final ImplementedElsewhere INSTANCE = new ImplementedElsewhere();

        private ImplementedElsewhere() {}

        @Override
        public String toString() {
            return "ImplementedElsewhere";
        }
    }
}
