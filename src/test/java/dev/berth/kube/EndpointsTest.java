package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClient;
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
    @Test
    void close_waitsNotForAnApiServerThatDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                KubernetesClient waiting = AnsweringServer.clientOf(silent);
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
