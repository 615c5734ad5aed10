package dev.berth.testing;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.providers.grpc.GrpcProvider;
import dev.berth.providers.grpc.GrpcSettings;
import dev.berth.providers.grpc.host.ProviderServer;
import dev.berth.providers.grpc.transport.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Providers served over gRPC in this JVM, by sockets like those of real plug-ins, and the clients that call them. */
public final class GrpcHosts implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Deque<Runnable> closing = new ArrayDeque<>();

    /** Serves {@code provider} on a new Unix socket; what is returned reaches it from there. */
    public LoadBalancerProvider overUnixSocket(LoadBalancerProvider provider) {
        Path socket = socket();
        serve(provider, socket);
        return connected(new Endpoint.Unix(socket));
    }

    /** A place for a socket; a path of one is short. */
    public Path socket() {
        try {
            Path folder = Files.createTempDirectory("berth");
            Path socket = folder.resolve("plugin.sock");
            closing.push(() -> {
                delete(socket);
                delete(folder);
            });
            return socket;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException failure) {
            throw new UncheckedIOException("deleting " + path, failure);
        }
    }

    /** Serves {@code provider} until it is closed. */
    public ProviderServer serve(LoadBalancerProvider provider, Path socket) {
        try {
            ProviderServer server = ProviderServer.start("test", provider, new Endpoint.Unix(socket), null);
            closing.push(server::close);
            return server;
        } catch (IOException failure) {
            throw new UncheckedIOException("serving on " + socket, failure);
        }
    }

    /** A client, once it is connected. */
    public GrpcProvider connected(Endpoint endpoint) {
        return connected(client(new GrpcSettings(endpoint, null, null, GrpcSettings.DEADLINE)));
    }

    /** A client, which may not have reached its plug-in yet. */
    public GrpcProvider client(GrpcSettings settings) {
        GrpcProvider client = new GrpcProvider("test", settings);
        closing.push(client::close);
        return client;
    }

    private static GrpcProvider connected(GrpcProvider client) {
        try {
            if (!client.awaitConnected(PATIENCE)) {
                throw new IllegalStateException("the plug-in has not answered");
            }
            return client;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }

    /** The last first. */
    @Override
    public void close() {
        while (!closing.isEmpty()) {
            closing.pop().run();
        }
    }
}
