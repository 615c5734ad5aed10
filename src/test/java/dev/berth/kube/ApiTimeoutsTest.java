package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ApiTimeoutsTest {
    private static void assertGivenUp(int port, Duration timeout) {
        Config config = ApiTimeouts.bound(new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + port)
                .build());
        config.setRequestTimeout((int) timeout.toMillis());
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new VertxHttpClientFactory())
                .build()) {
            assertThatThrownBy(() -> client.services()
                            .inNamespace("default")
                            .withName("web")
                            .get())
                    .isInstanceOf(KubernetesClientException.class);
        }
    }

    @Test
    void apiServerThatIsUnavailable_isAskedTwiceMore_andGivenUp() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.incrementAndGet();
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        server.start();
        assertGivenUp(server.getAddress().getPort(), ApiTimeouts.REQUEST);
        server.stop(0);

        assertThat(asked).hasValue(3);
    }

    @Test
    void apiServerThatNeverAnswers_isGivenUp() throws IOException {
        // Its backlog takes the connection.
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertGivenUp(silent.getLocalPort(), Duration.ofMillis(100));
        }
    }

    @Test
    void request_endsWithinFortySeconds_whateverTheApiServerDoes() {
        Config config = ApiTimeouts.bound(new ConfigBuilder(Config.empty()).build());

        assertThat(config.getRequestTimeout() * (config.getRequestRetryBackoffLimit() + 1))
                .isLessThan(40_000);
        assertThat(config.getConnectionTimeout()).isLessThanOrEqualTo(config.getRequestTimeout());
    }
}
