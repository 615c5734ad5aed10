package dev.berth.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.AotCache;
import dev.berth.testing.Build;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The AOT cache is recorded as in src/main/docker/Dockerfile: without a cluster, by a rehearsal. */
class AotCacheIT {
    private static final String IMAGE_OPTIONS = "@src/main/docker/jvm.options";
    private static final String NOT_THERE = "kubeconfig not-there cannot be read";

    @TempDir
    Path folder;

    private record Ended(int code, String output) {}

    @Test
    void recordedCache_fits_andHasWhatServesServices() throws IOException, InterruptedException {
        Path cache = AotCache.recorded();
        assertThat(cache).isNotEmptyFile();

        // AOTMode=on: a JVM that cannot use the cache does not start.
        Path loaded = folder.resolve("loaded.txt");
        Ended again = run(AotCache.rehearsal(
                List.of("-XX:AOTMode=on", "-XX:AOTCache=" + cache, "-Xlog:class+load:file=" + loaded)));
        assertThat(again.code()).as(again.output()).isZero();
        String classes = Files.readString(loaded);
        assertThat(classes)
                .contains(ofTheCache("dev.berth.controller.service.ClaimEffects"))
                .contains(ofTheCache("dev.berth.controller.address.AddressControl"))
                .contains(ofTheCache("io.fabric8.kubernetes.client.informers.impl.cache.Reflector"))
                .contains(ofTheCache("sun.security.ssl.HandshakeContext"));
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

    private static String ofTheCache(String name) {
        return " " + name + " source: shared objects file";
    }

    private Ended java(List<String> options, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), IMAGE_OPTIONS));
        command.addAll(options);
        command.addAll(List.of("-jar", Build.application().toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private Ended run(List<String> command) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES))
                    .as(() -> "%s ends".formatted(command))
                    .isTrue();
            return new Ended(process.exitValue(), Files.readString(output, UTF_8));
        } finally {
            process.destroyForcibly();
        }
    }
}
