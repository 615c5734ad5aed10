package dev.berth.app;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.quarkus.kubernetes.client.KubernetesConfigCustomizer;
import io.vertx.core.Vertx;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * How long the API server is waited for. By the client's own settings a request is repeated ten times, with
 * delays that double: an API server that hangs would hold a write back for minutes. The control loops repeat
 * what failed themselves, and know what came of it; the client bridges a short overload only.
 */
@Singleton
public final class ApiClient implements KubernetesConfigCustomizer {
    static final Duration CONNECT = Duration.ofSeconds(5);
    static final Duration REQUEST = Duration.ofSeconds(10);
    static final int RETRIES = 2;
    static final Duration RETRY_AFTER = Duration.ofMillis(200);

    @Override
    public void customize(Config config) {
        bound(config);
    }

    @Produces
    @Singleton
    KubernetesSerialization serialization() {
        return new ApiSerialization();
    }

    @Produces
    @Singleton
    KubernetesClient client(Config config, KubernetesSerialization serialization, Vertx vertx) {
        return new KubernetesClientBuilder()
                .withConfig(config)
                .withKubernetesSerialization(serialization)
                .withHttpClientFactory(new ApiHttpClient(vertx))
                .build();
    }

    void close(@Disposes KubernetesClient client) {
        client.close();
    }

    /** Bounds the requests of a client; watches last as long as they do. */
    static Config bound(Config config) {
        config.setConnectionTimeout((int) CONNECT.toMillis());
        config.setRequestTimeout((int) REQUEST.toMillis());
        config.setRequestRetryBackoffLimit(RETRIES);
        config.setRequestRetryBackoffInterval((int) RETRY_AFTER.toMillis());
        return config;
    }
}
