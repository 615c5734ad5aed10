package dev.berth.loadbalancer;

/**
 * Draw how long to wait. A part of it is left to chance, so that those who failed together do not all come back
 * together.
 *
 * @param of what waits
 * @param failures how many there were in a row; at least 1
 */
public record DrawDelay(Of of, int failures) implements ServingEffect, TearDownEffect {
    /** What a delay is drawn for. */
    public enum Of {
        /** A status that another controller keeps writing is let stand. */
        OVERWRITE,
        /** An address that could not be released is tried again. */
        RELEASE
    }
}
