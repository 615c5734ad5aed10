package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** The way to a server, which can be cut, and can fall silent: then it carries nothing, and nobody is told. */
public final class Relay implements AutoCloseable {
    private static final int CHUNK = 64 << 10;

    private final ServerSocketChannel entrance;
    private final SocketAddress exit;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private volatile CountDownLatch silence = new CountDownLatch(0);

    private Relay(ServerSocketChannel entrance, SocketAddress exit) {
        this.entrance = entrance;
        this.exit = exit;
        Thread.startVirtualThread(this::accept);
    }

    /** From a new port to another, both of the loopback address. */
    public static Relay toPort(int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try {
            return new Relay(
                    ServerSocketChannel.open().bind(new InetSocketAddress(loopback, 0)),
                    new InetSocketAddress(loopback, port));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** From a new Unix socket to another. */
    public static Relay between(Path entrance, Path exit) {
        try {
            return new Relay(
                    ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(entrance)),
                    UnixDomainSocketAddress.of(exit));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Where it begins. */
    public int port() {
        return entrance.socket().getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel from = entrance.accept();
                Thread.startVirtualThread(() -> connect(from));
            }
        } catch (IOException closed) {
            cut();
        }
    }

    private void connect(SocketChannel from) {
        try (from;
                SocketChannel to = SocketChannel.open(exit)) {
            open.add(from);
            open.add(to);
            Thread back = Thread.startVirtualThread(() -> carry(to, from));
            carry(from, to);
            back.join();
            open.remove(from);
            open.remove(to);
        } catch (IOException nobodyServesThere) {
            open.remove(from);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until one of them is closed; then both are. */
    private void carry(SocketChannel from, SocketChannel to) {
        ByteBuffer bytes = ByteBuffer.allocate(CHUNK);
        try (from;
                to) {
            while (from.read(bytes) >= 0) {
                silence.await();
                bytes.flip();
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
                bytes.clear();
            }
        } catch (IOException closed) {
            return;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Carries nothing from now on, and closes nothing. */
    public void fallSilent() {
        silence = new CountDownLatch(1);
    }

    /** Carries again, also what was held up. */
    public void speak() {
        silence.countDown();
    }

    /** Breaks all connections; new ones are let through. */
    public void cut() {
        for (SocketChannel one : open) {
            try {
                one.close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    @Override
    public void close() {
        try {
            entrance.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        speak();
        cut();
    }
}
