package dev.berth.loadbalancer;

/** Why something is not tried again before its time. */
public sealed interface PutOff {
    /** It failed, or could not be tried. */
    record Failed(Trouble what) implements PutOff {}

    /**
     * Its provider answered that it is on its way.
     *
     * @param message what is being waited for, human-readable
     */
    record Pending(String message) implements PutOff {}
}
