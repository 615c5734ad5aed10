package dev.berth.plugin.grpc.host;

import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.plugin.grpc.transport.Transport;
import dev.berth.provider.LoadBalancerProvider;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Path;
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
    private final ProviderService service;
    private final @Nullable OwnSocket socket;

    private ProviderServer(Server server, ExecutorService calls, ProviderService service, @Nullable OwnSocket socket) {
        this.server = server;
        this.service = service;
        this.calls = calls;
        this.socket = socket;
    }

    /**
     * Serves a provider from now on. What a former one left of a Unix socket is removed; the new one is for its owner
     * alone, whatever the umask.
     *
     * @param name human-readable
     * @param tls needed for a network, and for that alone
     * @throws IOException if it cannot listen there, another listens there already, or what is there is no socket
     * @throws IllegalArgumentException if {@code tls} is missing, or not needed
     */
    public static ProviderServer start(String name, LoadBalancerProvider provider, Endpoint endpoint, @Nullable Tls tls)
            throws IOException {
        OwnSocket socket = endpoint instanceof Endpoint.Unix(Path path) ? OwnSocket.at(path) : null;
        ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
        ProviderService service = new ProviderService(name, provider);
        Server server = Transport.server(socket == null ? endpoint : new Endpoint.Unix(socket.begun()), tls)
                .executor(calls)
                .addService(service)
                .build();
        try {
            server.start();
            if (socket != null) {
                socket.show();
            }
        } catch (IOException failure) {
            server.shutdownNow();
            calls.shutdownNow();
            throw failure;
        }
        service.begin();
        return new ProviderServer(server, calls, service, socket);
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
        if (socket != null) {
            // First: from then on the place may be another's.
            socket.remove();
        }
        server.shutdown();
        // Otherwise these calls would last as long as they may.
        service.end();
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
