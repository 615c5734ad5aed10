package dev.berth.reason;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.WellKnownNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever sees a reason finds it on the page of its kind, and nothing else is a reason. */
class DocumentedReasonsTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/berth");
    private static final Path LIST = SOURCES.resolve("reason/Reason.java");

    /** Those that write conditions and events, and those that decide what they say. */
    private static final List<String> ROOMS =
            List.of("agent", "announce", "controller", "kube", "loadbalancer", "servicecidr");

    /** The line above those of one kind, with their page. */
    private static final Pattern GROUP = Pattern.compile(" {4}// Of .+: (docs/\\S+\\.md)");

    private static final Pattern DOCSTRING = Pattern.compile(" {4}/\\*\\* [A-Z].*\\. \\*/");
    private static final Pattern CONSTANT = Pattern.compile(" {4}(\\w+)[,;]");
    private static final Pattern USE = Pattern.compile("\\bReason\\.([A-Z]\\w+)\\b");

    /** One word or more, as reasons are. */
    private static final Pattern PASCAL_CASE = Pattern.compile("\"([A-Z]+[a-z][A-Za-z]*)\"");

    /** What else is written so. */
    private static final Set<String> NO_REASONS = Stream.of(
                    // Types of conditions
                    "Accepted CallsStuck CapacityLow CertificateUsable Cooling Growth Healthy LoadBalancerPortsError",
                    "NetworkUnavailable PoolsFound Ready Reserved Retired Served ServesClassless ServicesSkipped",
                    "Stranded Valid",
                    // Statuses of conditions, types of events and what they are of
                    "True False Unknown Normal Warning Reconcile",
                    // Kinds
                    "Address AddressPool AddressPools AgentReport BGPPeer ClusterIPReservation IPAddress Lease",
                    "LoadBalancerClass Node Nodes Service ServiceCIDR ServiceCIDRs Services",
                    // Values of specs
                    "Allow Always Announce Auto ClientIP Cluster ClusterIP DoesNotExist Exists ExternalName In Keep",
                    "KubeProxy LeastRecentlyUsed LoadBalancer Local Never None NotIn PreferDualStack Proxy Refuse",
                    "Release RequireDualStack Withhold",
                    // Addresses and taints of Nodes
                    "ExternalIP InternalIP ToBeDeletedByClusterAutoscaler",
                    // Other fields of statuses: the state of a pool, of a range, of a session; severities; needs
                    "NoAllocatableAddresses NoAutoAssign Suspended NotReady Terminating Connecting Established",
                    "Unusable Error APIServerFlags DeleteIPAddress Recreate RecreateWithOtherAddress",
                    "RemoveReservation",
                    // Of the API server's protocol
                    "Accept All AlreadyExists Authorization DeleteOptions")
            .flatMap(line -> Stream.of(line.split(" ")))
            .collect(Collectors.toSet());

    @Test
    void eachReason_isOnThePageOfItsKind() throws IOException {
        Map<String, Path> pages = new LinkedHashMap<>();
        Path page = null;
        for (String line : Files.readAllLines(LIST)) {
            Matcher group = GROUP.matcher(line);
            Matcher constant = CONSTANT.matcher(line);
            if (group.matches()) {
                page = Path.of(group.group(1));
            } else if (constant.matches()) {
                pages.put(constant.group(1), Objects.requireNonNull(page));
            }
        }

        assertThat(pages).containsOnlyKeys(names());
        assertThat(pages)
                .allSatisfy((reason, itsPage) -> assertThat(itsPage).content().contains("`" + reason + "`"));
    }

    @Test
    void eachReason_saysWhenItIsGiven() throws IOException {
        List<String> lines = Files.readAllLines(LIST);
        for (int number = 1; number < lines.size(); number++) {
            if (CONSTANT.matcher(lines.get(number)).matches()) {
                assertThat(lines.get(number - 1)).as(lines.get(number)).matches(DOCSTRING);
            }
        }
    }

    @Test
    void eachReason_isGiven() throws IOException {
        Set<String> given = new TreeSet<>();
        for (Path source : files(SOURCES, ".java")) {
            if (!source.equals(LIST)) {
                USE.matcher(Files.readString(source)).results().forEach(use -> given.add(use.group(1)));
            }
        }

        assertThat(given).containsExactlyInAnyOrder(names());
    }

    @Test
    void noOtherWordThatMayBeAReason_isInTheSources() throws IOException {
        Set<String> words = new TreeSet<>();
        for (String room : ROOMS) {
            for (Path source : files(SOURCES.resolve(room), ".java")) {
                Files.readString(source)
                        .lines()
                        .filter(line -> !line.contains("@SuppressWarnings"))
                        .flatMap(line -> PASCAL_CASE.matcher(line).results())
                        .forEach(word -> words.add(word.group(1)));
            }
        }

        assertThat(words).containsExactlyInAnyOrderElementsOf(NO_REASONS);
    }

    @Test
    void aWordIsFound_whereItIsOne() {
        assertThat(Stream.of(Reason.values()))
                .allSatisfy(reason -> assertThat(Reason.find(reason.name())).contains(reason));
        assertThat(Reason.find("OfAnotherVersion")).isEmpty();
    }

    private static String[] names() {
        return Stream.of(Reason.values()).map(Reason::name).toArray(String[]::new);
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
