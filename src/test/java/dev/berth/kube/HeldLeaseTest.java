package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether this replica holds the Lease, by an API server that says who does. */
class HeldLeaseTest {
    private volatile String holder = "us";
    private HttpServer server;
    private KubernetesClient client;
    private LeaderLease lease;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = """
                    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                     "metadata": {"namespace": "berth-system", "name": "berth"}, "spec": {"holderIdentity": "%s"}}
                    """.formatted(holder).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .withRequestRetryBackoffLimit(0)
                .build();
        client = new KubernetesClientBuilder().withConfig(config).build();
        lease = new LeaderLease(client, "berth-system", "berth", "us", Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    @Test
    void leaderWhoseLeaseAnotherTookMeanwhile_isTold() {
        assertThatCode(lease::requireHeld).doesNotThrowAnyException();

        holder = "them";

        assertThatThrownBy(lease::requireHeld)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Lease berth-system/berth is held by them, not by this replica, us");
    }
}
