package dev.berth.dataplane.haproxy.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other hosts what this one has, and hears what they have: over mutual TLS, a line of JSON for a line of JSON.
 * Each connects to each, so one way that works is enough for both. A connection on which nothing comes is given up at
 * once: what TCP holds back is too old to be of use.
 */
public final class Peers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private static final int LONGEST_LINE = 4 << 20;
    private static final int MOST_CALLERS = 64;
    private static final int PATIENCE = 1_000;

    /** In which one that has connected must say something. */
    private static final int SILENT_CALLER = 5_000;

    private final PeerFiles files;
    private final Supplier<Beat> own;
    private final BiConsumer<Beat, String> heard;
    private final ServerSocket server;
    private final Semaphore callers = new Semaphore(MOST_CALLERS);
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private final List<Caller> calls;
    private volatile boolean closed;

    /**
     * Listens, and calls the others, from now on.
     *
     * @param listen where this host is called
     * @param others where the others are
     * @param own what to tell; called by several threads
     * @param heard notified of what they say, and where they are called; empty: they have called. Called by several threads
     * @throws IOException if a file cannot be used, or it cannot listen there
     */
    public Peers(
            InetSocketAddress listen,
            List<InetSocketAddress> others,
            PeerFiles files,
            Supplier<Beat> own,
            BiConsumer<Beat, String> heard)
            throws IOException {
        this.files = files;
        this.own = own;
        this.heard = heard;
        files.context();
        server = new ServerSocket();
        server.setReuseAddress(true);
        try {
            server.bind(listen);
        } catch (IOException taken) {
            server.close();
            throw new IOException("listening for other hosts at " + listen + ": " + taken.getMessage(), taken);
        }
        start("haproxy-peers", this::accept);
        calls = others.stream().map(Caller::new).toList();
        calls.forEach(call -> start("haproxy-peer-" + call.other.getHostString(), call));
    }

    /** Where it listens. */
    int port() {
        return server.getLocalPort();
    }

    /** Tells the others at once. */
    public void push() {
        calls.forEach(call -> call.wake.offer(true));
    }

    /** Tells the others, and waits a moment until they have heard it. */
    public void pushAndWait() {
        List<Long> before = calls.stream().map(call -> call.told.get()).toList();
        push();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE / 2);
        try {
            for (int i = 0; i < calls.size(); i++) {
                while (calls.get(i).connected
                        && calls.get(i).told.get() < before.get(i) + 2
                        && System.nanoTime() < end) {
                    push();
                    Thread.sleep(10);
                }
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private static void start(String name, Runnable what) {
        // No virtual threads: theirs may all be busy, and an address would be lost for that.
        Thread.ofPlatform().daemon().name(name).start(what);
    }

    private void accept() {
        while (!closed) {
            try {
                callers.acquire();
                Socket caller = server.accept();
                start("haproxy-peer-in", () -> answer(caller));
            } catch (IOException failure) {
                callers.release();
                if (!closed) {
                    LOG.warn("accepting other hosts: {}", failure.getMessage());
                    pause();
                }
            } catch (InterruptedException stopping) {
                return;
            }
        }
    }

    private void answer(Socket plain) {
        open.add(plain);
        try (plain) {
            plain.setSoTimeout(SILENT_CALLER);
            plain.setTcpNoDelay(true);
            try (SSLSocket socket =
                    (SSLSocket) files.context().getSocketFactory().createSocket(plain, null, plain.getPort(), true)) {
                socket.setUseClientMode(false);
                socket.setNeedClientAuth(true);
                InputStream in = new BufferedInputStream(socket.getInputStream());
                while (!closed) {
                    hear(in, "");
                    say(socket);
                }
            }
        } catch (IOException gone) {
            LOG.debug("a host that called: {}", gone.toString());
        } finally {
            open.remove(plain);
            callers.release();
        }
    }

    private void say(Socket socket) throws IOException {
        socket.getOutputStream().write((JSON.writeValueAsString(own.get()) + "\n").getBytes(UTF_8));
        socket.getOutputStream().flush();
    }

    private void hear(InputStream in, String place) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int letter; (letter = in.read()) != '\n'; ) {
            if (letter < 0) {
                throw new IOException("the peer closed the connection");
            }
            if (line.size() == LONGEST_LINE) {
                throw new IOException("the message is too long");
            }
            line.write(letter);
        }
        try {
            heard.accept(JSON.readValue(line.toByteArray(), Beat.class), place);
        } catch (JsonProcessingException | NullPointerException invalid) {
            throw new IOException("invalid message: " + invalid.getMessage(), invalid);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(Election.BEAT);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends all connections. */
    @Override
    public void close() {
        closed = true;
        Stream.concat(Stream.of(server), open.stream()).forEach(one -> {
            try {
                one.close();
            } catch (IOException gone) {
                LOG.debug("closing: {}", gone.toString());
            }
        });
        push();
    }

    /** Calls one other host, as long as this one lives. */
    private final class Caller implements Runnable {
        private final InetSocketAddress other;
        private final BlockingQueue<Boolean> wake = new ArrayBlockingQueue<>(1);
        private volatile boolean connected;

        /** How often it was told. */
        private final AtomicLong told = new AtomicLong();

        private String trouble = "";

        Caller(InetSocketAddress other) {
            this.other = other;
        }

        @Override
        public void run() {
            while (!closed) {
                try {
                    talk();
                } catch (IOException | RuntimeException failure) {
                    if (!closed && !trouble.equals(String.valueOf(failure.getMessage()))) {
                        trouble = String.valueOf(failure.getMessage());
                        LOG.warn("the host at {} cannot be reached: {}", other, trouble);
                    }
                    connected = false;
                    pause();
                } catch (InterruptedException stopping) {
                    return;
                }
            }
        }

        private void talk() throws IOException, InterruptedException {
            try (Socket plain = new Socket()) {
                open.add(plain);
                try {
                    talk(plain);
                } finally {
                    open.remove(plain);
                }
            }
        }

        private void talk(Socket plain) throws IOException, InterruptedException {
            // Looked up again: a name may have another address by now.
            plain.connect(new InetSocketAddress(other.getHostString(), other.getPort()), PATIENCE);
            plain.setSoTimeout(PATIENCE);
            plain.setTcpNoDelay(true);
            try (SSLSocket socket = (SSLSocket) files.context()
                    .getSocketFactory()
                    .createSocket(plain, other.getHostString(), other.getPort(), true)) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
                InputStream in = new BufferedInputStream(socket.getInputStream());
                while (!closed) {
                    say(socket);
                    hear(in, String.valueOf(other));
                    told.incrementAndGet();
                    if (!connected) {
                        LOG.info("the host at {} is there", other);
                        connected = true;
                        trouble = "";
                    }
                    wake.poll(Election.BEAT, TimeUnit.MILLISECONDS);
                }
            }
        }
    }
}
