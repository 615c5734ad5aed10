package dev.berth.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.KubeBinaries;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code src/build/release}: what a release has beside its images. */
class ReleaseIT {
    private static final String BERTH = "sha256:" + "0123456789abcdef".repeat(4);
    private static final String HAPROXY = "sha256:" + "fedcba9876543210".repeat(4);
    private static final String GOBGP = "sha256:" + "02468ace13579bdf".repeat(4);

    @TempDir
    private Path folder;

    private record Answer(int code, String output) {}

    private Answer run(List<String> command) throws IOException {
        ProcessBuilder process = new ProcessBuilder(command).redirectErrorStream(true);
        KubeBinaries binaries = KubeBinaries.ofThisMachine();
        process.environment()
                .put(
                        "PATH",
                        String.join(
                                File.pathSeparator,
                                binaries.helm().resolveSibling("").toString(),
                                binaries.kubectl().resolveSibling("").toString(),
                                System.getenv("PATH")));
        process.environment().put("BERTH_RELEASE_DIR", folder.toString());
        Process running = process.start();
        try (InputStream said = running.getInputStream()) {
            String output = new String(said.readAllBytes(), UTF_8);
            return new Answer(running.onExit().join().exitValue(), output);
        }
    }

    private Answer release(String version, String... images) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("src/build/release", version, "registry.example/berth", "https://pages.example"));
        command.addAll(List.of(images));
        return run(command);
    }

    private static String version() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("src/main/helm/berth/Chart.yaml"))) {
            return lines.filter(line -> line.startsWith("appVersion: "))
                    .map(line -> line.substring("appVersion: ".length()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void manifestsAndChart_nameTheImagesByTheirDigests_andAlertsTheirPages() throws IOException {
        assertThat(release(version(), "berth=" + BERTH, "berth-haproxy=" + HAPROXY, "berth-gobgp=" + GOBGP))
                .satisfies(
                        answer -> assertThat(answer.code()).as(answer.output()).isZero());

        assertThat(Files.readString(folder.resolve("berth.yaml")).lines().filter(line -> line.contains(" image: ")))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).endsWith(" image: registry.example/berth/berth@" + BERTH));
        assertThat(Files.readString(folder.resolve("alerts.yaml")))
                .contains("runbook_url: https://pages.example/docs/monitoring.md#berthnoleader")
                .doesNotContain("runbook_url: docs/");
        Answer rendered = run(List.of(
                KubeBinaries.ofThisMachine().helm().toString(),
                "template",
                "berth",
                folder.resolve("berth-" + version() + ".tgz").toString(),
                "--set=dataplanes.haproxy.enabled=true,dataplanes.l2.enabled=true,dataplanes.bgp.enabled=true"));
        assertThat(rendered.output()
                        .lines()
                        .filter(line -> line.contains(" image: "))
                        .map(String::strip))
                .containsExactlyInAnyOrder(
                        "image: registry.example/berth/berth@" + BERTH,
                        "image: registry.example/berth/berth@" + BERTH,
                        "image: registry.example/berth/berth-gobgp@" + GOBGP,
                        "image: registry.example/berth/berth-haproxy@" + HAPROXY);
    }

    @Test
    void aRelease_ofAnotherVersionThanTheManifests_orWithoutAnImage_isRefused() throws IOException {
        Answer version = release("99.0.0", "berth=" + BERTH, "berth-haproxy=" + HAPROXY, "berth-gobgp=" + GOBGP);
        assertThat(version.code()).isEqualTo(1);
        assertThat(version.output()).contains("says that the image is " + version() + ", and the release is 99.0.0");

        assertThat(release(version(), "berth=" + BERTH, "berth-haproxy=" + HAPROXY)
                        .output())
                .contains("berth, berth-haproxy and berth-gobgp are needed, each with its digest");
        assertThat(release(version(), "berth=latest").output()).contains("\"berth=latest\" is not NAME=sha256:");
        assertThat(folder).isEmptyDirectory();
    }
}
