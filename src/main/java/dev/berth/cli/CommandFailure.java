package dev.berth.cli;

import dev.berth.kube.Read;

/** A command that people call by hand cannot go on; the message is one line for them. */
final class CommandFailure extends Exception {
    private static final long serialVersionUID = 1;

    CommandFailure(String message) {
        super(message);
    }

    /**
     * What was read.
     *
     * @param doing what was being done, as the start of a message: {@code listing Services}
     * @throws CommandFailure if the API server did not answer, or has no such kind
     */
    static <T> T found(String doing, Read<T> read) throws CommandFailure {
        return switch (read) {
            case Read.Found<T>(T value) -> value;
            case Read.Absent<T> none -> throw new CommandFailure(doing + ": there is none");
            case Read.Failed<T>(String message) -> throw new CommandFailure(doing + ": " + message);
        };
    }
}
