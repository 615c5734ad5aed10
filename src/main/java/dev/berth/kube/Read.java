package dev.berth.kube;

import java.util.function.Function;

/** What came of a live read. */
public sealed interface Read<T> {
    record Found<T>(T value) implements Read<T> {}

    /** There is none, for sure. */
    record Absent<T>() implements Read<T> {}

    /** Nobody knows. */
    record Failed<T>(String message) implements Read<T> {}

    /** What was found; if nothing was, or nobody knows, what {@code otherwise} makes of why, human-readable. */
    default T orElse(Function<String, T> otherwise) {
        return switch (this) {
            case Found<T>(T value) -> value;
            case Absent<T> none -> otherwise.apply("there is none");
            case Failed<T>(String message) -> otherwise.apply(message);
        };
    }

    /** What follows from what was found; if nothing was, the same. */
    default <U> Read<U> then(Function<T, Read<U>> next) {
        return switch (this) {
            case Found<T>(T value) -> next.apply(value);
            case Absent<T> none -> new Absent<>();
            case Failed<T>(String message) -> new Failed<>(message);
        };
    }
}
