package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiServerProbeTest {
    @TempDir
    private Path folder;

    @Test
    void serverThatAnswersAgain_isReportedOnce() throws IOException {
        AtomicInteger back = new AtomicInteger();
        AtomicInteger lost = new AtomicInteger();
        try (FakeApiServer server = new FakeApiServer()) {
            ApiServerProbe contact =
                    new ApiServerProbe(server.client(folder), lost::incrementAndGet, back::incrementAndGet, () -> {});
            contact.start();
            await().until(() -> back.get() == 1);
            contact.close();
        }
        assertThat(lost).hasValue(0);
    }
}
