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
import java.util.OptionalInt;

/** Sockets of kinds that Java has not. A descriptor has to be closed. */
final class Sockets {
    static final int SOCK_RAW = 3;
    private static final int EINTR = 4;

    /** EAGAIN: a socket with a time limit had nothing to read. */
    private static final int NOTHING_YET = 11;

    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = receiveTimeout(System.getProperty("os.arch"));
    private static final int EAFNOSUPPORT = 97;

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
        static final MethodHandle RECEIVE = function("recv", FunctionDescriptor.of(LONG, INT, POINTER, LONG, INT));
        static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));

        private static MethodHandle function(String name, FunctionDescriptor type) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, ERRNO);
        }
    }

    /** The kernel refused. */
    private static final class Failed extends IOException {
        private static final long serialVersionUID = 1;
        private final int code;

        Failed(String what, int code) {
            super(what + ": " + name(code));
            this.code = code;
        }

        int code() {
            return code;
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
                throw new Failed(what, code);
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

    /** The same; absent: the kernel has no such family, as IPv6 where it is off. */
    static OptionalInt openIfThere(int family, int type, int protocol) throws IOException {
        try {
            return OptionalInt.of(open(family, type, protocol));
        } catch (Failed failure) {
            if (failure.code() == EAFNOSUPPORT) {
                return OptionalInt.empty();
            }
            throw failure;
        }
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
                java.nio.ByteBuffer.allocate(16)
                        .order(java.nio.ByteOrder.nativeOrder())
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

    /** The next message, cut at {@code length}; empty if none came in time. */
    static byte[] receive(int socket, int length) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(length);
            long got = call(
                    "receiving", arena, errno -> (long) C.RECEIVE.invokeExact(errno, socket, into, (long) length, 0));
            return got < 0 ? new byte[0] : into.asSlice(0, got).toArray(ValueLayout.JAVA_BYTE);
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
