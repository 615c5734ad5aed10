package dev.berth.app;

import dev.berth.kube.ApiSerialization;
import dev.berth.kube.ApiTimeouts;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.quarkus.kubernetes.client.KubernetesConfigCustomizer;
import io.vertx.core.Vertx;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** The client of the API server, as Quarkus gives it to the operator. */
@Singleton
final class ApiClient implements KubernetesConfigCustomizer {
    @Override
    public void customize(Config config) {
        ApiTimeouts.bound(config);
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
}
