package dev.berth.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watch of Nodes, at a server that answers as the test wants. */
class WatchedTest {
    private static final String LIST = """
            {"kind": "NodeList", "metadata": {"resourceVersion": "1"}, "items": [
              {"metadata": {"name": "a", "resourceVersion": "1", "labels": {"size": "1"}}}]}
            """;
    private static final String EXPIRED = """
            {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old resource version"}}
            """;

    @TempDir
    private Path folder;

    /** When each list was asked for, in nanoseconds. */
    private final List<Long> lists = new CopyOnWriteArrayList<>();

    private final List<Long> watches = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile String events = "";
    private volatile boolean isLasting = true;
    private volatile LongSupplier clock = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    private HttpServer server;
    private Watched<Integer> watched;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        Path kubeconfig = Files.writeString(
                folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: t}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(server.getAddress().getPort()));
        watched = new Watched<>(
                ApiServer.ofKubeconfig(kubeconfig),
                "/api/v1/nodes",
                WatchedTest::size,
                () -> {},
                () -> 0L,
                () -> clock.getAsLong());
    }

    @AfterEach
    void stop() {
        watched.close();
        over.countDown();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean isWatch = exchange.getRequestURI().getQuery().contains("watch=1");
            (isWatch ? watches : lists).add(System.nanoTime());
            exchange.sendResponseHeaders(200, 0);
            OutputStream body = exchange.getResponseBody();
            body.write((isWatch ? events : LIST).getBytes(UTF_8));
            body.flush();
            if (isWatch && isLasting) {
                over.await();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Throws where there is no number. */
    private static Optional<Integer> size(JsonNode node) {
        return Optional.of(Integer.parseInt(
                node.path("metadata").path("labels").path("size").asText("")));
    }

    @Test
    void watchThatIsSilentForTooLong_beginsAnew() {
        AtomicLong time = new AtomicLong();
        clock = time::get;
        events = """
                {"type": "ADDED", "object": {"metadata": {"name": "b", "resourceVersion": "2", "labels": {"size": "2"}}}}
                """;
        watched.start();
        await().until(() -> watched.byKey().containsKey("/b"));
        time.set(Watched.SILENCE);
        await().until(() -> {
            watched.interruptIfSilent();
            return watches.size() > 1;
        });
        assertThat(lists).hasSize(1);
    }

    @Test
    void watchesThatFailAtOnce_comeAtLongerAndLongerIntervals() {
        events = EXPIRED;
        watched.start();
        await().until(() -> lists.size() >= 3);
        assertThat(lists.get(2) - lists.get(0)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(600));
    }

    @Test
    void watchesThatEndAtOnce_comeAtLongerAndLongerIntervals() {
        isLasting = false;
        watched.start();
        await().until(() -> watches.size() >= 3);
        assertThat(watches.get(2) - watches.get(0)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(600));
    }

    @Test
    void objectThatCannotBeRead_isAsItWasBefore() {
        events = """
                {"type": "MODIFIED", "object": {"metadata": {"name": "a", "resourceVersion": "2", "labels": {"size": "?"}}}}
                {"type": "ADDED", "object": {"metadata": {"name": "b", "resourceVersion": "3", "labels": {"size": "2"}}}}
                """;
        watched.start();
        await().until(() -> watched.byKey().containsKey("/b"));
        assertThat(watched.byKey()).isEqualTo(Map.of("/a", 1, "/b", 2));
    }
}
