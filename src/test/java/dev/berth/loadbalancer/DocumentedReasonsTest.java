package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever sees a reason finds it on the page about troubleshooting. */
class DocumentedReasonsTest {
    private static final List<Class<? extends Enum<?>>> REASONS = List.of(
            ServiceFailure.Reason.class,
            ServicePlan.Skip.Reason.class,
            IgnoredAnnotations.Reason.class,
            PoolMismatch.Reason.class,
            StrandedAddress.Reason.class);

    /** Two words or more, as reasons are. */
    private static final Pattern PASCAL_CASE = Pattern.compile("\"([A-Z][a-zA-Z]*[a-z][A-Z][a-zA-Z]*)\"");

    /** Kinds, operators of selectors, and what a Node says. */
    private static final Set<String> NO_REASONS = Set.of(
            "AddressPools",
            "AddressPool",
            "AgentReport",
            "DoesNotExist",
            "InternalIP",
            "NetworkUnavailable",
            "NotIn",
            "ServiceCIDR",
            "ServiceCIDRs");

    @Test
    void eachReason_isOnThePage() throws IOException {
        String page = Files.readString(Path.of("docs/operations.md"));

        assertThat(REASONS.stream().flatMap(kind -> Stream.of(kind.getEnumConstants())))
                .allSatisfy(reason -> assertThat(page).contains("`" + reason + "`"));
    }

    /** What conditions and events give as a reason without an enum: any word of that form in the sources that write them. */
    @Test
    void eachWordThatMayBeAReason_isOnAPage() throws IOException {
        StringBuilder pages = new StringBuilder();
        for (Path page : files(Path.of("docs"), ".md")) {
            pages.append(Files.readString(page));
        }
        Set<String> words = new TreeSet<>();
        for (String folder : List.of("agent", "controller", "loadbalancer")) {
            for (Path source : files(Path.of("src/main/java/dev/berth", folder), ".java")) {
                Files.readString(source)
                        .lines()
                        .filter(line -> !line.contains("@SuppressWarnings"))
                        .flatMap(line -> PASCAL_CASE.matcher(line).results())
                        .forEach(word -> words.add(word.group(1)));
            }
        }

        assertThat(words).contains("TermsDiffer", "NodePortsReallocated", "PoolNotFound");
        words.removeAll(NO_REASONS);
        assertThat(words.stream()
                        .filter(word -> pages.indexOf("`" + word + "`") < 0 && pages.indexOf("/" + word + "`") < 0))
                .isEmpty();
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    @Test
    void eachCondition_isOnAPage() throws IOException {
        StringBuilder pages = new StringBuilder();
        for (String page : List.of("operations", "load-balancer-classes", "annotations", "address-pools")) {
            pages.append(Files.readString(Path.of("docs/" + page + ".md")));
        }

        assertThat(WellKnownNames.CONDITIONS)
                .allSatisfy(type -> assertThat(pages.toString()).contains("`" + type + "`"));
    }
}
