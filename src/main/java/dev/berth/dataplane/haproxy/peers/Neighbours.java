package dev.berth.dataplane.haproxy.peers;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Tells everybody on the network of an interface where an address is now: those who have sent to it before would go on
 * sending to the host that had it. The kernel does not tell when an address is added, and the tools that do are not
 * everywhere, so the frames are made here and sent by the C library's packet sockets. They need {@code NET_RAW}.
 */
public final class Neighbours {
    private static final int AF_PACKET = 17;
    private static final int SOCK_RAW = 3;
    private static final int SOCKADDR_LL = 20;
    private static final byte[] EVERYBODY = bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
    private static final byte[] ALL_NODES = bytes(0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01);
    private static final byte[] ALL_NODES_MAC = bytes(0x33, 0x33, 0, 0, 0, 0x01);
    private static final int ARP = 0x0806;
    private static final int IPV6 = 0x86dd;
    private static final int ICMPV6 = 58;

    private Neighbours() {}

    /** Found when it is needed first. */
    private static final class C {
        static final MethodHandle SOCKET = function(
                "socket",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        static final MethodHandle SENDTO = function(
                "sendto",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT));
        static final MethodHandle CLOSE =
                function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

        private static MethodHandle function(String name, FunctionDescriptor type) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
        }
    }

    /**
     * Tells where these addresses are.
     *
     * @param networkInterface that they are bound on; one without a hardware address has no neighbours to tell
     * @throws IOException if it cannot be told
     */
    public static void tell(String networkInterface, List<String> addresses) throws IOException {
        NetworkInterface by = NetworkInterface.getByName(networkInterface);
        byte[] hardware = by == null ? null : by.getHardwareAddress();
        if (by == null || hardware == null || hardware.length != 6) {
            return;
        }
        List<byte[]> frames = addresses.stream()
                .map(InetAddress::ofLiteral)
                .map(address -> address instanceof Inet6Address
                        ? neighbourAdvertisement(hardware, address.getAddress())
                        : gratuitousArp(hardware, address.getAddress()))
                .toList();
        try {
            send(by.getIndex(), frames);
        } catch (IOException failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void send(int index, List<byte[]> frames) throws Throwable {
        int socket = (int) C.SOCKET.invokeExact(AF_PACKET, SOCK_RAW, 0);
        if (socket < 0) {
            throw new IOException("a packet socket is refused; the process needs the capability NET_RAW");
        }
        try (Arena arena = Arena.ofConfined()) {
            for (byte[] frame : frames) {
                MemorySegment to = arena.allocateFrom(
                        ValueLayout.JAVA_BYTE,
                        ByteBuffer.allocate(SOCKADDR_LL)
                                .order(ByteOrder.nativeOrder())
                                .putShort((short) AF_PACKET)
                                .putShort((short) 0)
                                .putInt(index)
                                .array());
                MemorySegment what = arena.allocateFrom(ValueLayout.JAVA_BYTE, frame);
                long sent = (long) C.SENDTO.invokeExact(socket, what, (long) frame.length, 0, to, SOCKADDR_LL);
                if (sent != frame.length) {
                    throw new IOException("the interface takes no frame");
                }
            }
        } finally {
            int _ = (int) C.CLOSE.invokeExact(socket);
        }
    }

    /** An ARP request for the address by the one who has it (RFC 5227, section 3). */
    static byte[] gratuitousArp(byte[] hardware, byte[] address) {
        return frame(EVERYBODY, hardware, ARP, 28)
                .putShort((short) 1) // Ethernet
                .putShort((short) 0x0800) // IPv4
                .put((byte) 6)
                .put((byte) 4)
                .putShort((short) 1) // request
                .put(hardware)
                .put(address)
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
        message.putShort(2, checksum(address, message.array()));
        return frame(ALL_NODES_MAC, hardware, IPV6, 40 + message.capacity())
                .putInt(0x60000000)
                .putShort((short) message.capacity())
                .put((byte) ICMPV6)
                .put((byte) 255)
                .put(address)
                .put(ALL_NODES)
                .put(message.array())
                .array();
    }

    private static ByteBuffer frame(byte[] to, byte[] from, int type, int length) {
        return ByteBuffer.allocate(14 + length).put(to).put(from).putShort((short) type);
    }

    /** Of ICMPv6, over the pseudo-header as well (RFC 8200, section 8.1). */
    private static short checksum(byte[] source, byte[] message) {
        ByteBuffer all = ByteBuffer.allocate(40 + message.length)
                .put(source)
                .put(ALL_NODES)
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
