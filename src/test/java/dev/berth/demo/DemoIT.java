package dev.berth.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/demo.md is what {@code make demo} prints. */
class DemoIT {
    private static final String LEFT = "\\S+ of default/app-[678] [(]recreate the Service: it gets another address[)]";

    @Test
    void itPrintsWhatItsPageShows(@TempDir Path folder) throws IOException, InterruptedException {
        assertThat(steady(Printed.by(Demo.class.getName(), folder, "demo").stream()))
                .containsExactlyElementsOf(steady(Printed.onThePage("etcd ")));
    }

    /**
     * Without the name of the log too, widths by what differs, the cluster IPs that Services get by chance, and which of them,
     * one to three, are in the range that retires.
     */
    private static List<String> steady(Stream<String> lines) {
        return Printed.steady(lines)
                .map(line -> line.replaceAll("its log: .*", "its log: LOG")
                        .replaceAll("\\b10[.](96|100|101)[.]0[.][0-9]+\\b(?!/)", "CLUSTER-IP")
                        .replaceAll(
                                "\\b[1-3] address(es)? in use, such as " + LEFT + "(, " + LEFT + "){0,2}$", "IN USE"))
                .toList();
    }
}
