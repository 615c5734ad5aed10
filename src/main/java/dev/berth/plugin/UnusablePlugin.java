package dev.berth.plugin;

import java.nio.file.Path;

/** A plug-in cannot be used; the message is one line, and says what to do. */
public final class UnusablePlugin extends Exception {
    private static final long serialVersionUID = 1;

    public UnusablePlugin(String message) {
        super(message);
    }

    /** This one, for this reason. */
    public static UnusablePlugin of(Path plugin, String why) {
        return new UnusablePlugin("plug-in " + plugin + ": " + why);
    }

    /** What {@code failure} says, in one line; never null. */
    public static String told(Throwable failure) {
        return failure.toString().lines().findFirst().orElse("");
    }
}
