package dev.berth.providers.grpc;

import dev.berth.providers.grpc.transport.Endpoint;
import dev.berth.providers.grpc.transport.Tls;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a plug-in.
 *
 * @param files for mutual TLS; null: the target is a Unix socket
 * @param serverName in the certificate of the plug-in; null: the host of the target
 * @param deadline of each call
 */
public record GrpcSettings(
        Endpoint target,
        Tls.@Nullable Files files,
        @Nullable String serverName,
        Duration deadline) {
    /** How long a plug-in may take if it is not said. */
    public static final Duration DEADLINE = Duration.ofSeconds(10);
}
