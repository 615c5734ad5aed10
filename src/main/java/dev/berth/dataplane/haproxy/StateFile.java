package dev.berth.dataplane.haproxy;

import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that are written whole or not at all, and are there after a power failure. */
final class StateFile {
    private StateFile() {}

    /** Its text; empty: there is no such file. */
    static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException failure) {
            throw new ProviderException("reading " + file + ": " + failure, failure);
        }
    }

    static void write(Path file, String text) {
        write(file, text, false);
    }

    /** The same, for its owner alone to read. */
    static void writeSecret(Path file, String text) {
        write(file, text, true);
    }

    private static void write(Path file, String text, boolean isSecret) {
        try {
            Path part = file.resolveSibling(file.getFileName() + ".part");
            if (isSecret) {
                Files.deleteIfExists(part);
                Files.createFile(
                        part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            // Without DSYNC, a file may be empty after a power failure.
            Files.writeString(
                    part,
                    text,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DSYNC);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw new ProviderException("writing " + file + ": " + failure, failure);
        }
    }
}
