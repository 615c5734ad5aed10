package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.announce.NodeReport;
import dev.berth.announce.Protocol;
import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.ip.IpRange;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent writes of itself. */
class AgentReportsTest {
    private static final String PATH = "/apis/berth.dev/v1alpha1/agentreports/n1";

    @TempDir
    private Path folder;

    private static List<String> reports(FakeApiServer server) {
        return server.patches.stream().filter(patch -> patch.startsWith(PATH)).toList();
    }

    @Test
    void report_hasWhatItAnnounces_andWhichOfItAnotherMachineClaims() {
        List<IpRange> all = List.of(IpRange.parse("192.0.2.1-192.0.2.3"));
        List<IpRange> claimed = List.of(IpRange.parse("192.0.2.2"));
        AgentReport written = new KubernetesSerialization()
                .unmarshal(
                        AgentReports.applied(
                                "n1",
                                "u1",
                                new NodeReport(new TreeMap<>(
                                        Map.of(Protocol.L2, new NodeReport.Part(all, claimed, new TreeMap<>()))))),
                        AgentReport.class);
        assertThat(dev.berth.kube.AgentReports.of(written).parts().get(Protocol.L2))
                .isEqualTo(new NodeReport.Part(all, claimed, new TreeMap<>()));
        assertThat(AgentReports.applied(
                        "n1",
                        "u1",
                        new NodeReport(new TreeMap<>(
                                Map.of(Protocol.L2, new NodeReport.Part(all, List.of(), new TreeMap<>()))))))
                .contains("192.0.2.1-192.0.2.3")
                .doesNotContain("conflicting");
    }

    /** The API server deletes the report with the first Node. */
    @Test
    void reportOfANodeThatIsRecreated_isWrittenAgain() throws IOException, InterruptedException {
        try (FakeApiServer server = new FakeApiServer()) {
            server.put("/api/v1/nodes", "{\"metadata\": {\"name\": \"n1\", \"uid\": \"u1\"}}");
            ApiServer client = server.client(folder);
            ClusterView view = new ClusterView(client, () -> {}, new Random(1));
            AgentParts parts = new AgentParts(
                    "n1", "berth-agents", client, view, new Random(1), new AgentMetrics(), new Warnings(() -> 0));
            AgentReports reports = new AgentReports(parts, new Renewal(parts, InstantSource.system()));
            view.start();
            reports.now(Protocol.L2, "all", () -> new NodeReport.Part(List.of(), List.of(), new TreeMap<>()));
            reports.start();
            await().until(() -> reports(server).size() == 1);

            server.send("/api/v1/nodes", "DELETED", "{\"metadata\": {\"name\": \"n1\", \"uid\": \"u1\"}}");
            server.send("/api/v1/nodes", "ADDED", "{\"metadata\": {\"name\": \"n1\", \"uid\": \"u2\"}}");

            await().until(() -> reports(server).size() == 2);
            assertThat(reports(server).getLast()).contains("\"uid\":\"u2\"");
            reports.close(Patience.USUAL);
            view.close();
        }
    }

    /** Else the status would name a node that announces nothing. */
    @Test
    void agentThatEndsWhileItsReportIsBeingWritten_saysAfterItThatItAnnouncesNothing()
            throws IOException, InterruptedException {
        try (FakeApiServer server = new FakeApiServer()) {
            server.put("/api/v1/nodes", "{\"metadata\": {\"name\": \"n1\", \"uid\": \"u1\"}}");
            server.leavePatchesOpen();
            server.endPatch(Heartbeat.path("berth-agents", "n1"));
            ApiServer client = server.client(folder);
            ClusterView view = new ClusterView(client, () -> {}, new Random(1));
            AgentParts parts = new AgentParts(
                    "n1", "berth-agents", client, view, new Random(1), new AgentMetrics(), new Warnings(() -> 0));
            AgentReports reports = new AgentReports(parts, new Renewal(parts, InstantSource.system()));
            view.start();
            reports.now(
                    Protocol.L2,
                    "all",
                    () -> new NodeReport.Part(List.of(), List.of(), new TreeMap<>(Map.of("NoService", List.of()))));
            reports.start();
            await().until(() -> reports(server).size() == 1);

            Thread ending = Thread.ofPlatform().start(() -> reports.close(Patience.USUAL));
            await().during(Duration.ofMillis(300)).until(() -> reports(server).size() == 1);

            server.endPatch(PATH);
            server.endPatch(PATH);
            ending.join();

            assertThat(reports(server)).hasSize(2).last().asString().contains("\"spec\":{}");
            view.close();
        }
    }
}
