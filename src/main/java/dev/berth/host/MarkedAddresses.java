package dev.berth.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Addresses that one process puts on interfaces of its host, and no others: each has a mark that the kernel keeps, so that it is
 * known after a crash, and is gone after a reboot. The mark is the metric of the address' route ({@code ip -d address}
 * shows it), which an address of a single host needs for nothing else.
 *
 * <p>Each is single (/32, /128), usable at once, and not the source of a connection that the host begins to hosts beyond the
 * link: of IPv6 it is deprecated, of IPv4, where that means nothing, its scope is the link.
 */
public final class MarkedAddresses {
    /** Of all that this class puts somewhere: the letters b and e. */
    static final int MARK = 0x6265;

    static final int AF_NETLINK = 16;
    static final int NETLINK_ROUTE = 0;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;

    static final short NEW = 20;
    static final short DELETE = 21;
    private static final short GET = 22;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;

    private static final int REQUEST = 0x1;
    private static final int ACKNOWLEDGE = 0x4;
    private static final int DUMP = 0x300;
    private static final int CREATE = 0x400;
    private static final int EXCLUSIVE = 0x200;

    private static final short IFA_ADDRESS = 1;
    private static final short IFA_LOCAL = 2;
    private static final short IFA_CACHEINFO = 6;
    private static final short IFA_FLAGS = 8;
    private static final short IFA_RT_PRIORITY = 9;
    private static final int NODAD = 0x02;
    private static final int NO_PREFIX_ROUTE = 0x200;

    /** The kernel gives addresses of IPv6 their own, whatever is said here. */
    private static final int RT_SCOPE_LINK = 253;

    private static final int HEADER = 16;
    private static final int MESSAGE = 8;
    private static final int EEXIST = 17;
    private static final int ENODEV = 19;
    private static final int EADDRNOTAVAIL = 99;
    private static final byte[] KERNEL = order(12).putShort((short) AF_NETLINK).array();
    static final int REPLY = 1 << 16;

    /**
     * An address on an interface.
     *
     * @param index the number of the interface
     * @param isMarked whether it was put there by this class
     */
    public record Held(InetAddress address, int index, boolean isMarked) {}

    /** An interface went before an address was put on it. */
    public static final class NoInterfaceException extends IOException {
        private static final long serialVersionUID = 1;

        private NoInterfaceException(InetAddress address, int index) {
            super("putting " + address.getHostAddress() + " on interface " + index + ": " + Sockets.name(ENODEV));
        }
    }

    private MarkedAddresses() {}

    /**
     * Puts an address on an interface; that it is there already, with the mark, is well.
     *
     * @return false if the interface has it already, put there by somebody else
     * @throws NoInterfaceException if there is no such interface any more
     * @throws IOException if the kernel refuses, with the reason
     */
    public static boolean add(InetAddress address, int index) throws IOException {
        int code = change(NEW, CREATE | EXCLUSIVE, address, index);
        if (code == ENODEV) {
            throw new NoInterfaceException(address, index);
        }
        if (code != 0 && code != EEXIST) {
            throw new IOException(
                    "putting " + address.getHostAddress() + " on interface " + index + ": " + Sockets.name(code));
        }
        return code == 0
                || all().stream()
                        .anyMatch(held -> held.isMarked()
                                && held.index() == index
                                && Arrays.equals(held.address().getAddress(), address.getAddress()));
    }

    /**
     * Takes an address off an interface; that it is not there is well, and so is that there is no such interface any more.
     *
     * @throws IOException if the kernel refuses, with the reason
     */
    public static void remove(InetAddress address, int index) throws IOException {
        int code = change(DELETE, 0, address, index);
        if (code != 0 && code != EADDRNOTAVAIL && code != ENODEV) {
            throw new IOException(
                    "taking " + address.getHostAddress() + " off interface " + index + ": " + Sockets.name(code));
        }
    }

    private static int change(short what, int flags, InetAddress address, int index) throws IOException {
        byte[] bytes = address.getAddress();
        ByteBuffer message = order(256).position(HEADER);
        message.put((byte) family(bytes))
                .put((byte) (bytes.length * 8))
                .put((byte) 0)
                .put((byte) RT_SCOPE_LINK)
                .putInt(index);
        attribute(message, IFA_LOCAL, bytes);
        attribute(message, IFA_ADDRESS, bytes);
        if (what == NEW) {
            attribute(
                    message, IFA_FLAGS, order(4).putInt(NODAD | NO_PREFIX_ROUTE).array());
            attribute(message, IFA_RT_PRIORITY, order(4).putInt(MARK).array());
            // Never preferred, valid forever.
            attribute(message, IFA_CACHEINFO, order(16).putInt(0).putInt(-1).array());
        }
        int length = message.position();
        message.putInt(0, length).putShort(4, what).putShort(6, (short) (REQUEST | ACKNOWLEDGE | flags));
        int[] result = {0};
        byte[] request = new byte[length];
        message.get(0, request);
        exchange(request, (type, body) -> {
            if (type == NLMSG_ERROR) {
                result[0] = -body.getInt(body.position());
                return false;
            }
            return true;
        });
        return result[0];
    }

    /**
     * All addresses of all interfaces.
     *
     * @throws IOException if they cannot be read
     */
    public static List<Held> all() throws IOException {
        byte[] request = new byte[HEADER + MESSAGE];
        ByteBuffer.wrap(request)
                .order(ByteOrder.nativeOrder())
                .putInt(HEADER + MESSAGE)
                .putShort(GET)
                .putShort((short) (REQUEST | DUMP));
        List<Held> found = new ArrayList<>();
        exchange(request, (type, body) -> collect(type, body, found));
        return found;
    }

    /** A part of what the kernel answers; an error in the middle would leave a list of some. */
    static boolean collect(int type, ByteBuffer body, List<Held> found) throws IOException {
        if (type == NEW) {
            found.add(held(body));
        }
        boolean isEnd = type == NLMSG_DONE || type == NLMSG_ERROR;
        if (isEnd && body.remaining() >= 4 && body.getInt(body.position()) != 0) {
            throw new IOException("reading addresses: " + Sockets.name(-body.getInt(body.position())));
        }
        return !isEnd;
    }

    static Held held(ByteBuffer body) throws IOException {
        int prefix = body.get(body.position() + 1) & 0xff;
        int index = body.getInt(body.position() + 4);
        byte[] address = {};
        byte[] local = {};
        int metric = 0;
        body.position(body.position() + MESSAGE);
        while (body.remaining() >= 4) {
            int begin = body.position();
            int length = body.getShort() & 0xffff;
            short type = body.getShort();
            if (length < 4 || length > body.remaining() + 4) {
                break;
            }
            byte[] value = new byte[length - 4];
            body.get(value);
            switch (type) {
                case IFA_ADDRESS -> address = value;
                case IFA_LOCAL -> local = value;
                case IFA_RT_PRIORITY -> metric = order(4).put(value).getInt(0);
                default -> {}
            }
            body.position(Math.min(body.limit(), begin + aligned(length)));
        }
        byte[] own = local.length > 0 ? local : address;
        try {
            return new Held(InetAddress.getByAddress(own), index, metric == MARK && prefix == own.length * 8);
        } catch (UnknownHostException odd) {
            throw new IOException("the kernel has an address of " + own.length + " bytes", odd);
        }
    }

    interface Answer {
        /** Whether there is more to come. */
        boolean take(int type, ByteBuffer body) throws IOException;
    }

    private static void exchange(byte[] message, Answer answer) throws IOException {
        int socket = Sockets.open(AF_NETLINK, Sockets.SOCK_RAW, NETLINK_ROUTE);
        try {
            Sockets.limit(socket, 2);
            Sockets.send(socket, message, KERNEL);
            while (true) {
                ByteBuffer reply = Sockets.receive(socket, REPLY).bytes();
                if (!reply.hasRemaining()) {
                    throw new IOException("the kernel does not answer");
                }
                if (!each(reply, answer)) {
                    return;
                }
            }
        } finally {
            Sockets.close(socket);
        }
    }

    /** Takes one message after the other of those that came at once; false: there is no more to come. */
    static boolean each(ByteBuffer messages, Answer answer) throws IOException {
        while (messages.remaining() >= HEADER) {
            int begin = messages.position();
            int length = messages.getInt(begin);
            int type = messages.getShort(begin + 4);
            if (length < HEADER || length > messages.remaining()) {
                throw new IOException("a message of the kernel has " + length + " bytes");
            }
            ByteBuffer body = messages.slice(begin + HEADER, length - HEADER).order(ByteOrder.nativeOrder());
            if (!answer.take(type, body)) {
                return false;
            }
            messages.position(Math.min(messages.limit(), begin + aligned(length)));
        }
        return true;
    }

    private static void attribute(ByteBuffer message, short type, byte[] value) {
        int begin = message.position();
        message.putShort((short) (4 + value.length)).putShort(type).put(value);
        message.position(begin + aligned(4 + value.length));
    }

    private static int aligned(int length) {
        return (length + 3) & ~3;
    }

    private static int family(byte[] address) {
        return address.length == 4 ? AF_INET : AF_INET6;
    }

    private static ByteBuffer order(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
    }
}
