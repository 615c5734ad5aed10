package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whether an API server answers. */
class ApiServerTest {
    @TempDir
    private Path folder;

    @Test
    void answerThatDoesNotEndInTime_isNone() throws IOException {
        try (FakeApiServer server = new FakeApiServer()) {
            ApiServer client = server.client(folder);
            assertThatCode(() -> client.ask("/version", Duration.ofSeconds(5))).doesNotThrowAnyException();
            // A watch: it begins, and does not end.
            assertThatThrownBy(() -> client.ask("/version?watch=1", Duration.ofMillis(100)))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("GET /version?watch=1: no answer in ");
        }
    }

    /** A proxy before it refuses, and what it has to say does not get through. */
    @Test
    @Timeout(20)
    void refusalThatDoesNotEndInTime_isNone() throws IOException {
        try (FakeApiServer server = new FakeApiServer()) {
            server.answerGetsWith(503);
            ApiServer client = server.client(folder);
            assertThatThrownBy(() -> client.get("/api/v1/nodes?watch=1", Duration.ofMillis(100)))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("GET /api/v1/nodes?watch=1: no answer in ");
            assertThatThrownBy(() -> client.get("/api/v1/nodes", Duration.ofSeconds(10)))
                    .isInstanceOf(ApiServer.Refused.class)
                    .hasMessageStartingWith("GET /api/v1/nodes: 503 {");
        }
    }

    @Test
    @Timeout(20)
    void answerToAPatch_thatDoesNotEndInTime_isNone() throws IOException {
        try (FakeApiServer server = new FakeApiServer()) {
            server.leavePatchesOpen();
            ApiServer client = server.client(folder);
            assertThatThrownBy(() -> client.apply("/status", "me", "{}", Duration.ofMillis(100)))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("PATCH /status: no answer in ");
        }
    }
}
