package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EndpointsTest {
    private static String requestLine(Socket connection) throws IOException {
        connection.setSoTimeout(20_000);
        return new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII))
                .readLine();
    }

    @Test
    void close_waitsNotForAnApiServerThatDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                KubernetesClient waiting = AnsweringServer.clientOf(silent.getLocalPort());
                ExecutorService watching = Executors.newVirtualThreadPerTaskExecutor()) {
            Endpoints unanswered = new Endpoints(waiting);
            CompletableFuture<Void> watch = CompletableFuture.runAsync(() -> unanswered.watch(service -> {}), watching);
            silent.setSoTimeout(20_000);
            try (Socket list = silent.accept()) {
                assertThat(requestLine(list)).contains("/endpointslices?");

                unanswered.close();

                assertThatThrownBy(() -> watch.get(20, TimeUnit.SECONDS))
                        .hasRootCauseMessage("the EndpointSlices are no longer needed");
                assertThatThrownBy(() -> unanswered.watch(service -> {})).isInstanceOf(CompletionException.class);
            }
        }
    }

    /** All of 20,000 in one answer do not fit into the heap. */
    @Test
    void areListedInPages() {
        List<String> queries = AnsweringServer.queriesRefused("/apis/discovery.k8s.io/v1/endpointslices", client -> {
            try (Endpoints endpoints = new Endpoints(client)) {
                endpoints.watch(service -> {});
            }
        });
        assertThat(queries).isNotEmpty().allMatch(query -> query.contains("limit=" + Endpoints.PAGE));
    }
}
