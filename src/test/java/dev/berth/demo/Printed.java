package dev.berth.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What a demo prints, and what its page shows of that. */
public final class Printed {
    private static final Path PAGE = Path.of("docs/demo.md");
    private static final int PATIENCE_SECONDS = 300;

    private Printed() {}

    /** Runs a program in a JVM of its own, as the Makefile does, and returns its lines once it has ended with 0. */
    public static List<String> by(String program, Path folder, String... arguments)
            throws IOException, InterruptedException {
        Path printed = folder.resolve("printed");
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:TieredStopAtLevel=1",
                                // Named by the process ID alone, which processes in other namespaces have, too.
                                "-XX:-UsePerfData",
                                "-XX:+UseSerialGC",
                                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                                "-Dio.netty.noUnsafe=true",
                                "-Dberth.build=" + System.getProperty("berth.build", "target"),
                                "-Dberth.aot=" + System.getProperty("berth.aot"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                program),
                        Stream.of(arguments))
                .toList();
        Process demo = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertThat(demo.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("ended in time")
                    .isTrue();
        } finally {
            demo.destroy();
        }
        assertThat(demo.exitValue()).as(Files.readString(printed)).isZero();
        return Files.readAllLines(printed);
    }

    /** The lines of the page's block that begins with this text, up to the demo's last line. */
    public static Stream<String> onThePage(String begin) throws IOException {
        List<String> block = Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.startsWith("    " + begin))
                .toList();
        int last = block.stream()
                .map(line -> line.startsWith("    Everything was as expected"))
                .toList()
                .indexOf(true);
        return block.subList(0, last + 1).stream();
    }

    /** Without empty lines, what differs from run to run, times and UIDs, and what only newer versions of kubectl say. */
    public static Stream<String> steady(Stream<String> lines) {
        return lines.map(String::strip)
                .filter(line -> !line.isEmpty())
                .map(TypedPage::withoutAges)
                .map(line -> line.replaceAll("\\b[0-9]+([.][0-9]+)? s\\b", "TIME")
                        .replaceAll("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b", "UID")
                        .replaceFirst(" deleted from \\S+ namespace$", " deleted"));
    }
}
