package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.dataplane.haproxy.HaproxyProcesses;
import dev.berth.lab.LabOnly;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.ChildProcess;
import dev.berth.testing.Installation;
import dev.berth.testing.Monitoring;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.PackagedBerth;
import dev.berth.testing.Promtool;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a real HAProxy tells people: by the condition of a Service, and to Prometheus. */
@LabOnly
@ExtendWith(SharedInstallation.class)
class HaproxyMetricsIT {
    private static final String ADDRESS = "198.51.100.9";

    @TempDir
    Path folder;

    @BeforeEach
    void settings() throws IOException {
        Files.createDirectories(folder.resolve("plugins"));
        Files.writeString(
                folder.resolve("plugins/haproxy.properties"), "directory=%s\n".formatted(folder.resolve("state")));
    }

    @AfterEach
    void endHaproxy() throws IOException, InterruptedException {
        try (HaproxyProcesses processes = new HaproxyProcesses()) {
            processes.signal(folder.resolve("state"), "KILL");
        }
        new ProcessBuilder("ip", "addr", "del", ADDRESS + "/32", "dev", "lo")
                .redirectErrorStream(true)
                .start()
                .waitFor();
    }

    @Test
    void theOperator_showsAService_andHowManyOfItsTargetsPass_asLongAsItIsThere(Installation shared) {
        try (BerthOnCluster berth = BerthOnCluster.on(shared)) {
            // Nothing answers there.
            berth.createNode("n1", "127.0.0.2");
            berth.createPool("edge", ADDRESS + "/32");
            berth.createClass("haproxy", "loadBalancerClass: test.dev/haproxy, provider: haproxy");
            OperatorProcess operator = berth.startOperator("--plugin-dir=" + folder.resolve("plugins"));

            berth.createService("web", "test.dev/haproxy", UnaryOperator.identity());

            Service web = berth.awaitService(
                    "web",
                    service -> BerthOnCluster.condition(
                                    service.getStatus().getConditions(), WellKnownNames.TARGETS_HEALTHY)
                            .startsWith("False AllTargetsUnhealthy"));
            // HAProxy that does not answer in time is not in one answer, and in the next.
            berth.awaitAsserted(now -> assertThat(operator.metrics().lines())
                    .contains("berth_haproxy_up 1.0")
                    .anyMatch(line -> line.startsWith("berth_haproxy_sessions_total{")
                            && line.contains("namespace=\"default\",service=\"web\",port=\"80\""))
                    .anyMatch(line -> line.startsWith("berth_haproxy_target_up{") && line.endsWith("} 0.0")));
            Promtool.requireAnswers(folder, operator.metrics(), Monitoring.panels(Monitoring.Source.HAPROXY));

            berth.client().resource(web).delete();
            berth.awaitAsserted(now -> assertThat(operator.metrics()).doesNotContain("service=\"web\""));
        }
    }

    @Test
    void providerHost_servesWhatHaproxyCounts() throws IOException, InterruptedException {
        Path log = folder.resolve("host.log");
        try (ChildProcess host = ChildProcess.start(
                        "provider-host",
                        PackagedBerth.command(
                                "provider-host",
                                "--plugin-dir=" + folder.resolve("plugins"),
                                "--provider=haproxy",
                                "--listen=unix://" + folder.resolve("lb.sock"),
                                "--metrics=127.0.0.1:9444"),
                        folder,
                        log);
                HttpClient client = HttpClient.newHttpClient()) {
            Awaitility.await().until(() -> {
                host.requireAlive();
                return host.log().contains("serving metrics on port 9444");
            });

            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:9444/metrics"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(answer.body().lines()).contains("berth_haproxy_up 1.0");
            // Who looks for a cause at night has nothing but this.
            assertThat(host.log()).containsPattern("INFO  \\[.*] starting HAProxy in ");
        }
    }
}
