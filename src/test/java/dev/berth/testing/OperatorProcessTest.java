package dev.berth.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorProcessTest {
    private static final String METRICS = """
            # TYPE writes_total counter
            writes_total{kind="Service",result="ok"} 3.0
            writes_total{kind="Address",result="ok"} 4.0
            writes_total{kind="Address",result="conflict"} 1.0
            up 1.0
            """;

    @Test
    void httpPort_comesFromTheLog() {
        try (OperatorProcess operator = standIn("serve")) {
            assertThat(operator.get("/metrics").statusCode()).isEqualTo(200);
            assertThat(operator.metric("writes_total", "kind", "Address")).isEqualTo(5);
        }
    }

    @Test
    void stop_isSigterm_kill_isSigkill() {
        try (OperatorProcess stopped = standIn("serve");
                OperatorProcess killed = standIn("serve")) {
            stopped.awaitLog("Listening");
            stopped.stop();
            killed.awaitLog("Listening");
            killed.kill();
            assertThat(stopped.exitCode(Duration.ofSeconds(1))).isEqualTo(143);
            assertThat(killed.exitCode(Duration.ofSeconds(1))).isEqualTo(137);
        }
    }

    @Test
    void earlyEnd_isReportedWithCodeAndLog() {
        try (OperatorProcess operator = standIn("fail")) {
            assertThat(operator.exitCode(Duration.ofSeconds(30))).isEqualTo(3);
            assertThatThrownBy(() -> operator.get("/q/health/ready"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("code 3")
                    .hasMessageContaining("no kubeconfig, no life");
        }
    }

    @Test
    void metric_sumsTheSeriesWithTheTags() {
        assertThat(OperatorProcess.Metrics.sum(METRICS, "writes_total")).isEqualTo(8);
        assertThat(OperatorProcess.Metrics.sum(METRICS, "writes_total", "result", "ok", "kind", "Service"))
                .isEqualTo(3);
        assertThat(OperatorProcess.Metrics.sum(METRICS, "up")).isEqualTo(1);
    }

    @Test
    void metric_withoutASeries_isNaN() {
        assertThat(OperatorProcess.Metrics.sum(METRICS, "writes_total", "kind", "Pool"))
                .isNaN();
    }

    private static OperatorProcess standIn(String mode) {
        return new OperatorProcess(
                "OperatorProcessTest." + mode,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        StandIn.class.getName(),
                        mode));
    }

    /** In place of the operator: an HTTP server that says where it listens, or an early end. */
    static final class StandIn {
        private StandIn() {}

        public static void main(String... arguments) throws IOException {
            if (arguments[0].equals("fail")) {
                System.err.println("no kubeconfig, no life");
                System.exit(3);
            }
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/metrics", exchange -> {
                byte[] body = METRICS.getBytes(UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(body);
                }
            });
            server.start();
            System.out.println("stand-in started. Listening on: http://127.0.0.1:"
                    + server.getAddress().getPort());
        }
    }
}
