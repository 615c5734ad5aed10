package dev.berth.it;

import static dev.berth.testing.Monitoring.Source.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.testing.Installation;
import dev.berth.testing.Monitoring;
import dev.berth.testing.Monitoring.Alert;
import dev.berth.testing.Monitoring.Query;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Promtool;
import dev.berth.testing.Scrape;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus takes the rules of the component {@code monitoring}, they fire when they should, and panels have data. */
@ExtendWith(SharedInstallation.class)
class MonitoringIT {
    private static final String POLICY = """
            apiVersion: berth.dev/v1alpha1
            kind: ServiceCIDRPolicy
            metadata: {name: cluster}
            spec: {}
            """;

    /** But for findings, which a healthy cluster has none of: AskedForTest. */
    private static final List<Query> PANELS = Monitoring.panels(OPERATOR).stream()
            .filter(panel -> !panel.metrics().contains("berth_clusterip_findings"))
            .toList();

    private static final Path CASES = Path.of("src/test/resources/dev/berth/monitoring/alerts.yaml");

    @TempDir
    private Path folder;

    @BeforeAll
    static void requirePromtool() {
        assumeFalse(Promtool.mayBeMissing(), "promtool is not on the PATH");
    }

    @Test
    void rules_areTakenByPrometheus() throws IOException {
        Files.writeString(folder.resolve("rules.yaml"), Monitoring.rules());

        assertThat(Promtool.run(folder, "check", "rules", "rules.yaml"))
                .contains("SUCCESS: " + Monitoring.alerts().size() + " rules found");
    }

    @Test
    void eachPanelAboutTheOperator_hasDataOfARealRun(Installation berth) throws IOException {
        String namespace = berth.namespace("monitoring");
        Files.writeString(
                Files.createDirectories(folder.resolve("plugins")).resolve("lb.grpc.properties"),
                "target=unix://" + folder.resolve("absent.sock") + "\n");
        OperatorProcess operator = berth.startOperator("--plugin-dir=" + folder.resolve("plugins"));
        berth.client()
                .resource(Serialization.unmarshal(POLICY, ServiceCIDRPolicy.class))
                .create();
        berth.pool(namespace, "198.51.100.77/32");
        berth.service(namespace, "served");
        berth.awaitAddress(namespace, "served");
        berth.service(namespace, "waiting");

        await().untilAsserted(() -> {
            Scrape scrape = new Scrape(operator.metrics());
            assertThat(PANELS)
                    .allSatisfy(panel -> assertThat(scrape.missing(panel)).isEmpty());
        });

        Promtool.requireAnswers(folder, operator.metrics(), PANELS);
        assertThat(operator.metric("berth_leader")).isOne();
        assertThat(operator.metric("berth_service_address_seconds_count")).isOne();
    }

    @Test
    void aServiceWithOneOfTheFamiliesThatItPrefers_raisesAnAlertOfItsOwn_andNotTheOneAboutThoseThatWait(
            Installation berth) {
        String namespace = berth.namespace("one-family");
        OperatorProcess operator = berth.startOperator();
        berth.pool(namespace, "198.51.100.80/28");
        berth.service(
                namespace,
                "web",
                builder ->
                        builder.editSpec().withIpFamilyPolicy("PreferDualStack").endSpec());
        await().untilAsserted(() -> assertThat(operator.metric("berth_services_waiting", "reason", "PartiallyAssigned"))
                .isOne());
        String scraped = operator.metrics();
        assertThat(scraped.lines().filter(line -> line.startsWith("berth_services_waiting{")))
                .allMatch(line -> line.contains("\"PartiallyAssigned\"") || line.endsWith(" 0.0"));
        Promtool.requireAnswers(folder, scraped, List.of(query("BerthServicesPartiallyAssigned")));
        assertThatThrownBy(() -> Promtool.requireAnswers(folder, scraped, List.of(query("BerthServicesWaiting"))))
                .hasMessageContaining("berth_services_waiting");
    }

    private static Query query(String alert) {
        return Monitoring.alerts().stream()
                .filter(one -> one.name().equals(alert))
                .map(one -> new Query(one.name(), one.expression()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachAlert_firesOnWhatItIsFor_andOnNothingElse() throws IOException {
        String cases = Files.readString(CASES);
        List<String> names = Monitoring.alerts().stream().map(Alert::name).toList();
        assertThat(names)
                .isNotEmpty()
                .allSatisfy(name -> assertThat(cases)
                        .containsOnlyOnce("- name: " + name + " fires\n")
                        .contains("- name: " + name + " does not fire, "));
        Files.writeString(folder.resolve("rules.yaml"), Monitoring.rules());
        Files.copy(CASES, folder.resolve("alerts.yaml"));

        assertThat(Promtool.run(folder, "test", "rules", "alerts.yaml")).contains("SUCCESS");
    }
}
