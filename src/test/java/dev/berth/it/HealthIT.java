package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.FreePort;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.SharedInstallation;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a kubelet's probes meet. */
@ExtendWith(SharedInstallation.class)
class HealthIT {
    private static final Duration PROBE = Duration.ofSeconds(20);

    /** Asks again and again, until the answer is 200. */
    private static boolean askUntilStarted(URI probe) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(probe).timeout(PROBE).build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (Instant end = Instant.now().plus(Patience.USUAL); Instant.now().isBefore(end); ) {
                try {
                    if (http.send(request, HttpResponse.BodyHandlers.discarding())
                                    .statusCode()
                            == 200) {
                        return true;
                    }
                } catch (ConnectException notYetThere) {
                    Thread.sleep(20);
                }
            }
        }
        return false;
    }

    @Test
    void probesThatComeBeforeTheStartIsOver_doNotHoldItUp(Installation berth) throws Exception {
        int port = FreePort.next();
        URI probe = URI.create("http://127.0.0.1:" + port + "/q/health/started");
        try (OperatorProcess operator = OperatorProcess.start(berth.kubeconfig(), "--http-port=" + port);
                ExecutorService probes = Executors.newVirtualThreadPerTaskExecutor()) {
            // As many as may be needed for one on each of its event loops.
            List<Callable<Boolean>> asking = Stream.generate(() -> (Callable<Boolean>) () -> askUntilStarted(probe))
                    .limit(8)
                    .toList();
            assertThat(probes.invokeAll(asking))
                    .allSatisfy(started -> assertThat(started.get()).isTrue());
            assertThat(operator.log()).doesNotContain("HTTP Request to /q/health");
        }
    }
}
