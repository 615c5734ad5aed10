package dev.berth.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The AOT cache is recorded as in src/main/docker/Dockerfile: without a cluster. */
class AotCacheIT {
    private static final String NOT_THERE = "kubeconfig not-there cannot be read";

    @TempDir
    Path folder;

    private record Ended(int code, String output) {}

    @Test
    void recordedCache_fits() throws IOException, InterruptedException {
        Path cache = folder.resolve("app.aot");
        Ended training = java(List.of("-XX:AOTCacheOutput=" + cache), "train");
        assertThat(training.code()).as(training.output()).isZero();
        assertThat(cache).isNotEmptyFile();

        // AOTMode=on: a JVM that cannot use the cache does not start.
        Ended start = java(List.of("-XX:AOTMode=on", "-XX:AOTCache=" + cache), "operator", "--kubeconfig", "not-there");
        assertThat(start.output()).contains(NOT_THERE).doesNotContain("[aot]");
    }

    @Test
    void missingOrBrokenCache_isNoObstacle() throws IOException, InterruptedException {
        Path broken = Files.writeString(folder.resolve("broken.aot"), "no cache");
        for (Path cache : List.of(folder.resolve("missing.aot"), broken)) {
            Ended start = java(List.of("-XX:AOTCache=" + cache), "operator", "--kubeconfig", "not-there");
            assertThat(start.output()).contains(NOT_THERE);
            assertThat(start.code()).isEqualTo(1);
        }
    }

    private Ended java(List<String> options, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@src/main/docker/jvm.options");
        command.addAll(options);
        command.addAll(List.of("-jar", "target/quarkus-app/quarkus-run.jar"));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES))
                    .as(() -> "%s ends".formatted(command))
                    .isTrue();
            return new Ended(process.exitValue(), Files.readString(output, UTF_8));
        } finally {
            process.destroyForcibly();
        }
    }
}
