package dev.berth.host;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Sockets of kinds that Java has not. A descriptor has to be closed. */
final class Sockets {
    static final int AF_PACKET = 17;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_RAW = 3;
    private static final int EINTR = 4;

    /** EAGAIN: a socket with a time limit had nothing to read. */
    private static final int NOTHING_YET = 11;

    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = receiveTimeout(System.getProperty("os.arch"));
    private static final int SO_ATTACH_FILTER = 26;

    /** That of a packet socket has 20 bytes, of netlink 12. */
    private static final int LONGEST_ADDRESS = 32;

    private Sockets() {}

    /** The number of the option, which only PowerPC has otherwise of those that Kubernetes runs on. */
    static int receiveTimeout(String architecture) {
        return architecture.startsWith("ppc") ? 18 : 20;
    }

    /** Found when it is needed first. */
    private static final class C {
        private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
        private static final VarHandle VALUE =
                Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final ValueLayout POINTER = ValueLayout.ADDRESS;

        static final MethodHandle SOCKET = function("socket", FunctionDescriptor.of(INT, INT, INT, INT));
        static final MethodHandle BIND = function("bind", FunctionDescriptor.of(INT, INT, POINTER, INT));
        static final MethodHandle SET_OPTION =
                function("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, POINTER, INT));
        static final MethodHandle SENDTO =
                function("sendto", FunctionDescriptor.of(LONG, INT, POINTER, LONG, INT, POINTER, INT));
        static final MethodHandle RECEIVE =
                function("recvfrom", FunctionDescriptor.of(LONG, INT, POINTER, LONG, INT, POINTER, POINTER));
        static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));

        private static MethodHandle function(String name, FunctionDescriptor type) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, ERRNO);
        }
    }

    /** A call of the C library: negative means errno. */
    private interface Call {
        long run(MemorySegment errno) throws Throwable;
    }

    private static long call(String what, Arena arena, Call call) throws IOException {
        MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());
        while (true) {
            long result;
            try {
                result = call.run(errno);
            } catch (Throwable impossible) {
                throw new IllegalStateException(impossible);
            }
            if (result >= 0) {
                return result;
            }
            int code = (int) C.VALUE.get(errno, 0L);
            if (code == NOTHING_YET) {
                return -1;
            }
            if (code != EINTR) {
                throw new IOException(what + ": " + name(code));
            }
        }
    }

    /** What the kernel means by an error code. */
    static String name(int code) {
        return switch (code) {
            case 1 -> "not permitted; the process needs the capabilities NET_ADMIN and NET_RAW";
            case 17 -> "it is there already";
            case 19, 6 -> "there is no such interface";
            case 99 -> "it is not there";
            case 100 -> "the network is down";
            default -> "error " + code + " of the kernel";
        };
    }

    static int open(int family, int type, int protocol) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return (int)
                    call("opening a socket", arena, errno -> (int) C.SOCKET.invokeExact(errno, family, type, protocol));
        }
    }

    /**
     * A socket address of packet sockets.
     *
     * @param protocol like 0x0806; 0: none
     * @param index the number of an interface; 0: all
     */
    static byte[] packetAddress(int protocol, int index) {
        return ByteBuffer.allocate(20)
                .order(ByteOrder.nativeOrder())
                .putShort((short) AF_PACKET)
                .put((byte) (protocol >> 8))
                .put((byte) protocol)
                .putInt(index)
                .array();
    }

    /** The number of the interface that is in one. */
    static int index(ByteBuffer packetAddress) {
        return packetAddress.getInt(4);
    }

    static void bind(int socket, byte[] address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocateFrom(ValueLayout.JAVA_BYTE, address);
            long _ = call(
                    "binding a socket", arena, errno -> (int) C.BIND.invokeExact(errno, socket, to, address.length));
        }
    }

    static void option(int socket, int level, int option, byte[] value) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocateFrom(ValueLayout.JAVA_BYTE, value);
            long _ = call("setting an option of a socket", arena, errno ->
                    (int) C.SET_OPTION.invokeExact(errno, socket, level, option, set, value.length));
        }
    }

    /** Has {@link #receive} return after so many seconds, with nothing. */
    static void limit(int socket, int seconds) throws IOException {
        option(
                socket,
                SOL_SOCKET,
                SO_RCVTIMEO,
                ByteBuffer.allocate(16)
                        .order(ByteOrder.nativeOrder())
                        .putLong(seconds)
                        .array());
    }

    /**
     * Sends one message.
     *
     * @param to a socket address, as the kernel has it
     */
    static void send(int socket, byte[] message, byte[] to) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment what = arena.allocateFrom(ValueLayout.JAVA_BYTE, message);
            MemorySegment where = arena.allocateFrom(ValueLayout.JAVA_BYTE, to);
            long _ = call("sending", arena, errno ->
                    (long) C.SENDTO.invokeExact(errno, socket, what, (long) message.length, 0, where, to.length));
        }
    }

    /**
     * What was received.
     *
     * @param bytes empty if nothing came in time
     * @param from the socket address of who sent it, as the kernel has it
     */
    record Received(ByteBuffer bytes, ByteBuffer from) {}

    /** The next message, cut at {@code length}. */
    static Received receive(int socket, int length) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(length);
            MemorySegment from = arena.allocate(LONGEST_ADDRESS);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, LONGEST_ADDRESS);
            long got = call("receiving", arena, errno ->
                    (long) C.RECEIVE.invokeExact(errno, socket, into, (long) length, 0, from, size));
            return new Received(copied(into.asSlice(0, Math.max(0, got))), copied(from));
        }
    }

    private static ByteBuffer copied(MemorySegment segment) {
        return ByteBuffer.wrap(segment.toArray(ValueLayout.JAVA_BYTE)).order(ByteOrder.nativeOrder());
    }

    /** Has the socket receive only what the instructions of a classic BPF program let pass, 8 bytes each. */
    static void filter(int socket, byte[] instructions) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment program = arena.allocate(16, 8);
            MemorySegment code = arena.allocate(instructions.length, 8);
            code.copyFrom(MemorySegment.ofArray(instructions));
            program.set(ValueLayout.JAVA_SHORT, 0, (short) (instructions.length / 8));
            program.set(ValueLayout.ADDRESS, 8, code);
            long _ = call("setting a filter of a socket", arena, errno ->
                    (int) C.SET_OPTION.invokeExact(errno, socket, SOL_SOCKET, SO_ATTACH_FILTER, program, 16));
        }
    }

    static void close(int socket) {
        try (Arena arena = Arena.ofConfined()) {
            long _ = call("closing", arena, errno -> (int) C.CLOSE.invokeExact(errno, socket));
        } catch (IOException gone) {
            // It is closed.
        }
    }
}
