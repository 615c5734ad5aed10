package dev.berth.host;

import dev.berth.ip.Ip;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/** Hears which IPv6 routers there are on the networks of this host: by NDP's router advertisements. */
public final class RouterAdvertisements implements AutoCloseable {
    private static final int ROUTER_ADVERTISEMENT = 134;

    /** Where the source is in a header of IPv6. */
    private static final int SOURCE = 8;

    private final Listener listener;
    private final PacketListener packets;

    /** Notified of each advertisement, by one thread, which waits for it. */
    public interface Listener {
        /**
         * A router is there.
         *
         * @param router its link-local address
         * @param index the number of the interface where it was heard
         */
        void heard(Ip router, int index);
    }

    /**
     * Listens from now on.
     *
     * @throws IOException if the kernel refuses
     */
    public RouterAdvertisements(Listener listener) throws IOException {
        this.listener = listener;
        this.packets = PacketListener.icmpv6(
                "router-advertisements",
                ROUTER_ADVERTISEMENT,
                "router advertisements are no longer received",
                this::read);
    }

    private void read(byte[] packet, int index) throws IOException {
        if (packet.length >= PacketListener.IPV6_HEADER) {
            InetAddress source = InetAddress.getByAddress(Arrays.copyOfRange(packet, SOURCE, SOURCE + 16));
            if (source instanceof Inet6Address && source.isLinkLocalAddress()) {
                listener.heard(Ip.of(source), index);
            }
        }
    }

    /** Whether it has not been closed, and the kernel has not failed. */
    public boolean isListening() {
        return packets.isListening();
    }

    /** Ends within a second. */
    @Override
    public void close() {
        packets.close();
    }
}
