package dev.berth.it;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.IpRange;
import dev.berth.testing.Installation;
import dev.berth.testing.RenderedManifests;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The component strict-validation. Its policies look at nothing but what this class labels. */
@ExtendWith(SharedInstallation.class)
class StrictValidationIT {
    private static final String POOL = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "AddressPool",
             "metadata": {"name": "strict", "labels": {"strict": "true"}}, "spec": {"addresses": ["%s"]}}
            """;
    private static final String GROWTH = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "ServiceCIDRPolicy",
             "metadata": {"name": "cluster", "labels": {"strict": "true"}}, "spec": {"growth": {%s}}}
            """;

    private KubernetesClient client;

    /** What may be in a list of a pool. */
    private static final int MOST = 256;

    @BeforeEach
    void install(Installation shared, @TempDir Path overlay) {
        client = shared.client();
        RenderedManifests manifests = RenderedManifests.withComponent(overlay, "strict-validation");
        manifests.all(ValidatingAdmissionPolicy.class).forEach(this::replace);
        manifests
                .all(ValidatingAdmissionPolicyBinding.class)
                .map(binding -> new ValidatingAdmissionPolicyBindingBuilder(binding)
                        .editSpec()
                        .withNewMatchResources()
                        .withNewObjectSelector()
                        .addToMatchLabels("strict", "true")
                        .endObjectSelector()
                        .endMatchResources()
                        .endSpec()
                        .build())
                .forEach(this::replace);
        // A policy takes a moment to be seen.
        Awaitility.await()
                .until(() -> denial(POOL.formatted("1.2.3.4-5")).isPresent()
                        && denial(GROWTH.formatted("\"avoid\": [\"10.0.0.0/33\"]"))
                                .isPresent());
    }

    private void replace(HasMetadata object) {
        client.resource(object).serverSideApply();
    }

    /** What the API server says against it; absent: it would create it. */
    private Optional<String> denial(String object) {
        try {
            client.resource(object).dryRun(true).create();
            return Optional.empty();
        } catch (KubernetesClientException denied) {
            return Optional.of(String.valueOf(denied.getMessage()));
        }
    }

    @Test
    void addressesThatBerthCannotRead_areRejected_andNoOthers() {
        for (String text : addresses()) {
            assertThat(denial(POOL.formatted(text)).isEmpty())
                    .as(text)
                    .isEqualTo(IpRange.find(text).isPresent());
        }
    }

    private static List<String> addresses() {
        List<String> texts = new ArrayList<>(List.of(
                "192.0.2.1",
                "192.0.2.0/24",
                "192.0.2.1/24",
                "192.0.2.9-192.0.2.10",
                "192.0.2.10-192.0.2.9",
                "192.0.2.9-2001:db8::1",
                "2001:db8::ff-2001:db8::1",
                "2001:db8::ffff-2001:db8::1:0",
                "2001:db8:1::-2001:db8::5",
                "::5-::6",
                "::6-::5",
                "1:2:3:4:5:6:7:8-1:2:3:4:5:6:7:9",
                "1:2:3:4:5:6:7:9-1:2:3:4:5:6:7:8",
                "2001:db8::1/64",
                "2001:db8::/64",
                "1.2.3.4-5",
                "300.1.1.1",
                "10.0.0.0/33"));
        Random random = new Random(1);
        for (int i = 0; i < 20; i++) {
            texts.add(ipv4(random) + "-" + ipv4(random));
            texts.add(ipv6(random) + "-" + ipv6(random));
        }
        return texts;
    }

    private static String ipv4(Random random) {
        return "10." + random.nextInt(2) + "." + random.nextInt(256) + "." + random.nextInt(256);
    }

    private static String ipv6(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> "fd00::%x".formatted(random.nextInt(0x10000));
            case 1 -> "fd00:%x::%x".formatted(1 + random.nextInt(300), random.nextInt(0x100));
            default -> "fd00:%x:1:2:3:4:5:%x".formatted(1 + random.nextInt(300), random.nextInt(0x1000));
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            192.0.2.1/24                    | host bits are set: 192.0.2.1/24 (the network is 192.0.2.0/24)
            192.0.2.10-192.0.2.9            | a range ends before it begins: 192.0.2.10-192.0.2.9
            192.0.2.9-2001:db8::1           | a range has addresses of one family: 192.0.2.9-2001:db8::1
            1.2.3.4-5                       | neither an address, nor a CIDR, nor a range of two addresses: 1.2.3.4-5
            """)
    void whatIsWrongWithAddresses_isNamed(String addresses, String message) {
        assertThat(denial(POOL.formatted(addresses)))
                .hasValueSatisfying(said -> assertThat(said).contains(message));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "ipv4": {"supernets": ["fd00::/48"], "prefixLength": 24}   | supernets of spec.growth.ipv4 are IPv4
            "ipv4": {"supernets": ["10.0.0.0/8"], "prefixLength": 31}  | prefixLength is 8 to 30 for IPv4
            "ipv6": {"supernets": ["fd00::/48"], "prefixLength": 24}   | 64 to 126 for IPv6
            "ipv4": {"supernets": ["10.0.0.0/28"], "prefixLength": 24} | must fit into each of the supernets
            "ipv4": {"supernets": ["10.0.0.1/8"], "prefixLength": 24}  | host bits are set: 10.0.0.1/8
            "ipv4": {"supernets": ["127.0.0.0/16"], "prefixLength": 24} | no Service can be reached at loopback
            "avoid": ["10.0.0.0/8", "10.300.0.0/16"]                   | not a CIDR: 10.300.0.0/16
            """)
    void growthThatBerthWouldRefuse_isRejectedWithItsReason(String growth, String message) {
        assertThat(denial(GROWTH.formatted(growth)))
                .hasValueSatisfying(said -> assertThat(said).contains(message));
    }

    @Test
    void growthThatIsPossible_isAccepted() {
        assertThat(denial(GROWTH.formatted("""
                "ipv4": {"supernets": ["10.0.0.0/8"], "prefixLength": 24},
                "ipv6": {"supernets": ["fd00::/48"], "prefixLength": 112}, "avoid": ["10.1.0.0/16"]
                """))).isEmpty();
    }

    /** Of an object that was there before the policies. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "accepted", textBlock = """
            "addresses": ["192.0.2.1/24"], "suspended": true                         | accepted
            "addresses": ["192.0.2.1/24"], "priority": 7                             | accepted
            "addresses": ["192.0.2.1/24"], "excluded": []                            | accepted
            "addresses": ["192.0.2.1/24"], "excluded": ["1.2.3.4-5"]                  | accepted
            "addresses": ["192.0.2.1/24"], "excluded": ["192.0.2.9-192.0.2.8"]       | before it begins: 192.0.2.9-192.0.2.8
            "addresses": ["192.0.2.1/24", "192.0.2.2/24"], "excluded": ["1.2.3.4-5"]  | host bits are set: 192.0.2.2/24 (
            "addresses": ["192.0.2.1/25"], "excluded": ["1.2.3.4-5"]                  | host bits are set: 192.0.2.1/25 (
            """)
    void onlyWhatIsNewInAPool_isJudged(String spec, @Nullable String message) {
        String before = "\"addresses\": [\"192.0.2.1/24\", \"198.51.100.0/24\"], \"excluded\": [\"1.2.3.4-5\"]";
        client.resource(pool("old", false, before)).create();
        assertDenied(denialOfUpdate(pool("old", true, spec)), message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "accepted", textBlock = """
            "growth": {"avoid": ["10.300.0.0/16"]}, "warnings": {"daysUntilFull": 7}  | accepted
            "warnings": {"daysUntilFull": 7}                                          | accepted
            "growth": {"avoid": ["10.300.0.0/17"]}                          | not a CIDR: 10.300.0.0/17
            """)
    void onlyNewGrowth_isJudged(String spec, @Nullable String message) {
        client.resource(policy(false, "\"growth\": {\"avoid\": [\"10.300.0.0/16\"]}"))
                .create();
        assertDenied(denialOfUpdate(policy(true, spec)), message);
    }

    @Test
    void largestPool_isJudgedWhole_whenAllOfItIsReplaced() {
        client.resource(pool("large", false, ranges("a", ""))).create();
        assertDenied(denialOfUpdate(pool("large", true, ranges("b", ""))), null);
        assertDenied(
                denialOfUpdate(pool("large", true, ranges("b", ", \"2001:db8::2-2001:db8::1\""))),
                "a range ends before it begins: 2001:db8::2-2001:db8::1");
    }

    /** As many and as long as they can be. */
    private static String ranges(String network, String last) {
        int most = last.isEmpty() ? MOST : MOST - 1;
        String each = "\"2001:db8:1111:2222:3333:444%s:%x:1%x00-2001:db8:1111:2222:3333:444%1$s:%2$x:1%3$xff\"";
        return "\"addresses\": [%s], \"excluded\": [%s%s]"
                .formatted(
                        IntStream.range(0, MOST)
                                .mapToObj(i -> each.formatted(network, 0x1000 + i, 0))
                                .collect(joining(",")),
                        IntStream.range(0, most)
                                .mapToObj(i -> each.formatted(network, 0x1000 + i, 1))
                                .collect(joining(",")),
                        last);
    }

    private static String pool(String name, boolean strict, String spec) {
        return object("AddressPool", name, strict, spec);
    }

    private static String policy(boolean strict, String spec) {
        return object("ServiceCIDRPolicy", "cluster", strict, spec);
    }

    private static String object(String kind, String name, boolean strict, String spec) {
        return """
                {"apiVersion": "berth.dev/v1alpha1", "kind": "%s",
                 "metadata": {"name": "%s", "labels": {%s}}, "spec": {%s}}
                """.formatted(kind, name, strict ? "\"strict\": \"true\"" : "", spec);
    }

    /** What the API server says against the update; absent: it would be done. */
    private Optional<String> denialOfUpdate(String object) {
        return Awaitility.await()
                .until(() -> answerToUpdate(object), Optional::isPresent)
                .orElseThrow();
    }

    /** Absent: the operator wrote the status in between, so the API server judged nothing. */
    private Optional<Optional<String>> answerToUpdate(String object) {
        try {
            client.resource(object).dryRun(true).update();
            return Optional.of(Optional.empty());
        } catch (KubernetesClientException denied) {
            return denied.getCode() == HttpURLConnection.HTTP_CONFLICT
                    ? Optional.empty()
                    : Optional.of(Optional.of(String.valueOf(denied.getMessage())));
        }
    }

    private static void assertDenied(Optional<String> denial, @Nullable String message) {
        if (message == null) {
            assertThat(denial).isEmpty();
        } else {
            assertThat(denial).hasValueSatisfying(said -> assertThat(said).contains(message));
        }
    }
}
