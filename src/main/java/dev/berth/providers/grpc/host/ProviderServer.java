package dev.berth.providers.grpc.host;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.providers.grpc.transport.Endpoint;
import dev.berth.providers.grpc.transport.Tls;
import dev.berth.providers.grpc.transport.Transport;
import io.grpc.Server;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A provider, served over gRPC until it is closed. */
public final class ProviderServer implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Server server;
    private final ExecutorService calls;

    private ProviderServer(Server server, ExecutorService calls) {
        this.server = server;
        this.calls = calls;
    }

    /**
     * Serves a provider from now on. What a former one left of a Unix socket is removed.
     *
     * @param name for people
     * @param tls needed for a network, and for that alone
     * @throws IOException if it cannot listen there, another listens there already, or what is there is no socket
     * @throws IllegalArgumentException if {@code tls} is missing, or not needed
     */
    public static ProviderServer start(String name, LoadBalancerProvider provider, Endpoint endpoint, @Nullable Tls tls)
            throws IOException {
        if (endpoint instanceof Endpoint.Unix(Path path)) {
            removeStale(path);
        }
        ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
        Server server = Transport.server(endpoint, tls)
                .executor(calls)
                .addService(new ProviderService(name, provider))
                .build();
        try {
            server.start();
        } catch (IOException failure) {
            calls.shutdownNow();
            throw failure;
        }
        return new ProviderServer(server, calls);
    }

    private static void removeStale(Path socket) throws IOException {
        if (!Files.exists(socket)) {
            return;
        }
        // Whoever connects to a file that is no socket is told the same as of a socket that nobody serves.
        if (!Files.readAttributes(socket, BasicFileAttributes.class).isOther()) {
            throw new IOException(socket + " is there, and no socket; name another path, or remove it");
        }
        try (SocketChannel other = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            throw new IOException(socket + " is served by another process");
        } catch (ConnectException nobody) {
            Files.delete(socket);
        }
    }

    /** The port on the network; -1 for a Unix socket. */
    public int port() {
        return server.getPort();
    }

    /** Waits until it is closed. */
    public void awaitEnd() throws InterruptedException {
        server.awaitTermination();
    }

    /** Lets the calls that are under way end, but not for long. */
    @Override
    public void close() {
        server.shutdown();
        try {
            if (!server.awaitTermination(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException stopping) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        calls.shutdown();
    }
}
