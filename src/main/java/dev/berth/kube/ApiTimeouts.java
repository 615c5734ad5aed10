package dev.berth.kube;

import io.fabric8.kubernetes.client.Config;
import java.time.Duration;

/**
 * How long the API server is waited for. By the client's own settings a request is repeated ten times, with
 * delays that double: an API server that hangs would hold a write back for minutes. The control loops repeat
 * what failed themselves, and know what came of it; the client bridges a short overload only.
 */
public final class ApiTimeouts {
    static final Duration CONNECT = Duration.ofSeconds(5);
    static final Duration REQUEST = Duration.ofSeconds(10);
    static final int RETRIES = 2;
    static final Duration RETRY_AFTER = Duration.ofMillis(200);

    private ApiTimeouts() {}

    /** Bounds the requests of a client; watches last as long as they do. */
    public static Config bound(Config config) {
        config.setConnectionTimeout((int) CONNECT.toMillis());
        config.setRequestTimeout((int) REQUEST.toMillis());
        config.setRequestRetryBackoffLimit(RETRIES);
        config.setRequestRetryBackoffInterval((int) RETRY_AFTER.toMillis());
        return config;
    }
}
