package dev.berth.testing;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The AOT cache of the packaged operator, recorded as {@code src/main/docker/Dockerfile} records the image's: a start
 * with it takes half the processor time.
 */
public final class AotCache {
    private static final boolean IS_WANTED = Boolean.getBoolean("berth.aot");
    private static final Path FILE = Build.file("quarkus-app/app.aot");

    private AotCache() {}

    /** The JVM option that uses it; none unless the system property {@code berth.aot} is true. */
    static List<String> option() {
        return IS_WANTED ? List.of("-XX:AOTCache=" + recorded()) : List.of();
    }

    /**
     * Records it, unless that has been done since the operator was packaged.
     *
     * @throws IllegalStateException if it cannot be recorded, with what was printed
     */
    public static synchronized Path recorded() {
        Path part = Build.file("app.aot.part");
        // Other JVMs of the same test run need it, too.
        try (FileChannel file = FileChannel.open(Build.file("app.aot.lock"), CREATE, WRITE);
                FileLock lock = file.lock()) {
            if (!isUpToDate()) {
                record(part);
                Files.move(part, FILE, REPLACE_EXISTING);
            }
            return FILE;
        } catch (IOException failure) {
            throw new UncheckedIOException("recording " + FILE, failure);
        }
    }

    private static boolean isUpToDate() throws IOException {
        return Files.exists(FILE)
                && Files.getLastModifiedTime(FILE).compareTo(Files.getLastModifiedTime(Build.application())) > 0;
    }

    private static void record(Path into) throws IOException {
        Path output = Build.file("app.aot.log");
        Process recording = new ProcessBuilder(rehearsal(List.of("-XX:AOTCacheOutput=" + into)))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (recording.waitFor() != 0) {
                throw new IllegalStateException("recording " + FILE + ": " + Files.readString(output));
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while recording " + FILE, stopping);
        } finally {
            recording.destroyForcibly();
        }
    }

    /**
     * The command that runs the operator, with these JVM options, against as much of the Kubernetes API as makes it
     * work; it ends by itself.
     */
    public static List<String> rehearsal(List<String> jvmOptions) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                Stream.of("test-classes", "quarkus-app/lib/main/*", "quarkus-app/lib/boot/*")
                        .map(name -> Build.file(name).toString())
                        .collect(Collectors.joining(File.pathSeparator)),
                "dev.berth.rehearsal.Rehearsal",
                "@src/main/docker/jvm.options"));
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", Build.application().toString(), "operator", "--leader-elect", "--http-port=0"));
        return command;
    }
}
