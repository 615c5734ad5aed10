package dev.berth.loadbalancer;

import java.time.Duration;

/**
 * Something that is not tried again before its time.
 *
 * @param left how long it must still wait
 */
public record Postponed(Why why, Duration left) {
    /** Why it is postponed. */
    public sealed interface Why {
        /** It failed, or could not be tried. */
        record Failed(ServiceFailure what) implements Why {}

        /**
         * Its provider answered that it is on its way.
         *
         * @param message what is being waited for, human-readable
         */
        record Pending(String message) implements Why {}

        /** Whether it could not be tried, for an earlier call had not returned: it need not wait once that one has. */
        default boolean isHeldUp() {
            return this instanceof Failed(ServiceFailure what) && what.heldUp();
        }
    }
}
