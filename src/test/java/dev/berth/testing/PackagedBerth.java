package dev.berth.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command lines of the packaged Berth, by the JVM options of its image. */
public final class PackagedBerth {
    private static final Path IMAGE_OPTIONS = Path.of("src/main/docker/jvm.options");

    private PackagedBerth() {}

    /**
     * With the AOT cache, as in the image; fit for any working directory.
     *
     * @param arguments like {@code audit}
     * @throws IllegalStateException if it is not packaged
     */
    public static List<String> command(String... arguments) {
        return commandWith(AotCache.option(), arguments);
    }

    /** Like {@link #command}, but with these JVM options instead of an AOT cache. */
    public static List<String> commandWith(List<String> jvmOptions, String... arguments) {
        Path jar = Build.application().toAbsolutePath();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(jar + " is missing; run mvn package");
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + IMAGE_OPTIONS.toAbsolutePath()));
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", jar.toString()));
        command.addAll(List.of(arguments));
        return command;
    }
}
