package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A temporary directory that goes away with its owner: on close, or after a crash when the next one is created.
 *
 * <p>The owner holds a lock on the file {@code <directory>.lock} beside it. The kernel lets go of it when the owner
 * dies, however it dies; a process ID in a name would not tell owners in different PID namespaces apart, and these
 * share the temporary folder.
 */
public final class OwnedDirectory implements AutoCloseable {
    private static final String PREFIX = "berth-";
    private static final String LOCK = ".lock";
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Lock files of this JVM. Its process ID does not tell them: others in PID namespaces of their own have it, too. */
    private static final Set<Path> OWN = new HashSet<>();

    private final Path path;
    private final @Nullable FileChannel owner;

    private OwnedDirectory(Path path, @Nullable FileChannel owner) {
        this.path = path;
        this.owner = owner;
    }

    /** A new directory in the temporary folder, after removing those of dead owners. */
    public static synchronized OwnedDirectory create() {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        removeStale(folder);
        try {
            while (true) {
                String name = PREFIX + UUID.randomUUID();
                Path lock = folder.resolve(name + LOCK);
                FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                if (channel.tryLock() != null && Files.exists(lock)) {
                    OWN.add(lock);
                    Path directory = Files.createDirectory(folder.resolve(name), PRIVATE);
                    return new OwnedDirectory(directory, channel);
                }
                // Someone who removes stale ones took the new lock file for one.
                channel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("creating a directory in " + folder, e);
        }
    }

    /**
     * The given directory, created when absent, which nobody removes.
     *
     * @throws IllegalArgumentException if it is not empty
     */
    static OwnedDirectory keep(Path directory) {
        try {
            Files.createDirectories(directory, PRIVATE);
            try (Stream<Path> entries = Files.list(directory)) {
                if (entries.findAny().isPresent()) {
                    throw new IllegalArgumentException(directory + " is not empty; name a new directory");
                }
            }
            return new OwnedDirectory(directory.toAbsolutePath(), null);
        } catch (IOException e) {
            throw new UncheckedIOException("creating " + directory, e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        if (owner == null) {
            return;
        }
        try (owner) {
            delete(path);
            Files.deleteIfExists(path.resolveSibling(path.getFileName() + LOCK));
        } catch (IOException e) {
            throw new UncheckedIOException("removing " + path, e);
        }
    }

    static synchronized void removeStale(Path folder) {
        // Closing any channel of a file gives up all of this process's locks on it: its own are not even opened.
        try (DirectoryStream<Path> locks = Files.newDirectoryStream(folder, PREFIX + "*" + LOCK)) {
            for (Path lock : locks) {
                if (!OWN.contains(lock)) {
                    removeIfStale(lock);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("looking for stale directories in " + folder, e);
        }
    }

    private static void removeIfStale(Path lock) {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock dead = channel.tryLock()) {
            if (dead != null) {
                String name = lock.getFileName().toString();
                delete(lock.resolveSibling(name.substring(0, name.length() - LOCK.length())));
                Files.deleteIfExists(lock);
            }
        } catch (IOException e) {
            // Another process removes it at this moment, or it belongs to another user: not ours to worry about.
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path entry : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        } catch (NoSuchFileException e) {
            // Gone already.
        }
    }
}
