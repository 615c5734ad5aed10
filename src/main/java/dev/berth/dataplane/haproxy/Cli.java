package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** HAProxy's CLI, of a worker or of the master: one command at a time, and its answer. */
record Cli(Path socket) {
    /** Nothing comes for so long: it does not answer. */
    static final Duration ANSWER = Duration.ofSeconds(2);

    private static final Duration POLL = Duration.ofMillis(10);

    /**
     * Asks it.
     *
     * @throws IOException if it does not answer; a process that just starts sometimes never does
     */
    String ask(String command) throws IOException {
        try (SocketChannel channel = connect();
                Selector selector = Selector.open()) {
            channel.write(ByteBuffer.wrap((command + "\n").getBytes(UTF_8)));
            // The master answers, and then waits for more until nothing more can come.
            channel.shutdownOutput();
            channel.register(selector, SelectionKey.OP_READ);
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
            while (channel.read(buffer) >= 0) {
                answer.write(buffer.array(), 0, buffer.position());
                buffer.clear();
                if (selector.select(ANSWER.toMillis()) == 0) {
                    throw new IOException("nothing within " + ANSWER.toSeconds() + " s");
                }
                selector.selectedKeys().clear();
            }
            return answer.toString(UTF_8);
        }
    }

    /** Tries again while too many others wait to be connected. */
    private SocketChannel connect() throws IOException {
        long end = System.nanoTime() + ANSWER.toNanos();
        while (true) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.configureBlocking(false);
                if (channel.connect(UnixDomainSocketAddress.of(socket))) {
                    return channel;
                }
                throw new IOException("too many questions wait");
            } catch (IOException failure) {
                channel.close();
                // Of the kernel: EAGAIN.
                if (!String.valueOf(failure.getMessage()).contains("temporarily unavailable")
                        || System.nanoTime() > end) {
                    throw failure;
                }
                LockSupport.parkNanos(POLL.toNanos());
            }
        }
    }
}
