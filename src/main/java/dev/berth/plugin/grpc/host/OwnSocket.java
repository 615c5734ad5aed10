package dev.berth.plugin.grpc.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A Unix socket that only its owner may open. A process gets its sockets by its umask, which Java cannot set: this one
 * begins in a folder that is closed to others, and comes to its place when its permissions are right.
 */
final class OwnSocket {
    private final Path place;
    private final Path folder;

    private OwnSocket(Path place, Path folder) {
        this.place = place;
        this.folder = folder;
    }

    /**
     * One that is to be at {@code place}, where a former process may have left one.
     *
     * @throws IOException if another listens there, what is there is no socket, or nothing can be made there
     */
    static OwnSocket at(Path place) throws IOException {
        requireFree(place);
        // Its name is short: the path of a socket has 107 bytes at most.
        OwnSocket socket = new OwnSocket(place, place.resolveSibling("." + place.getFileName()));
        socket.clear();
        Files.createDirectory(
                socket.folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return socket;
    }

    private static void requireFree(Path place) throws IOException {
        if (!Files.exists(place)) {
            return;
        }
        // Anyone who connects to a file that is no socket is told the same as of a socket that nobody serves.
        if (!Files.readAttributes(place, BasicFileAttributes.class).isOther()) {
            throw new IOException(place + " exists, and is not a socket; name another path, or remove it");
        }
        try (SocketChannel other = SocketChannel.open(UnixDomainSocketAddress.of(place))) {
            throw new IOException(place + " is served by another process");
        } catch (ConnectException nobody) {
            Files.delete(place);
        }
    }

    /** Where to listen. */
    Path begun() {
        return folder.resolve("s");
    }

    /** Puts it into its place, once somebody listens. */
    void show() throws IOException {
        Files.setPosixFilePermissions(begun(), PosixFilePermissions.fromString("rw-------"));
        Files.move(begun(), place, StandardCopyOption.ATOMIC_MOVE);
        clear();
    }

    private void clear() throws IOException {
        Files.deleteIfExists(begun());
        Files.deleteIfExists(folder);
    }

    /** Takes it away. */
    void remove() {
        try {
            Files.deleteIfExists(place);
        } catch (IOException failure) {
            throw new UncheckedIOException("removing " + place, failure);
        }
    }
}
