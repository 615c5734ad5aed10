package dev.berth.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears who claims an address on the networks of this host: by ARP, and by NDP's advertisements. */
public final class Claimants implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Claimants.class);
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    private static final int ARP = 0x0806;
    private static final int IPV6 = 0x86dd;
    private static final int ICMPV6 = 58;
    private static final int ADVERTISEMENT = 136;
    private static final int LONGEST = 1500;

    /** After which it looks whether it is closed. */
    private static final int SECONDS = 1;

    private static final short LOAD_BYTE = 0x30;
    private static final short JUMP_IF_EQUAL = 0x15;
    private static final short RETURN = 0x06;

    /**
     * Advertisements alone, of all IPv6 that comes, and only those that no router has passed on (RFC 4861, section 7.1.2):
     * next header, hop limit and type.
     */
    private static final byte[] ADVERTISEMENTS = ByteBuffer.allocate(8 * 8)
            .order(ByteOrder.nativeOrder())
            .put(instruction(LOAD_BYTE, 0, 6))
            .put(instruction(JUMP_IF_EQUAL, 5, ICMPV6))
            .put(instruction(LOAD_BYTE, 0, 7))
            .put(instruction(JUMP_IF_EQUAL, 3, 255))
            .put(instruction(LOAD_BYTE, 0, 40))
            .put(instruction(JUMP_IF_EQUAL, 1, ADVERTISEMENT))
            .put(instruction(RETURN, 0, LONGEST))
            .put(instruction(RETURN, 0, 0))
            .array();

    private final Listener listener;
    private volatile boolean closed;

    /** Notified of each claim. Called by two threads, which wait for it. */
    public interface Listener {
        /**
         * Somebody says that an address is theirs.
         *
         * @param hardware of the one who says it, like 02:00:00:00:00:01
         * @param index the number of the interface where it was heard
         */
        void claimed(InetAddress address, String hardware, int index);
    }

    private interface Reading {
        void read(byte[] message, int index) throws IOException;
    }

    /**
     * Listens from now on.
     *
     * @throws IOException if the kernel refuses
     */
    public Claimants(Listener listener) throws IOException {
        this.listener = listener;
        start("claims-arp", ARP, this::arp);
        start("claims-ndp", IPV6, this::advertisement);
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

    private void start(String name, int protocol, Reading reading) throws IOException {
        int socket = Sockets.open(Sockets.AF_PACKET, Sockets.SOCK_DGRAM, 0);
        try {
            if (protocol == IPV6) {
                Sockets.filter(socket, ADVERTISEMENTS);
            }
            Sockets.bind(socket, Sockets.packetAddress(protocol, 0));
            Sockets.limit(socket, SECONDS);
        } catch (IOException refused) {
            Sockets.close(socket);
            throw refused;
        }
        Thread.ofPlatform().daemon().name(name).start(() -> listen(socket, reading));
    }

    private void listen(int socket, Reading reading) {
        try {
            while (!closed) {
                Sockets.Received received = Sockets.receive(socket, LONGEST);
                if (received.bytes().hasRemaining()) {
                    reading.read(received.bytes().array(), Sockets.index(received.from()));
                }
            }
        } catch (IOException failure) {
            LOG.warn("conflicts of addresses are not noticed any more: {}", failure.getMessage());
        } finally {
            Sockets.close(socket);
        }
    }

    /** Request or answer: its sender has the address that it says, if it says one. */
    private void arp(byte[] message, int index) throws IOException {
        ByteBuffer arp = ByteBuffer.wrap(message);
        if (message.length >= 28 && arp.getShort(0) == 1 && arp.getShort(2) == 0x0800 && arp.getInt(14) != 0) {
            claimed(Arrays.copyOfRange(message, 14, 18), Arrays.copyOfRange(message, 8, 14), index);
        }
    }

    private void advertisement(byte[] packet, int index) throws IOException {
        byte[] message = Arrays.copyOfRange(packet, 40, packet.length);
        for (int option = 24;
                option + 8 <= message.length && message[option + 1] > 0;
                option += 8 * message[option + 1]) {
            if (message[option] == 2) {
                claimed(Arrays.copyOfRange(message, 8, 24), Arrays.copyOfRange(message, option + 2, option + 8), index);
            }
        }
    }

    private void claimed(byte[] address, byte[] hardware, int index) throws UnknownHostException {
        listener.claimed(InetAddress.getByAddress(address), COLONS.formatHex(hardware), index);
    }

    /** Ends within a second. */
    @Override
    public void close() {
        closed = true;
    }
}
