package dev.berth.kube;

/** What came of a write. */
public sealed interface Write<T> {
    /** It is done; {@code value} is the object as it is now. */
    record Done<T>(T value) implements Write<T> {}

    /** It was not done: the object is not as the writer thought, or exists already. Read it live. */
    record Conflict<T>(String message) implements Write<T> {}

    /** It was not done: there is no such object, or no such kind. */
    record NotFound<T>(String message) implements Write<T> {}

    /** It was not done, and the same again will not be: forbidden, or invalid. */
    record Refused<T>(String message) implements Write<T> {}

    /** It may have been done: the answer was lost, or the API server was not well. */
    record Unknown<T>(String message) implements Write<T> {}
}
