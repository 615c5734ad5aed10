package dev.berth.plugin.grpc.transport;

import java.time.Duration;

/**
 * How a connection is found on which nothing comes any more, though nobody closed it.
 *
 * @param time without a byte from the other side, after which it is asked for one
 * @param timeout in which that has to come; then the connection is given up
 */
public record KeepAlive(Duration time, Duration timeout) {
    /** What a server permits here, and gRPC for Java as well: more often is taken for an attack. */
    public static final Duration SHORTEST_TIME = Duration.ofSeconds(10);

    /** Unless it is said. */
    public static final KeepAlive USUAL = new KeepAlive(Duration.ofSeconds(30), Duration.ofSeconds(10));
}
