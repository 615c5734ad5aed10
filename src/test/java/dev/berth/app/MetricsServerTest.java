package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Gauge;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MetricsServerTest {
    private static HttpResponse<String> get(MetricsServer server, String path)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void metrics_areServedAsText_andNothingElse() throws IOException, InterruptedException {
        CollectorRegistry registry = new CollectorRegistry();
        Gauge.build("some_gauge", "a gauge").register(registry).set(3);
        try (MetricsServer server = MetricsServer.start("--http", "127.0.0.1:0", registry)) {
            assertThat(get(server, "/metrics").body()).contains("some_gauge 3.0");
            assertThat(get(server, "/metrics").headers().firstValue("content-type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
            assertThat(get(server, "/").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void health_saysWhatIsMissing() throws IOException, InterruptedException {
        AtomicReference<Optional<String>> missing = new AtomicReference<>(Optional.of("the speaker"));
        try (MetricsServer server = MetricsServer.start("--http", "127.0.0.1:0", new CollectorRegistry())) {
            server.health("/healthz", missing::get);
            assertThat(get(server, "/healthz").statusCode()).isEqualTo(503);
            assertThat(get(server, "/healthz").body()).isEqualTo("the speaker\n");
            missing.set(Optional.empty());
            assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
            assertThat(get(server, "/healthz").body()).isEqualTo("ok\n");
        }
    }

    @Test
    void whatIsNoHostAndPort_isRefused_andAPortThatIsTaken() throws IOException {
        CollectorRegistry registry = new CollectorRegistry();

        assertThatThrownBy(() -> MetricsServer.start("--http", "9444", registry))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MetricsServer.start("--http", "unix:///run/metrics.sock", registry))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--http is \"unix:///run/metrics.sock\"; it must be HOST:PORT");
        try (MetricsServer first = MetricsServer.start("--http", "[::1]:0", registry)) {
            assertThatThrownBy(() -> MetricsServer.start("--http", "[::1]:" + first.port(), registry))
                    .isInstanceOf(BindException.class);
        }
    }
}
