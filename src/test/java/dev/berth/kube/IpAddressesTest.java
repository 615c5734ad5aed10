package dev.berth.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.berth.ip.Ip;
import dev.berth.servicecidr.ClusterIp;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddressBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class IpAddressesTest {
    private static final Ip IP = Ip.parse("10.96.0.9");

    private final List<String> told = new ArrayList<>();
    private final KubernetesClient client = new KubernetesClientBuilder().build();
    private final IpAddresses.Listener listener = new IpAddresses.Listener() {
        @Override
        public void taken(ClusterIp now) {
            told.add("taken by " + now.owner() + ", " + known());
        }

        @Override
        public void released(ClusterIp before) {
            told.add("released by " + before.owner() + ", " + known());
        }
    };
    private final IpAddresses addresses = new IpAddresses(client, NetworkingVersion.V1, listener);

    @AfterEach
    void close() {
        client.close();
    }

    private String known() {
        return addresses.read(ips -> ips.get(IP).map(ClusterIp::owner).orElse("free"));
    }

    private static IPAddress object(String name, String service) {
        return new IPAddressBuilder()
                .withNewMetadata()
                .withName(name)
                .withUid("uid-" + service)
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .endMetadata()
                .withNewSpec()
                .withNewParentRef()
                .withResource("services")
                .withNamespace("prod")
                .withName(service)
                .endParentRef()
                .endSpec()
                .build();
    }

    /** What the informer has kept of one that it finds gone when it lists them again. */
    private static IPAddress nameAlone(String name) {
        return new IPAddressBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .build();
    }

    @Test
    void releasedAddress_isReported_beforeItCountsAsFree() {
        addresses.changed(null, object("10.96.0.9", "web"));

        addresses.changed(object("10.96.0.9", "web"), null);

        assertThat(told).containsExactly("taken by prod/web, prod/web", "released by prod/web, prod/web");
        assertThat(known()).isEqualTo("free");
    }

    @Test
    void objectThatIsFoundGone_byANewList_isReleased_asItWasKnown() {
        addresses.changed(null, object("10.96.0.9", "web"));

        addresses.changed(nameAlone("10.96.0.9"), null);

        assertThat(told).last().isEqualTo("released by prod/web, prod/web");
        assertThat(known()).isEqualTo("free");
    }

    @Test
    void addressThatIsAnothersNow_isNotReleasedInBetween() {
        addresses.changed(null, object("10.96.0.9", "web"));

        addresses.changed(nameAlone("10.96.0.9"), object("10.96.0.9", "api"));

        assertThat(told).containsExactly("taken by prod/web, prod/web", "taken by prod/api, prod/api");
    }

    @Test
    void objectThatWasNeverKnown_orIsNoAddress_isNotReported() {
        addresses.changed(object("10.96.0.9", "web"), null);
        addresses.changed(null, object("ten", "web"));
        addresses.changed(object("ten", "web"), null);

        assertThat(told).isEmpty();
    }

    /** Answers one list, one watch that lasts until {@code end}, and nothing after it. */
    private static HttpServer oneWatch(CompletableFuture<Void> end) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                if (end.isDone()) {
                    exchange.sendResponseHeaders(503, -1);
                } else if (!String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true")) {
                    byte[] list =
                            "{\"kind\": \"IPAddressList\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": []}"
                                    .getBytes(UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "application/json");
                    exchange.sendResponseHeaders(200, list.length);
                    exchange.getResponseBody().write(list);
                } else if (exchange.getRequestHeaders().containsKey("Upgrade")) {
                    exchange.sendResponseHeaders(200, -1);
                } else {
                    exchange.sendResponseHeaders(200, 0);
                    exchange.getResponseBody()
                            .write("""
                            {"type": "BOOKMARK", "object": {"kind": "IPAddress", "apiVersion": "networking.k8s.io/v1",
                              "metadata": {"resourceVersion": "1"}}}
                            """.replace("\n", "").concat("\n").getBytes(UTF_8));
                    exchange.getResponseBody().flush();
                    end.join();
                }
            }
        });
        server.start();
        return server;
    }

    @Test
    @Timeout(60)
    void aWatchThatEnded_isNoticed() throws IOException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        HttpServer server = oneWatch(end);
        try (KubernetesClient watching =
                        AnsweringServer.clientOf(server.getAddress().getPort());
                IpAddresses watched = new IpAddresses(watching, NetworkingVersion.V1, listener)) {
            assertThat(watched.isWatching()).isFalse();
            watched.watch();
            Awaitility.await().until(watched::isWatching);

            end.complete(null);

            Awaitility.await().until(() -> !watched.isWatching());
        } finally {
            end.complete(null);
            server.stop(0);
        }
    }

    @Test
    @Timeout(60)
    void close_waitsNotForAnApiServerThatDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                KubernetesClient waiting = AnsweringServer.clientOf(silent.getLocalPort());
                ExecutorService watching = Executors.newVirtualThreadPerTaskExecutor()) {
            IpAddresses unanswered = new IpAddresses(waiting, NetworkingVersion.V1, listener);
            CompletableFuture<Void> watch = CompletableFuture.runAsync(unanswered::watch, watching);
            try (Socket list = silent.accept()) {
                unanswered.close();

                assertThat(list.isConnected()).isTrue();
                assertThatThrownBy(() -> watch.get(20, TimeUnit.SECONDS))
                        .hasRootCauseMessage("the IPAddresses are no longer needed");
                assertThatThrownBy(unanswered::watch).isInstanceOf(CompletionException.class);
            }
        }
    }

    /** 100,000 in one answer do not fit into the heap. */
    @Test
    void areListedInPages() {
        List<String> queries = AnsweringServer.queriesRefused("/apis/networking.k8s.io/v1/ipaddresses", client -> {
            try (IpAddresses refused = new IpAddresses(client, NetworkingVersion.V1, listener)) {
                refused.watch();
            }
        });
        assertThat(queries).isNotEmpty().allMatch(query -> query.contains("limit=" + IpAddresses.PAGE));
    }
}
