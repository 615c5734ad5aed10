package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import dev.berth.testing.TypedPage;
import dev.berth.testing.TypingShell;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** docs/cookbook.md, typed from top to bottom. */
@ExtendWith(SharedInstallation.class)
class CookbookIT {
    private static final Path PAGE = Path.of("docs/cookbook.md");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void eachTask_goesAsThePageSays(Installation berth) throws IOException {
        String http = berth.operator().get("/metrics").uri().resolve("/").toString();
        TypingShell shell = TypingShell.in(folder, berth.controlPlane().adminKubeconfig(), PATIENCE);
        List<TypedPage.Step> steps = TypedPage.steps(PAGE);
        assertThat(steps).hasSizeGreaterThan(30);

        for (TypedPage.Step step : steps) {
            if (step.typed().contains("port-forward")) {
                // Berth runs as a process of this machine, not in a Pod.
                continue;
            }
            String typed = step.typed()
                    .replace("http://127.0.0.1:8080/", http)
                    // Nobody finishes the deletion of namespaces here: the control plane has no controller manager.
                    .replace("kubectl delete -k", "kubectl delete --wait=false -k");
            if (step.printed().isEmpty()) {
                shell.type(typed);
            } else {
                Awaitility.await(PAGE + ":" + step.line())
                        .atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(TypedPage.withoutAges(shell.type(typed)))
                                .isEqualTo(TypedPage.withoutAges(step.printed())));
            }
        }
    }
}
