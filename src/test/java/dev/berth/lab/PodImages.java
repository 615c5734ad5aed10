package dev.berth.lab;

import dev.berth.testing.Build;
import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The images of a {@link PodCluster}, made by src/test/lab/image.
 *
 * @param archives what containerd imports
 */
record PodImages(List<Path> archives) implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /**
     * Builds them.
     *
     * @throws IllegalStateException if one cannot be built, with what was printed
     */
    static PodImages build() {
        try {
            Path folder = Files.createDirectories(Build.file("pods").toAbsolutePath());
            List<Path> archives = Stream.of("berth", "peer-1", "peer-pause")
                    .map(name -> folder.resolve(name + ".tar"))
                    .toList();
            for (Path archive : archives) {
                Files.deleteIfExists(archive);
            }
            ChildProcess building = ChildProcess.start(
                    "image",
                    List.of(
                            "env",
                            "JAVA_HOME=" + System.getProperty("java.home"),
                            "src/test/lab/image",
                            Build.file("").toString(),
                            folder.toString(),
                            Peer.program()),
                    Path.of("").toAbsolutePath(),
                    folder.resolve("image.log"));
            if (building.exitCode(PATIENCE) != 0) {
                throw new IllegalStateException("src/test/lab/image, whose log is %s, ends with:%n%s"
                        .formatted(folder.resolve("image.log"), building.logTail(20)));
            }
            return new PodImages(archives);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        try {
            for (Path archive : archives) {
                Files.deleteIfExists(archive);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
