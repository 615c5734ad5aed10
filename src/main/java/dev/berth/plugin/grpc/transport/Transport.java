package dev.berth.plugin.grpc.transport;

import dev.berth.plugin.grpc.wire.Contract;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Begins channels and servers: by a Unix socket, or by mutual TLS; nothing else carries a call. */
public final class Transport {
    private Transport() {}

    /**
     * Begins a channel.
     *
     * @param tls needed for a network, and for that alone
     * @param serverName by which the certificate of the other side is checked; null: by the host that is called
     */
    public static NettyChannelBuilder channel(
            Endpoint endpoint, @Nullable Tls tls, @Nullable String serverName, KeepAlive keepAlive) {
        NettyChannelBuilder channel = switch (endpoint) {
            case Endpoint.Unix unix -> {
                refuse(tls, unix);
                yield UnixSockets.channel(unix.path());
            }
            case Endpoint.Network network ->
                NettyChannelBuilder.forTarget(
                        network.toString(), required(tls, network).channel());
        };
        if (serverName != null) {
            channel.overrideAuthority(serverName);
        }
        return channel.maxInboundMessageSize(Contract.LARGEST_MESSAGE)
                .keepAliveTime(keepAlive.time().toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(keepAlive.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveWithoutCalls(true)
                // Never: a connection that is given up for want of calls is missed, and all its Services become due.
                .idleTimeout(30, TimeUnit.DAYS);
    }

    /**
     * Begins a server.
     *
     * @param tls needed for a network, and for that alone
     */
    public static NettyServerBuilder server(Endpoint endpoint, @Nullable Tls tls) {
        NettyServerBuilder server = switch (endpoint) {
            case Endpoint.Unix unix -> {
                refuse(tls, unix);
                yield UnixSockets.server(unix.path());
            }
            case Endpoint.Network network ->
                NettyServerBuilder.forAddress(
                        new InetSocketAddress(network.host(), network.port()),
                        required(tls, network).server());
        };
        return server.maxInboundMessageSize(Contract.LARGEST_MESSAGE)
                .permitKeepAliveTime(KeepAlive.SHORTEST_TIME.toMillis(), TimeUnit.MILLISECONDS)
                .permitKeepAliveWithoutCalls(true);
    }

    private static Tls required(@Nullable Tls tls, Endpoint endpoint) {
        if (tls == null) {
            throw new IllegalArgumentException(
                    endpoint + " needs mutual TLS: name ca, certificate and key, or use a Unix socket");
        }
        return tls;
    }

    /** Passed over, it would be taken for granted. */
    private static void refuse(@Nullable Tls tls, Endpoint endpoint) {
        if (tls != null) {
            throw new IllegalArgumentException(
                    endpoint + " has no TLS: leave ca, certificate and key out; its permissions guard it");
        }
    }
}
