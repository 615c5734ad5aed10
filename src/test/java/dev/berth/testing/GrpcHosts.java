package dev.berth.testing;

import dev.berth.plugin.grpc.GrpcProvider;
import dev.berth.plugin.grpc.GrpcSettings;
import dev.berth.plugin.grpc.host.ProviderServer;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.plugin.grpc.transport.Transport;
import dev.berth.provider.LoadBalancerProvider;
import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Providers served over gRPC in this JVM, by sockets like those of real plug-ins, and the clients that call them. */
public final class GrpcHosts implements AutoCloseable {
    private final Deque<Runnable> closing = new ArrayDeque<>();

    /** Serves {@code provider} on a new Unix socket; what is returned reaches it from there. */
    public LoadBalancerProvider overUnixSocket(LoadBalancerProvider provider) {
        Path socket = socket();
        serve(provider, socket);
        return connected(new Endpoint.Unix(socket));
    }

    /** Serves {@code provider} on a new port by mutual TLS; what is returned reaches it from there. */
    public LoadBalancerProvider overMutualTls(LoadBalancerProvider provider, TlsFiles files) {
        ProviderServer server = serve(provider, files);
        return connected(new GrpcSettings(new Endpoint.Network("127.0.0.1", server.port()), files.client(), null));
    }

    /** A place for a socket; a path of one is short. */
    public Path socket() {
        return folder().resolve("plugin.sock");
    }

    private Path folder() {
        try {
            Path folder = Files.createTempDirectory("berth");
            closing.push(() -> delete(folder));
            return folder;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException("deleting " + folder, failure);
        }
    }

    /** Serves {@code provider} until it is closed. */
    public ProviderServer serve(LoadBalancerProvider provider, Path socket) {
        return serve(provider, new Endpoint.Unix(socket), null);
    }

    /** Serves {@code provider} on a new port by mutual TLS until it is closed. */
    public ProviderServer serve(LoadBalancerProvider provider, TlsFiles files) {
        Tls tls = Tls.ofServer(files.server(), TlsFiles.PERIOD);
        closing.push(tls::close);
        return serve(provider, new Endpoint.Network("127.0.0.1", 0), tls);
    }

    private ProviderServer serve(LoadBalancerProvider provider, Endpoint endpoint, @Nullable Tls tls) {
        try {
            ProviderServer server = ProviderServer.start("test", provider, endpoint, tls);
            closing.push(server::close);
            return server;
        } catch (IOException failure) {
            throw new UncheckedIOException("serving on " + endpoint, failure);
        }
    }

    /** Serves what need not keep the contract, until it is closed. */
    public Server serve(BindableService plugin, Path socket) {
        try {
            Server server = Transport.server(new Endpoint.Unix(socket), null)
                    .addService(plugin)
                    .build()
                    .start();
            closing.push(server::shutdownNow);
            return server;
        } catch (IOException failure) {
            throw new UncheckedIOException("serving on " + socket, failure);
        }
    }

    /** A way to what serves at {@code exit}, from a new socket. */
    public Relay relay(Path entrance, Path exit) {
        return closedAtLast(Relay.between(entrance, exit));
    }

    /** A way to what serves on {@code port}. */
    public Relay relay(int port) {
        return closedAtLast(Relay.toPort(port));
    }

    private Relay closedAtLast(Relay relay) {
        closing.push(relay::close);
        return relay;
    }

    /** A client, once it is connected. */
    public GrpcProvider connected(Endpoint.Unix socket) {
        return connected(new GrpcSettings(socket, null, null));
    }

    /** A client, which may not have reached its plug-in yet. */
    public GrpcProvider client(GrpcSettings settings, Clock clock) {
        GrpcProvider client = new GrpcProvider("test", settings, clock);
        closing.push(client::close);
        return client;
    }

    /** A client, once it is connected. */
    public GrpcProvider connected(GrpcSettings settings) {
        GrpcProvider client = client(settings, Clock.systemUTC());
        try {
            if (!client.awaitConnected(Patience.USUAL)) {
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
