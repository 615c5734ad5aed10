package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.Patience;
import dev.berth.testing.SharedInstallation;
import dev.berth.testing.TypedPage;
import dev.berth.testing.TypingShell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** docs/cookbook.md, typed from top to bottom. */
@ExtendWith(SharedInstallation.class)
class CookbookIT {
    private static final Path PAGE = Path.of("docs/cookbook.md");
    private static final int TASKS = 15;

    @TempDir
    private Path folder;

    @Test
    void eachTask_goesAsThePageSays(Installation berth) throws IOException {
        String http = berth.operator().get("/metrics").uri().resolve("/").toString();
        TypingShell shell = TypingShell.in(folder, berth.controlPlane().adminKubeconfig(), Patience.USUAL);
        List<TypedPage.Step> steps = TypedPage.steps(PAGE);
        assertThat(tasksTyped(steps)).hasSize(TASKS);
        try (ControlPlane another = ControlPlane.builder().start()) {
            Files.copy(another.adminKubeconfig(), folder.resolve("new-cluster"));
            type(steps, shell, http);
        }
    }

    /** The headings of the page under which something is typed. */
    private static Set<Integer> tasksTyped(List<TypedPage.Step> steps) throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        NavigableSet<Integer> headings = new TreeSet<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("## ")) {
                headings.add(i);
            }
        }
        assertThat(headings).hasSize(TASKS);
        return steps.stream().map(step -> headings.lower(step.line())).collect(Collectors.toSet());
    }

    private static void type(List<TypedPage.Step> steps, TypingShell shell, String http) {
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
                // Whoever types it again waits a moment: each time it is a shell with its programs.
                Awaitility.await(PAGE + ":" + step.line())
                        .pollDelay(Duration.ofMillis(100))
                        .pollInterval(Duration.ofSeconds(1))
                        .untilAsserted(() -> assertThat(TypedPage.withoutAges(shell.type(typed)))
                                .isEqualTo(TypedPage.withoutAges(step.printed())));
            }
        }
    }
}
