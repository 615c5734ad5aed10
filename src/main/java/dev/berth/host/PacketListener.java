package dev.berth.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the packets of one protocol that come to any interface of this host, on a thread of its own. */
final class PacketListener implements AutoCloseable {
    static final int ARP = 0x0806;
    static final int IPV6 = 0x86dd;

    /** Of a header of IPv6. */
    static final int IPV6_HEADER = 40;

    private static final Logger LOG = LoggerFactory.getLogger(PacketListener.class);

    private static final int ICMPV6 = 58;
    private static final int LONGEST = 1500;

    /** After which it looks whether it is closed. */
    private static final int SECONDS = 1;

    private static final short LOAD_BYTE = 0x30;
    private static final short JUMP_IF_EQUAL = 0x15;
    private static final short RETURN = 0x06;

    private final int socket;
    private final Reading reading;
    private final String loss;
    private volatile boolean closed;

    interface Reading {
        /**
         * Called by one thread, which waits for it.
         *
         * @param packet from the header of its protocol on
         * @param index the number of the interface that it came to
         */
        void read(byte[] packet, int index) throws IOException;
    }

    private PacketListener(int socket, String loss, Reading reading) {
        this.socket = socket;
        this.loss = loss;
        this.reading = reading;
    }

    /**
     * Listens for ARP from now on.
     *
     * @param thread its name
     * @param loss what follows if it cannot listen any more, for the log
     * @throws IOException if the kernel refuses
     */
    static PacketListener arp(String thread, String loss, Reading reading) throws IOException {
        return start(thread, ARP, new byte[0], loss, reading);
    }

    /** The same for messages of ICMPv6 of one type, that no router has passed on (RFC 4861, sections 6.1.2 and 7.1.2). */
    static PacketListener icmpv6(String thread, int type, String loss, Reading reading) throws IOException {
        return start(thread, IPV6, filter(type), loss, reading);
    }

    /** Next header, hop limit and type. */
    private static byte[] filter(int type) {
        return ByteBuffer.allocate(8 * 8)
                .order(ByteOrder.nativeOrder())
                .put(instruction(LOAD_BYTE, 0, 6))
                .put(instruction(JUMP_IF_EQUAL, 5, ICMPV6))
                .put(instruction(LOAD_BYTE, 0, 7))
                .put(instruction(JUMP_IF_EQUAL, 3, 255))
                .put(instruction(LOAD_BYTE, 0, IPV6_HEADER))
                .put(instruction(JUMP_IF_EQUAL, 1, type))
                .put(instruction(RETURN, 0, LONGEST))
                .put(instruction(RETURN, 0, 0))
                .array();
    }

    /** Of a classic BPF program. */
    private static byte[] instruction(short code, int skippedIfNot, int value) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.nativeOrder())
                .putShort(code)
                .put((byte) 0)
                .put((byte) skippedIfNot)
                .putInt(value)
                .array();
    }

    private static PacketListener start(String thread, int protocol, byte[] filter, String loss, Reading reading)
            throws IOException {
        int socket = Sockets.open(Sockets.AF_PACKET, Sockets.SOCK_DGRAM, 0);
        try {
            if (filter.length > 0) {
                Sockets.filter(socket, filter);
            }
            Sockets.bind(socket, Sockets.packetAddress(protocol, 0));
            Sockets.limit(socket, SECONDS);
        } catch (IOException refused) {
            Sockets.close(socket);
            throw refused;
        }
        PacketListener started = new PacketListener(socket, loss, reading);
        Thread.ofPlatform().daemon().name(thread).start(started::listen);
        return started;
    }

    private void listen() {
        try {
            while (!closed) {
                Sockets.Received received = Sockets.receive(socket, LONGEST);
                if (received.bytes().hasRemaining()) {
                    reading.read(received.bytes().array(), Sockets.index(received.from()));
                }
            }
        } catch (IOException failure) {
            LOG.warn("{}: {}", loss, failure.getMessage());
        } finally {
            closed = true;
            Sockets.close(socket);
        }
    }

    boolean isListening() {
        return !closed;
    }

    /** Ends within a second. */
    @Override
    public void close() {
        closed = true;
    }
}
