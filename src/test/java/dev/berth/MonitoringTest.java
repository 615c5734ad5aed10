package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.testing.Monitoring;
import dev.berth.testing.Monitoring.Alert;
import dev.berth.testing.Monitoring.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds alerts and pages to each other. */
class MonitoringTest {
    private static final Path DOCS = Path.of("docs");
    private static final Pattern SECTION = Pattern.compile("(?m)^### (Berth\\w+)$");
    private static final Pattern LINK = Pattern.compile("monitoring\\.md#(berth\\w+)");

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return files.filter(file -> file.toString().endsWith(".md")).toList();
        }
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> alerts() {
        return Monitoring.alerts().stream().map(Alert::name).toList();
    }

    @Test
    void eachAlert_hasASectionThatSaysWhatToLookAt_andEachSectionAnAlert() {
        String page = read(DOCS.resolve("monitoring.md"));

        assertThat(alerts()).doesNotHaveDuplicates().hasSizeGreaterThan(20);
        assertThat(names(SECTION, page)).containsExactlyInAnyOrderElementsOf(alerts());
        assertThat(SECTION.splitAsStream(page).skip(1))
                .allSatisfy(section -> assertThat(section.strip().length()).isGreaterThan(100));
    }

    @Test
    void eachAlert_saysHowSevereItIs_whatHappens_andWhereItsSectionIs() {
        assertThat(Monitoring.alerts()).allSatisfy(alert -> {
            assertThat(alert.severity()).isIn("critical", "warning", "info");
            assertThat(alert.annotations()).containsOnlyKeys("summary", "description", "runbook_url");
            assertThat(alert.annotations().get("summary"))
                    .hasSizeBetween(20, 140)
                    .endsWith(".");
            assertThat(alert.annotations().get("description"))
                    .hasSizeBetween(40, 300)
                    .endsWith(".");
            assertThat(alert.annotations().get("runbook_url"))
                    .isEqualTo("docs/monitoring.md#" + alert.name().toLowerCase(Locale.ROOT));
        });
    }

    @Test
    void whatPagesSayOfAlerts_isThere() throws IOException {
        Set<String> anchors =
                alerts().stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());

        for (String page : List.of("l2.md", "bgp.md", "haproxy.md", "cluster-addresses-reference.md")) {
            assertThat(names(LINK, read(DOCS.resolve(page)))).as(page).isNotEmpty();
        }
        for (Path page : pages()) {
            assertThat(anchors).as(page.toString()).containsAll(names(LINK, read(page)));
        }
    }

    @Test
    void dashboard_isWhatGrafanaReads_withAPlaceForEachPanel() {
        JsonNode dashboard = Monitoring.dashboard();
        List<JsonNode> panels = new ArrayList<>();
        dashboard.path("panels").forEach(panels::add);

        assertThat(dashboard.path("title").asText()).isEqualTo("Berth");
        assertThat(panels)
                .extracting(panel -> panel.path("id").asInt())
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(20);
        Set<List<Integer>> places = new HashSet<>();
        assertThat(panels).allSatisfy(panel -> {
            JsonNode at = panel.path("gridPos");
            assertThat(at.path("x").asInt() + at.path("w").asInt()).isBetween(1, 24);
            for (int x = at.path("x").asInt();
                    x < at.path("x").asInt() + at.path("w").asInt();
                    x++) {
                for (int y = at.path("y").asInt();
                        y < at.path("y").asInt() + at.path("h").asInt();
                        y++) {
                    assertThat(places.add(List.of(x, y)))
                            .as("%s at %d, %d", panel.path("title"), x, y)
                            .isTrue();
                }
            }
        });
        assertThat(Monitoring.panels()).hasSizeGreaterThan(30);
    }

    /** Tests of each source hold its queries to what it serves. */
    @Test
    void eachQuery_isAboutTheMetricsOfOneSource() {
        assertThat(Stream.of(Source.values()).flatMap(source -> Monitoring.queries(source).stream()))
                .containsExactlyInAnyOrderElementsOf(Monitoring.queries())
                .allSatisfy(
                        query -> assertThat(query.metrics()).as(query.name()).isNotEmpty());
    }

    @Test
    void eachMetricThatIsAskedFor_isOnAPage() throws IOException {
        String text = pages().stream().map(MonitoringTest::read).collect(Collectors.joining());

        assertThat(Monitoring.queries().stream()
                        .flatMap(query -> query.metrics().stream())
                        .filter(name -> name.startsWith("berth_"))
                        .map(name -> name.replaceFirst("_(count|sum|bucket)$", ""))
                        .filter(name -> !text.contains("`" + name)))
                .isEmpty();
    }
}
