package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * A TCP port that the kernel chose and keeps for us until close, also while nobody listens on it.
 *
 * <p>It is held by a socket that is bound with SO_REUSEPORT and never listens. A server that sets the same option
 * (kube-apiserver's {@code --permit-port-sharing}) can listen on the port, and gets all its connections; the kernel
 * gives the port to nobody else, neither for listening nor for an outgoing connection.
 */
final class ReservedPort implements AutoCloseable {
    private final SocketChannel holder;
    private final int number;

    private ReservedPort(SocketChannel holder, int number) {
        this.holder = holder;
        this.number = number;
    }

    static ReservedPort on(InetAddress address) {
        try {
            SocketChannel holder = SocketChannel.open();
            holder.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            holder.bind(new InetSocketAddress(address, 0));
            return new ReservedPort(holder, ((InetSocketAddress) holder.getLocalAddress()).getPort());
        } catch (IOException e) {
            throw new UncheckedIOException("reserving a port on " + address.getHostAddress(), e);
        }
    }

    int number() {
        return number;
    }

    @Override
    public void close() {
        try {
            holder.close();
        } catch (IOException e) {
            throw new UncheckedIOException("releasing port " + number, e);
        }
    }
}
