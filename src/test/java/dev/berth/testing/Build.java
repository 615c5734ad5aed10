package dev.berth.testing;

import java.nio.file.Path;

/** What Maven has built, of this build. */
public final class Build {
    /** Of the pom; its profile {@code fast} has another one. */
    private static final String DIRECTORY = System.getProperty("berth.build", "target");

    private Build() {}

    /** A file of Maven's build directory; of an empty name, the directory itself. */
    public static Path file(String name) {
        return Path.of(DIRECTORY, name);
    }

    /** The jar that starts every command of Berth. */
    public static Path application() {
        return file("quarkus-app/quarkus-run.jar");
    }
}
