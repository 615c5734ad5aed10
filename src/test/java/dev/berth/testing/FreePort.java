package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** For a program that cannot choose its own. */
public final class FreePort {
    private FreePort() {}

    /** A port of the loopback interface that nobody listened on just now. */
    public static int next() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("looking for a free port", e);
        }
    }
}
