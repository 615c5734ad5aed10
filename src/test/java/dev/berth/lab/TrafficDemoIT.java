package dev.berth.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.demo.Printed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/demo.md is what {@code make demo} prints of packets. */
@LabOnly
class TrafficDemoIT {
    @Test
    void itPrintsWhatItsPageShows(@TempDir Path folder) throws IOException, InterruptedException {
        assertThat(steady(Printed.by(TrafficDemo.class.getName(), folder).stream()))
                .containsExactlyElementsOf(steady(Printed.onThePage("# Packets")));
    }

    /** Any node may have the address first, and any other after it. */
    private static List<String> steady(Stream<String> lines) {
        return Printed.steady(lines)
                .map(line -> line.replaceAll("\\bnode[1-3]\\b", "NODE").replaceAll("\\bpage-[1-3]\\b", "POD"))
                .toList();
    }
}
