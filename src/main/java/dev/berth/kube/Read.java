package dev.berth.kube;

/** What came of a live read. */
public sealed interface Read<T> {
    record Found<T>(T value) implements Read<T> {}

    /** There is none, for sure. */
    record Absent<T>() implements Read<T> {}

    /** Nobody knows. */
    record Failed<T>(String message) implements Read<T> {}
}
