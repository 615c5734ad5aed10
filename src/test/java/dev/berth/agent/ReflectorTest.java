package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watch of Nodes, at a server that answers as the test wants. */
class ReflectorTest {
    private static final String NODES = "/api/v1/nodes";

    @TempDir
    private Path folder;

    private volatile LongSupplier clock = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    private FakeApiServer server;
    private Reflector<Integer> watched;

    @BeforeEach
    void serve() throws IOException {
        server = new FakeApiServer();
        server.put(NODES, node("a", 1, "1"));
        watched = new Reflector<>(
                server.client(folder),
                new WatchedKind(NODES, Fields.of("metadata")),
                ReflectorTest::size,
                (_, _) -> {},
                () -> 0L,
                () -> clock.getAsLong());
    }

    @AfterEach
    void stop() {
        watched.close();
        server.close();
    }

    private static String node(String name, int version, String size) {
        return """
                {"metadata": {"name": "%s", "resourceVersion": "%d", "labels": {"size": "%s"}}}
                """.formatted(name, version, size);
    }

    /** Throws where there is no number. */
    private static Optional<Integer> size(JsonNode node) {
        return Optional.of(Integer.parseInt(
                node.path("metadata").path("labels").path("size").asText("")));
    }

    @Test
    void watchThatIsSilentForTooLong_beginsAgain() {
        AtomicLong time = new AtomicLong();
        clock = time::get;
        server.beginEachWatchWith("ADDED", node("b", 2, "2"));
        watched.start();
        await().until(() -> watched.byKey().containsKey("/b"));
        time.set(Reflector.SILENCE);
        await().until(() -> {
            watched.interruptIfSilent();
            return server.watches.size() > 1;
        });
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void answerThatGoesOn_isNotInterrupted_whileTheServerIsSlowToAnswerOthers() {
        AtomicLong time = new AtomicLong();
        clock = time::get;
        server.beginEachWatchWith("ADDED", node("b", 2, "2"));
        watched.start();
        await().until(() -> watched.byKey().containsKey("/b"));
        time.set(ApiServerAvailability.TIMEOUT - 1);
        watched.interruptIfSilent(ApiServerAvailability.TIMEOUT);
        server.send(NODES, "ADDED", node("c", 3, "3"));
        await().until(() -> watched.byKey().containsKey("/c"));
        time.set(2 * ApiServerAvailability.TIMEOUT - 2);
        watched.interruptIfSilent(ApiServerAvailability.TIMEOUT);
        server.send(NODES, "ADDED", node("d", 4, "4"));
        await().until(() -> watched.byKey().containsKey("/d"));
        assertThat(server.watches).hasSize(1);
    }

    @Test
    void watchesThatFailAtOnce_comeAtLongerAndLongerIntervals() {
        server.beginEachWatchWith(
                "ERROR", "{\"kind\": \"Status\", \"code\": 410, \"message\": \"too old resource version\"}");
        watched.start();
        await().until(() -> server.lists.size() >= 3);
        assertThat(server.lists.get(2) - server.lists.get(0))
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(600));
    }

    @Test
    void watchesThatEndAtOnce_comeAtLongerAndLongerIntervals() {
        server.endWatchesAtOnce();
        watched.start();
        await().until(() -> server.watches.size() >= 3);
        assertThat(server.watches.get(2) - server.watches.get(0))
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(600));
    }

    @Test
    void watchThatWaitsAfterFailures_beginsAtOnce_whenTheServerAnswersAgain() {
        server.endWatchesAtOnce();
        watched.start();
        // By itself it would take 36 s for these.
        await().until(() -> {
            watched.retry();
            return server.watches.size() >= 12;
        });
    }

    @Test
    void objectThatCannotBeRead_isAsItWasBefore() {
        server.beginEachWatchWith("MODIFIED", node("a", 2, "?"));
        server.beginEachWatchWith("ADDED", node("b", 3, "2"));
        watched.start();
        await().until(() -> watched.byKey().containsKey("/b"));
        assertThat(watched.byKey()).isEqualTo(Map.of("/a", 1, "/b", 2));
    }

    @Test
    void kindThatIsToBeReadAgain_isListedAtOnce() {
        watched.start();
        await().until(() -> server.watches.size() == 1);
        server.put(NODES, node("c", 9, "9"));
        watched.again();
        await().atMost(java.time.Duration.ofSeconds(1))
                .until(() -> watched.byKey().equals(Map.of("/c", 9)));
    }
}
