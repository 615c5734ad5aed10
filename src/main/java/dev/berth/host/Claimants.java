package dev.berth.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears who claims an address on the networks of this host: by ARP, and by NDP's advertisements. */
public final class Claimants implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Claimants.class);
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    private static final int AF_PACKET = 17;
    private static final int SOCK_DGRAM = 2;
    private static final int ARP = 0x0806;
    private static final int AF_INET6 = 10;
    private static final int ICMPV6 = 58;
    private static final int ICMP6_FILTER = 1;
    private static final int ADVERTISEMENT = 136;
    private static final int LONGEST = 1500;

    /** After which it looks whether it is closed. */
    private static final int SECONDS = 1;

    private final Listener listener;
    private volatile boolean closed;

    /** Notified of each claim. Called by two threads, which wait for it. */
    public interface Listener {
        /**
         * Somebody says that an address is theirs.
         *
         * @param hardware of the one who says it, like 02:00:00:00:00:01
         */
        void claimed(InetAddress address, String hardware);
    }

    private interface Reading {
        void read(byte[] message) throws IOException;
    }

    /**
     * Listens from now on.
     *
     * @throws IOException if the kernel refuses
     */
    public Claimants(Listener listener) throws IOException {
        this.listener = listener;
        int arp = Sockets.open(AF_PACKET, SOCK_DGRAM, inNetworkOrder((short) ARP));
        start("claims-arp", arp, this::arp);
        OptionalInt socket = Sockets.openIfThere(AF_INET6, Sockets.SOCK_RAW, ICMPV6);
        if (socket.isEmpty()) {
            LOG.info("IPv6 is off on this host: claims by NDP are not heard");
            return;
        }
        int ndp = socket.getAsInt();
        ByteBuffer filter = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
        for (int word = 0; word < 8; word++) {
            filter.putInt(word == ADVERTISEMENT / 32 ? ~(1 << (ADVERTISEMENT % 32)) : -1);
        }
        Sockets.option(ndp, ICMPV6, ICMP6_FILTER, filter.array());
        start("claims-ndp", ndp, this::advertisement);
    }

    /** The number of which a protocol's two bytes, in the order of networks, are those of this machine. */
    private static int inNetworkOrder(short protocol) {
        byte[] bytes = ByteBuffer.allocate(2).putShort(protocol).array();
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getShort() & 0xffff;
    }

    private void start(String name, int socket, Reading reading) throws IOException {
        Sockets.limit(socket, SECONDS);
        Thread.ofPlatform().daemon().name(name).start(() -> listen(socket, reading));
    }

    private void listen(int socket, Reading reading) {
        try {
            while (!closed) {
                byte[] message = Sockets.receive(socket, LONGEST);
                if (message.length > 0) {
                    reading.read(message);
                }
            }
        } catch (IOException failure) {
            LOG.warn("conflicts of addresses are not noticed any more: {}", failure.getMessage());
        } finally {
            Sockets.close(socket);
        }
    }

    /** Request or answer: its sender has the address that it says, if it says one. */
    private void arp(byte[] message) throws IOException {
        ByteBuffer arp = ByteBuffer.wrap(message);
        if (message.length >= 28 && arp.getShort(0) == 1 && arp.getShort(2) == 0x0800 && arp.getInt(14) != 0) {
            claimed(Arrays.copyOfRange(message, 14, 18), Arrays.copyOfRange(message, 8, 14));
        }
    }

    private void advertisement(byte[] message) throws IOException {
        for (int option = 24;
                option + 8 <= message.length && message[option + 1] > 0;
                option += 8 * message[option + 1]) {
            if (message[option] == 2) {
                claimed(Arrays.copyOfRange(message, 8, 24), Arrays.copyOfRange(message, option + 2, option + 8));
            }
        }
    }

    private void claimed(byte[] address, byte[] hardware) throws UnknownHostException {
        listener.claimed(InetAddress.getByAddress(address), COLONS.formatHex(hardware));
    }

    /** Ends within a second. */
    @Override
    public void close() {
        closed = true;
    }
}
