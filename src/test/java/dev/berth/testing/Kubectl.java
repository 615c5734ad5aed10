package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** kubectl with one kubeconfig. */
public final class Kubectl {
    private static final Duration COMMAND = Duration.ofSeconds(60);

    private final KubeBinaries binaries;
    private final Path kubeconfig;
    private final Path directory;

    /**
     * Runs nothing yet.
     *
     * @param directory for what kubectl caches and prints; never emptied
     */
    public Kubectl(KubeBinaries binaries, Path kubeconfig, Path directory) {
        this.binaries = binaries;
        this.kubeconfig = kubeconfig;
        this.directory = directory;
    }

    /**
     * Runs a command.
     *
     * @return its standard output
     * @throws IllegalStateException if it fails, with its standard error, or if it runs for more than a minute
     */
    public String run(String... arguments) {
        List<String> command = Stream.concat(
                        Stream.of(
                                binaries.kubectl().toString(),
                                "--kubeconfig=" + kubeconfig,
                                "--cache-dir=" + directory.resolve("kubectl-cache")),
                        Stream.of(arguments))
                .toList();
        try {
            Path output = Files.createTempFile(directory, "kubectl-", ".out");
            Path errors = Files.createTempFile(directory, "kubectl-", ".err");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
            // It ends before Go's garbage collector is worth its time.
            builder.environment().put("GOGC", "off");
            Process kubectl = builder.start();
            if (!kubectl.waitFor(COMMAND.toSeconds(), TimeUnit.SECONDS)) {
                kubectl.destroyForcibly();
                throw new IllegalStateException(
                        "kubectl %s: still runs after %s".formatted(String.join(" ", arguments), COMMAND));
            }
            if (kubectl.exitValue() != 0) {
                throw new IllegalStateException("kubectl %s: exit code %d: %s"
                        .formatted(
                                String.join(" ", arguments),
                                kubectl.exitValue(),
                                Files.readString(errors).strip()));
            }
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException("running kubectl", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while kubectl ran", e);
        }
    }
}
