package dev.berth.host;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Tells everybody on the network of an interface where an address is now: those who have sent to it before would go on
 * sending to the host that had it. The kernel does not tell when an address is added, and the tools that do are not
 * everywhere, so the frames are made here and sent by the C library's packet sockets. They need {@code NET_RAW}.
 */
public final class Neighbours {
    private static final byte[] EVERYBODY = bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
    private static final byte[] ALL_NODES = bytes(0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01);
    private static final byte[] ALL_NODES_MAC = bytes(0x33, 0x33, 0, 0, 0, 0x01);
    private static final byte[] ALL_ROUTERS = bytes(0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02);
    private static final byte[] ALL_ROUTERS_MAC = bytes(0x33, 0x33, 0, 0, 0, 0x02);
    private static final byte[] SOLICITED_NODE = bytes(0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xff, 0, 0, 0);
    private static final int ARP = 0x0806;
    private static final int IPV6 = 0x86dd;
    private static final int ICMPV6 = 58;

    private Neighbours() {}

    /**
     * Tells where these addresses are.
     *
     * @param networkInterface that they are bound on; one without a hardware address has no neighbours to tell
     * @throws IOException if it cannot be told
     */
    public static void tell(String networkInterface, List<String> addresses) throws IOException {
        send(networkInterface, addresses, Neighbours::neighbourAdvertisement, Neighbours::gratuitousArp);
    }

    /**
     * Asks who else has these addresses, in a way that changes nothing for anybody: see {@link Claimants} for the answers.
     *
     * @throws IOException if it cannot be asked
     */
    public static void probe(String networkInterface, List<String> addresses) throws IOException {
        send(networkInterface, addresses, Neighbours::neighbourSolicitation, Neighbours::arpProbe);
    }

    /**
     * Asks which routers there are, who answer by {@link RouterAdvertisements}, and says that this host is there: a router that
     * has an unnumbered peer on that interface waits for a router advertisement of it.
     *
     * @param own the link-local address of the interface
     * @throws IOException if it cannot be sent
     */
    public static void solicitAndAdvertise(String networkInterface, String own) throws IOException {
        Frame none = (_, _) -> new byte[0];
        send(networkInterface, List.of(own), Neighbours::routerSolicitation, none);
        send(networkInterface, List.of(own), Neighbours::routerAdvertisement, none);
    }

    /** What is said of an address by the one with this hardware address. */
    private interface Frame {
        byte[] of(byte[] hardware, byte[] address);
    }

    private static void send(String networkInterface, List<String> addresses, Frame ipv6, Frame ipv4)
            throws IOException {
        NetworkInterface by = NetworkInterface.getByName(networkInterface);
        byte[] hardware = by == null ? null : by.getHardwareAddress();
        if (by == null || hardware == null || hardware.length != 6) {
            return;
        }
        send(
                by.getIndex(),
                addresses.stream()
                        .map(InetAddress::ofLiteral)
                        .map(address ->
                                (address instanceof Inet6Address ? ipv6 : ipv4).of(hardware, address.getAddress()))
                        .toList());
    }

    static void send(int index, List<byte[]> frames) throws IOException {
        byte[] to = Sockets.packetAddress(0, index);
        int socket = Sockets.open(Sockets.AF_PACKET, Sockets.SOCK_RAW, 0);
        try {
            for (byte[] frame : frames) {
                Sockets.send(socket, frame, to);
            }
        } finally {
            Sockets.close(socket);
        }
    }

    /** An ARP request for the address by the one who has it (RFC 5227, section 3). */
    static byte[] gratuitousArp(byte[] hardware, byte[] address) {
        return arpRequest(hardware, address, address);
    }

    /** An ARP request by nobody (RFC 5227, section 2.1.1). */
    static byte[] arpProbe(byte[] hardware, byte[] address) {
        return arpRequest(hardware, new byte[4], address);
    }

    private static byte[] arpRequest(byte[] hardware, byte[] sender, byte[] address) {
        return frame(EVERYBODY, hardware, ARP, 28)
                .putShort((short) 1) // Ethernet
                .putShort((short) 0x0800) // IPv4
                .put((byte) 6)
                .put((byte) 4)
                .putShort((short) 1) // request
                .put(hardware)
                .put(sender)
                .put(new byte[6])
                .put(address)
                .array();
    }

    /** An unsolicited neighbour advertisement that overrides what is known (RFC 4861, section 7.2.6). */
    static byte[] neighbourAdvertisement(byte[] hardware, byte[] address) {
        ByteBuffer message = ByteBuffer.allocate(32)
                .put((byte) 136)
                .put((byte) 0)
                .putShort((short) 0)
                .putInt(0x20000000) // override
                .put(address)
                .put((byte) 2) // of the target, the hardware address
                .put((byte) 1)
                .put(hardware);
        return icmp(ALL_NODES_MAC, hardware, address, ALL_NODES, message.array());
    }

    /** A neighbour solicitation by nobody, as one who wants the address sends it (RFC 4862, section 5.4.2). */
    static byte[] neighbourSolicitation(byte[] hardware, byte[] address) {
        byte[] group = SOLICITED_NODE.clone();
        System.arraycopy(address, 13, group, 13, 3);
        byte[] mac = {0x33, 0x33, group[12], group[13], group[14], group[15]};
        ByteBuffer message = ByteBuffer.allocate(24)
                .put((byte) 135)
                .put((byte) 0)
                .putShort((short) 0)
                .putInt(0)
                .put(address);
        return icmp(mac, hardware, new byte[16], group, message.array());
    }

    /** Who is a router? (RFC 4861, section 4.1). */
    static byte[] routerSolicitation(byte[] hardware, byte[] address) {
        ByteBuffer message = ByteBuffer.allocate(16)
                .put((byte) 133)
                .put((byte) 0)
                .putShort((short) 0)
                .putInt(0)
                .put((byte) 1) // of the source, the hardware address
                .put((byte) 1)
                .put(hardware);
        return icmp(ALL_ROUTERS_MAC, hardware, address, ALL_ROUTERS, message.array());
    }

    /** Of a router that nobody is to have as its default router: its lifetime is 0 (RFC 4861, section 4.2). */
    static byte[] routerAdvertisement(byte[] hardware, byte[] address) {
        ByteBuffer message = ByteBuffer.allocate(24)
                .put((byte) 134)
                .put((byte) 0)
                .putShort((short) 0)
                .put(new byte[12]) // all else is not specified
                .put((byte) 1) // of the source, the hardware address
                .put((byte) 1)
                .put(hardware);
        return icmp(ALL_NODES_MAC, hardware, address, ALL_NODES, message.array());
    }

    private static byte[] icmp(byte[] mac, byte[] hardware, byte[] from, byte[] to, byte[] message) {
        return frame(mac, hardware, IPV6, 40 + message.length)
                .putInt(0x60000000)
                .putShort((short) message.length)
                .put((byte) ICMPV6)
                .put((byte) 255)
                .put(from)
                .put(to)
                .put(ByteBuffer.wrap(message).putShort(2, checksum(from, to, message)))
                .array();
    }

    private static ByteBuffer frame(byte[] to, byte[] from, int type, int length) {
        return ByteBuffer.allocate(14 + length).put(to).put(from).putShort((short) type);
    }

    /** Of ICMPv6, over the pseudo-header as well (RFC 8200, section 8.1). */
    private static short checksum(byte[] source, byte[] destination, byte[] message) {
        ByteBuffer all = ByteBuffer.allocate(40 + message.length)
                .put(source)
                .put(destination)
                .putInt(message.length)
                .putInt(ICMPV6)
                .put(message)
                .flip();
        int sum = 0;
        while (all.hasRemaining()) {
            sum += all.getShort() & 0xffff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return (short) ~(sum + (sum >>> 16));
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
