package dev.berth.host;

import dev.berth.host.MarkedAddresses.Held;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears from the kernel what becomes of the interfaces of this host, and of the addresses on them. */
public final class InterfaceChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InterfaceChanges.class);

    /** RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR. */
    private static final int GROUPS = 0x1 | 0x10 | 0x100;

    /** After which it looks whether it is closed. */
    private static final int SECONDS = 1;

    /** After a failure, in milliseconds. */
    private static final long PAUSE = 100;

    private final int socket;
    private final Listener listener;
    private volatile boolean closed;

    /** Whether the kernel had more to tell than it keeps. */
    private boolean hasMissed;

    /** Notified of each change. Called by one thread, which waits for it. */
    public interface Listener {
        /** An interface, or a network on one, has come, gone or become another. */
        void changed();

        /** An address of {@link MarkedAddresses} is on that interface no more, also where that has taken it off. */
        void gone(InetAddress address, int index);

        /** Either of these may have happened. */
        void missed();
    }

    /**
     * Listens from now on.
     *
     * @throws IOException if the kernel refuses
     */
    public InterfaceChanges(Listener listener) throws IOException {
        this.listener = listener;
        socket = Sockets.open(MarkedAddresses.AF_NETLINK, Sockets.SOCK_RAW, MarkedAddresses.NETLINK_ROUTE);
        try {
            Sockets.bind(
                    socket,
                    ByteBuffer.allocate(12)
                            .order(ByteOrder.nativeOrder())
                            .putShort((short) MarkedAddresses.AF_NETLINK)
                            .putInt(8, GROUPS)
                            .array());
            Sockets.limit(socket, SECONDS);
        } catch (IOException refused) {
            Sockets.close(socket);
            throw refused;
        }
        Thread.ofPlatform().daemon().name("interfaces").start(this::listen);
    }

    private void listen() {
        try {
            while (!closed) {
                hear();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            Sockets.close(socket);
        }
    }

    private void hear() throws InterruptedException {
        try {
            ByteBuffer messages = Sockets.receive(socket, MarkedAddresses.REPLY).bytes();
            if (hasMissed && !messages.hasRemaining()) {
                // The kernel says once that it drops some, and drops until all is read that it has kept.
                hasMissed = false;
                listener.missed();
            }
            boolean _ = MarkedAddresses.each(messages, this::take);
        } catch (IOException | RuntimeException failure) {
            LOG.debug("hearing of interfaces: {}", failure.getMessage());
            hasMissed = true;
            listener.missed();
            Thread.sleep(PAUSE);
        }
    }

    private boolean take(int type, ByteBuffer body) throws IOException {
        if (type == MarkedAddresses.NEW || type == MarkedAddresses.DELETE) {
            int prefix = body.get(body.position() + 1) & 0xff;
            Held held = MarkedAddresses.held(body);
            boolean isSingle = prefix == held.address().getAddress().length * 8;
            if (!isSingle) {
                listener.changed();
            } else if (type == MarkedAddresses.DELETE && held.isMarked()) {
                listener.gone(held.address(), held.index());
            }
        } else {
            listener.changed();
        }
        return true;
    }

    /** Ends within a second. */
    @Override
    public void close() {
        closed = true;
    }
}
