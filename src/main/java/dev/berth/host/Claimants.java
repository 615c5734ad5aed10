package dev.berth.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Hears who claims an address on the networks of this host: by ARP, and by NDP's advertisements. */
public final class Claimants implements AutoCloseable {
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    private static final int ADVERTISEMENT = 136;
    private static final String LOSS = "address conflicts are no longer detected";

    private final Listener listener;
    private final PacketListener arp;
    private final PacketListener ndp;

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

    /**
     * Listens from now on.
     *
     * @throws IOException if the kernel refuses
     */
    public Claimants(Listener listener) throws IOException {
        this.listener = listener;
        this.arp = PacketListener.arp("claims-arp", LOSS, this::arp);
        try {
            this.ndp = PacketListener.icmpv6("claims-ndp", ADVERTISEMENT, LOSS, this::advertisement);
        } catch (IOException refused) {
            arp.close();
            throw refused;
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
        byte[] message = Arrays.copyOfRange(packet, PacketListener.IPV6_HEADER, packet.length);
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
        arp.close();
        ndp.close();
    }
}
