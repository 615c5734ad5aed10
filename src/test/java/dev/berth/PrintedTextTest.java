package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.testing.TypedPage;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What pages show as printed is what is printed: each such text is compared by a test. */
class PrintedTextTest {
    private static final Path DOCS = Path.of("docs");
    private static final Pattern TABLE = Pattern.compile(
            "kubectl get (addresspool|address|agentreport|bgppeer|clusteripreservation|loadbalancerclass|servicecidrpolic)[a-z]*( [^ -]+)?( -o wide)?");

    /**
     * A test that compares what a page shows.
     *
     * @param typed part of the command whose output it compares; empty: it types the whole page
     * @param test its class, as a path in the package of this one
     */
    private record Compared(String page, String typed, String test) {
        boolean isAbout(String where, TypedPage.Step step) {
            return page.equals(where) && step.typed().contains(typed);
        }
    }

    private static final String JAR = "java -jar target/quarkus-app/quarkus-run.jar ";

    private static final List<Compared> COMPARED = List.of(
            new Compared("cookbook.md", "", "it/CookbookIT"),
            new Compared("demo.md", "", "demo/DemoIT"),
            new Compared("quick-start.md", "", "lab/PodsIT"),
            new Compared("annotations.md", "kubectl get service web", "loadbalancer/IgnoredAnnotationsTest"),
            new Compared("address-pools.md", "kubectl get addresspool edge", "it/MistakesIT"),
            new Compared("addresses.md", JAR + "address ", "PrintedTextTest"),
            new Compared("bgp.md", "kubectl get bgppeers", "controller/bgppeer/PeerSummaryTest"),
            new Compared("bgp.md", "kubectl get bgppeer router -o jsonpath", "controller/bgppeer/PeerSummaryTest"),
            new Compared(
                    "cluster-addresses.md",
                    "kubectl get servicecidrpolicies",
                    "controller/servicecidr/PolicyStatusTest"),
            new Compared("l2.md", "kubectl apply", "lab/PodsIT"),
            new Compared("l2.md", "create secret", "lab/PodsIT"),
            new Compared("l2.md", "kubectl wait", "lab/PodsIT"),
            new Compared("l2.md", "kubectl get service lan", "lab/PodsIT"),
            new Compared("l2.md", "kubectl get addresses -o custom-columns", "announce/AnnouncementsPageTest"),
            new Compared("l2.md", "kubectl get service web -o jsonpath", "announce/AnnouncementsPageTest"),
            new Compared("load-balancer-classes.md", "TargetsHealthy", "loadbalancer/ServiceConditionsTest"),
            new Compared("operations.md", "kubectl get crds,namespaces", "it/RemovalIT"),
            new Compared("operations.md", JAR + "status", "it/UnservedIT"));

    private static final int FIRST_SCREEN = 40;

    private static Stream<TypedPage.Step> printed(Path page) {
        try {
            return TypedPage.steps(page).stream().filter(step -> !step.printed().isEmpty());
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return files.filter(file -> file.toString().endsWith(".md")).toList();
        }
    }

    @Test
    void whatPagesShowAsPrinted_isComparedByATest() throws IOException {
        for (Path page : pages()) {
            String name = DOCS.relativize(page).toString();
            assertThat(printed(page))
                    .allSatisfy(step -> assertThat(COMPARED.stream().filter(row -> row.isAbout(name, step)))
                            .as("%s:%d: %s", name, step.line(), step.typed())
                            .hasSize(1));
        }
        for (Compared row : COMPARED) {
            assertThat(printed(DOCS.resolve(row.page())))
                    .as(row.toString())
                    .anyMatch(step -> row.isAbout(row.page(), step));
            assertThat(Files.readString(Path.of("src/test/java/dev/berth/" + row.test() + ".java")))
                    .as(row.test())
                    .contains(row.page(), row.typed());
        }
    }

    @Test
    void tablesOfOurKinds_haveTheirColumns() throws IOException {
        List<Path> all = new ArrayList<>(pages());
        all.add(Path.of("README.md"));
        List<String> seen = new ArrayList<>();
        for (Path page : all) {
            printed(page).forEach(step -> {
                Matcher table = TABLE.matcher(step.typed());
                if (table.matches()) {
                    String header =
                            step.printed().lines().findFirst().orElse("").strip();
                    if (header.startsWith("NAME ")) {
                        seen.add(page + ":" + step.line());
                        assertThat(List.of(header.split(" +")))
                                .as("%s:%s", page, step.line())
                                .isEqualTo(columns(table.group(1), table.group(3) != null));
                    }
                }
            });
        }
        assertThat(seen).hasSizeGreaterThan(5);
    }

    private static List<String> columns(String kind, boolean wide) {
        try (Stream<Path> files = Files.list(Path.of("crds"))) {
            Path crd = files.filter(file -> file.getFileName().toString().startsWith(kind))
                    .min(Comparator.comparingInt(file -> file.toString().length()))
                    .orElseThrow();
            CustomResourceDefinition definition =
                    new KubernetesSerialization().unmarshal(Files.readString(crd), CustomResourceDefinition.class);
            return Stream.concat(
                            Stream.of("NAME"),
                            definition.getSpec().getVersions().getFirst().getAdditionalPrinterColumns().stream()
                                    .filter(column -> wide || column.getPriority() == null || column.getPriority() == 0)
                                    .map(CustomResourceColumnDefinition::getName)
                                    .map(name -> name.toUpperCase(Locale.ROOT)))
                    .toList();
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    @Test
    void thePageOfTheAnnotations_isLinkedFromTheFirstScreenOfTheReadme() throws IOException {
        assertThat(Files.readAllLines(Path.of("README.md")).stream().limit(FIRST_SCREEN))
                .anyMatch(line -> line.contains("(docs/annotations.md)"));
    }

    /** docs/addresses.md: what {@code berth address} prints. */
    @Test
    void theNameOfAnAddress_isAsThePageHasIt() throws IOException {
        TypedPage.Step step =
                TypedPage.step(DOCS.resolve("addresses.md"), "java -jar target/quarkus-app/quarkus-run.jar address ");

        assertThat(step.printed())
                .isEqualTo(Ip.parse(step.typed().substring(step.typed().lastIndexOf(' ') + 1))
                        .objectName());
    }

    /** Of docs/demo.md, which DemoIT compares. */
    @Test
    void theReadme_showsWhatTheDemoPrints() throws IOException {
        String page = Files.readString(DOCS.resolve("demo.md"));

        assertThat(TypedPage.steps(Path.of("README.md")).stream()
                        .filter(step -> !step.printed().isEmpty())
                        .map(TypedPage.Step::printed))
                .isNotEmpty()
                .allSatisfy(printed -> assertThat(printed.lines())
                        .allSatisfy(line -> assertThat(page).contains(line)));
    }
}
