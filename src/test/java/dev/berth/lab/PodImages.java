package dev.berth.lab;

import dev.berth.testing.Build;
import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The images of a {@link PodCluster}, made by src/test/lab/image.
 *
 * @param archives what containerd imports
 * @param haproxy what the containerd of one node imports beside them, for one Pod
 */
record PodImages(List<Path> archives, Path haproxy) implements AutoCloseable {
    /** The system property that names the directory of a project of an older commit, which is built; absent: there is none. */
    static final String OLDER = "berth.older";

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /**
     * Builds them; the operator of {@link #OLDER} as berth:older.
     *
     * @param folder for them, of this build alone
     * @throws IllegalStateException if one cannot be built, with what was printed
     */
    static PodImages build(Path folder) {
        try {
            Files.createDirectories(folder);
            Optional<String> older = Optional.ofNullable(System.getProperty(OLDER));
            List<Path> archives = Stream.concat(
                            Stream.of("berth", "berth-gobgp", "peer-1", "peer-pause"),
                            older.stream().map(_ -> "berth-older"))
                    .map(name -> folder.resolve(name + ".tar"))
                    .toList();
            PodImages images = new PodImages(archives, folder.resolve("berth-haproxy.tar"));
            images.delete();
            boolean isBuilt = false;
            try {
                make(folder, older);
                isBuilt = true;
            } finally {
                if (!isBuilt) {
                    images.delete();
                }
            }
            return images;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void make(Path folder, Optional<String> older) {
        ChildProcess making = ChildProcess.start(
                "image",
                List.of(
                        "env",
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "src/test/lab/image",
                        Build.file("").toString(),
                        folder.toString(),
                        Peer.program(),
                        older.map(project -> Path.of(project, "target")
                                        .toAbsolutePath()
                                        .toString())
                                .orElse("")),
                Path.of("").toAbsolutePath(),
                folder.resolve("image.log"));
        if (making.exitCode(PATIENCE) != 0) {
            throw new IllegalStateException("src/test/lab/image, whose log is %s, ends with:%n%s"
                    .formatted(folder.resolve("image.log"), making.logTail(20)));
        }
    }

    /** What the node of this number imports. */
    List<Path> ofNode(int number) {
        return number == 1
                ? Stream.concat(archives.stream(), Stream.of(haproxy)).toList()
                : archives;
    }

    private void delete() throws IOException {
        for (Path archive : ofNode(1)) {
            Files.deleteIfExists(archive);
        }
    }

    @Override
    public void close() {
        try {
            delete();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
