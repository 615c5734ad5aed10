package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.berth.testing.Monitoring;
import dev.berth.testing.Monitoring.Alert;
import dev.berth.testing.Promtool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus takes the rules of the component {@code monitoring}, and they fire when they should. */
class MonitoringIT {
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
