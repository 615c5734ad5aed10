package dev.berth.loadbalancer;

import java.time.Duration;
import java.util.Optional;

/** What is not to be tried before its time. */
public interface Waits {
    /**
     * Something that was put off.
     *
     * @param left how long it must still wait
     */
    record Postponed(PutOff why, Duration left) {
        /** Whether it could not be tried, for an earlier call had not returned: it need not wait once that one has. */
        boolean isHeldUp() {
            return why instanceof PutOff.Failed(Trouble what) && what.heldUp();
        }
    }

    /** Why {@code request} has to wait, and how long; absent: it may be tried. */
    Optional<Postponed> on(Object request);

    /** How long {@code request} has to wait; absent: it may be tried. */
    default Optional<Duration> delay(Object request) {
        return on(request).map(Postponed::left);
    }
}
