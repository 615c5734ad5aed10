package dev.berth.testing.cluster;

import dev.berth.kube.Read;
import dev.berth.kube.Write;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** The line between an operator and its API server, and what goes wrong on it: nothing, unless an implementation says so. */
public interface Line {
    /** What becomes of one write. */
    enum Fault {
        NONE,
        CONFLICT,
        /** Of a create: the kind is not there. */
        NOT_FOUND,
        REFUSED,
        UNKNOWN_DONE,
        UNKNOWN_NOT_DONE,
        /** Not done yet when the client gives up, but in the end. */
        UNKNOWN_LATE,
        /** Done, and sent again by a client that did not hear of it: the answer is to the second. */
        SENT_TWICE
    }

    /** A write is about to go out; may throw, and {@code effect} may still happen later. */
    default Fault sending(String call, Runnable effect) {
        return Fault.NONE;
    }

    /** The answer to a call comes back; may throw. */
    default void answered(String call) {}

    /** Whether a live read fails. */
    default boolean readFails(String call) {
        return false;
    }

    /** Nobody waits for {@code effect} any more; it is still to be done. */
    default void late(String call, Runnable effect) {}

    /** Whether anybody reads what the calls say, beyond their first word. */
    default boolean isRead() {
        return true;
    }

    /** What an answer says that this fault brings. */
    default String message(Fault fault) {
        return "simulated";
    }

    /** The name of a call. */
    default String call(String doing, Object... about) {
        if (!isRead()) {
            return doing;
        }
        StringBuilder text = new StringBuilder(doing);
        for (Object part : about) {
            text.append(part);
        }
        return text.toString();
    }

    /** Reads one object, live. */
    default <T> Read<T> read(String call, Supplier<Optional<T>> get) {
        if (readFails(call)) {
            return new Read.Failed<>("simulated");
        }
        Read<T> answer = get.get().<Read<T>>map(Read.Found::new).orElseGet(Read.Absent::new);
        answered(call);
        return answer;
    }

    /** Has {@code effect} done, as often and as late as it comes. */
    default <T> Write<T> write(String call, Supplier<Write<T>> effect) {
        Runnable alone = () -> Objects.requireNonNull(effect.get());
        Fault fault = sending(call, alone);
        return switch (fault) {
            case NONE -> {
                Write<T> answer = effect.get();
                yield back(call(call, " -> ", answer), answer);
            }
            case CONFLICT -> back(call + " -> conflict", new Write.Conflict<>(message(fault)));
            case NOT_FOUND -> back(call + " -> not found", new Write.NotFound<>(message(fault)));
            case REFUSED -> back(call + " -> refused", new Write.Refused<>(message(fault)));
            case UNKNOWN_DONE ->
                back(call(call, " -> unknown, but ", effect.get()), new Write.Unknown<>(message(fault)));
            case UNKNOWN_NOT_DONE -> back(call + " -> unknown, not done", new Write.Unknown<>(message(fault)));
            case UNKNOWN_LATE -> {
                late(call, alone);
                yield new Write.Unknown<>(message(fault));
            }
            case SENT_TWICE -> {
                Write<T> lost = effect.get();
                Write<T> answer = effect.get();
                yield back(call(call, " -> ", lost, ", sent again -> ", answer), answer);
            }
        };
    }

    private <T> Write<T> back(String call, Write<T> answer) {
        answered(call);
        return answer;
    }
}
