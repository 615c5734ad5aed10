package dev.berth.loadbalancer;

import dev.berth.loadbalancer.Facts.Turn;
import java.util.Optional;

/**
 * Whether a provider may be called now: not before its time after a failure, and only in its turn. A call that an
 * earlier one held up keeps its place in line, and waits no longer once it may be made.
 */
sealed interface CallTurn {
    /** It may be called. */
    record Taken() implements CallTurn {}

    /** Its turn has to be taken first. */
    record Untried() implements CallTurn {}

    /** It is not called before its time. */
    record NotYet(Postponed call) implements CallTurn {}

    /** Other calls go first: the Service is made due in its turn. */
    record InLine() implements CallTurn {}

    /** It cannot be called before an earlier call returns; the message says which. */
    record Stuck(String message) implements CallTurn {}

    /**
     * By what came of the effects so far.
     *
     * @param postponed what the call has to wait for; absent: it may be tried
     */
    static CallTurn of(Optional<Postponed> postponed, Facts facts) {
        Turn turn = facts.turn().orElse(null);
        if (turn == Turn.TAKEN) {
            return new Taken();
        }
        if (postponed.isPresent() && (turn != null || !postponed.get().why().isHeldUp())) {
            return new NotYet(postponed.get());
        }
        if (turn == null) {
            return new Untried();
        }
        return turn == Turn.IN_LINE ? new InLine() : new Stuck(facts.stuck());
    }
}
