package dev.berth.plugin.grpc.transport;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;

/** Channels and servers on Unix sockets, by Linux' epoll. One thread serves them all: it only moves bytes. */
final class UnixSockets {
    private UnixSockets() {}

    /** Begun when it is needed first. */
    private static final class Loop {
        static final EventLoopGroup GROUP = new EpollEventLoopGroup(1, new DefaultThreadFactory("grpc-unix", true));
    }

    private static EventLoopGroup loop() {
        if (!Epoll.isAvailable()) {
            throw new IllegalArgumentException(
                    "Unix sockets need Linux on x86_64 or aarch64: " + Epoll.unavailabilityCause(),
                    Epoll.unavailabilityCause());
        }
        return Loop.GROUP;
    }

    static NettyChannelBuilder channel(Path socket) {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollDomainSocketChannel.class)
                .eventLoopGroup(loop())
                .overrideAuthority("localhost")
                .usePlaintext();
    }

    static NettyServerBuilder server(Path socket) {
        return NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop())
                .workerEventLoopGroup(loop());
    }
}
