package dev.berth.kube;

/** An object says something that this Berth does not know. It is left as it is, and nothing else is affected. */
public final class Unreadable extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /**
     * Says so.
     *
     * @param message the field, its value and what to do, human-readable
     */
    public Unreadable(String message) {
        super(message);
    }
}
