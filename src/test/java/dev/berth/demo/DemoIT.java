package dev.berth.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/demo.md is what {@code make demo} prints. */
class DemoIT {
    private static final int PATIENCE_SECONDS = 300;
    private static final String LEFT =
            "\\S+ of default/app-[678] [(]delete the Service and create it again: it gets another address[)]";

    @Test
    void itPrintsWhatItsPageShows(@TempDir Path folder) throws IOException, InterruptedException {
        Path printed = folder.resolve("printed");
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                        "-Dio.netty.noUnsafe=true",
                        "-Dberth.build=" + System.getProperty("berth.build", "target"),
                        "-Dberth.aot=" + System.getProperty("berth.aot"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Demo.class.getName(),
                        "demo")
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
        assertThat(steady(Files.readAllLines(printed).stream()))
                .containsExactlyElementsOf(steady(Files.readAllLines(Path.of("docs/demo.md")).stream()
                        .dropWhile(line -> !line.startsWith("    etcd "))));
    }

    /**
     * Without what differs from run to run: times, UIDs, the name of the log, widths by those, the cluster IPs that Services
     * get by chance, and which of them, one to three, are in the range that retires.
     */
    private static List<String> steady(Stream<String> lines) {
        return lines.map(String::strip)
                .filter(line -> !line.isEmpty())
                .map(TypedPage::withoutAges)
                .map(line -> line.replaceAll("\\b[0-9]+([.][0-9]+)? s\\b", "TIME")
                        .replaceAll("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b", "UID")
                        .replaceAll("its log: .*", "its log: LOG")
                        .replaceAll("\\b10[.](96|100|101)[.]0[.][0-9]+\\b(?!/)", "CLUSTER-IP")
                        .replaceAll(
                                "\\b[1-3] address(es)? in use, such as " + LEFT + "(, " + LEFT + "){0,2}$", "IN USE"))
                .toList();
    }
}
