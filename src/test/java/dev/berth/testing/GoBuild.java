package dev.berth.testing;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;

/** Builds Go programs of this project. Go's own cache makes it quick, and what is up to date is not written again. */
public final class GoBuild {
    private GoBuild() {}

    /**
     * Builds packages of a module; JVMs of the same test run take turns.
     *
     * @param module the folder of its go.mod
     * @param into absolute; gets the programs, named by their packages, and {@code go.log}
     * @throws IllegalStateException if Go refuses, with what it says
     */
    public static void build(Path module, Path into, String packages) {
        try {
            Files.createDirectories(into);
            try (FileChannel file = FileChannel.open(into.resolve("lock"), CREATE, WRITE);
                    FileLock lock = file.lock()) {
                Path log = into.resolve("go.log");
                ProcessBuilder go = new ProcessBuilder(
                                "go", "build", "-mod=readonly", "-buildvcs=false", "-o", into + "/", packages)
                        .directory(module.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
                go.environment().put("GOWORK", "off");
                go.environment().put("CGO_ENABLED", "0");
                if (go.start().waitFor() != 0) {
                    throw new IllegalStateException(String.join(" ", go.command()) + ": " + Files.readString(log));
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("running go, which has to be on the PATH", failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }
}
