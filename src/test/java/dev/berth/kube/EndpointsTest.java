package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EndpointsTest {
    private static KubernetesClient client(ServerSocket server) {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getLocalPort())
                .withRequestTimeout(30_000)
                .withRequestRetryBackoffLimit(0)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    @Test
    void close_waitsNotForAnApiServerThatDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                KubernetesClient waiting = client(silent);
                ExecutorService watching = Executors.newVirtualThreadPerTaskExecutor()) {
            Endpoints unanswered = new Endpoints(waiting);
            CompletableFuture<Void> watch = CompletableFuture.runAsync(() -> unanswered.watch(service -> {}), watching);
            try (Socket list = silent.accept()) {
                unanswered.close();

                assertThat(list.isConnected()).isTrue();
                assertThatThrownBy(() -> watch.get(20, TimeUnit.SECONDS))
                        .hasRootCauseMessage("the EndpointSlices are not needed any more");
                assertThatThrownBy(() -> unanswered.watch(service -> {})).isInstanceOf(CompletionException.class);
            }
        }
    }
}
