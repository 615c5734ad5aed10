package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Build;
import dev.berth.testing.Installation;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.SharedInstallation;
import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
        Files.createSymbolicLink(folder.resolve("src"), Path.of("src").toAbsolutePath());
        Files.createSymbolicLink(folder.resolve("target"), Build.file("").toAbsolutePath());
        Path programs = Files.createDirectory(folder.resolve("bin"));
        Files.createSymbolicLink(
                programs.resolve("kubectl"), KubeBinaries.ofThisMachine().kubectl());
        Files.createSymbolicLink(programs.resolve("java"), Path.of(System.getProperty("java.home"), "bin", "java"));
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
                type(berth, typed);
            } else {
                Awaitility.await(PAGE + ":" + step.line())
                        .atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(TypedPage.withoutAges(type(berth, typed)))
                                .isEqualTo(TypedPage.withoutAges(step.printed())));
            }
        }
    }

    /** What it prints. */
    private String type(Installation berth, String typed) {
        try {
            Path output = Files.createTempFile(folder, "typed-", ".out");
            ProcessBuilder shell = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", typed)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            shell.environment()
                    .put("KUBECONFIG", berth.controlPlane().adminKubeconfig().toString());
            shell.environment().merge("PATH", folder.resolve("bin").toString(), (path, own) -> own + ":" + path);
            Process process = shell.start();
            boolean hasEnded = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            process.destroyForcibly();
            String printed = Files.readString(output).strip();
            assertThat(hasEnded && process.exitValue() == 0)
                    .as("%s%n%s", typed, printed)
                    .isTrue();
            return printed;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }
}
