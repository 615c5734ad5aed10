package dev.berth.it;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.ip.Ip;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The component strict-validation. Its policies look at nothing but what this class labels. */
@ExtendWith(SharedInstallation.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StrictValidationIT {
    private static final String POOL = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "AddressPool",
             "metadata": {"name": "strict", "labels": {"strict": "true"}}, "spec": {"addresses": ["%s"]}}
            """;
    private static final String GROWTH = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "ServiceCIDRPolicy",
             "metadata": {"name": "cluster", "labels": {"strict": "true"}}, "spec": {"growth": {%s}}}
            """;

    private static final String RESERVATION = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "ClusterIPReservation",
             "metadata": {"name": "strict", "labels": {"strict": "true"}},
             "spec": {"address": "%s", "service": {"namespace": "default", "name": "web"}}}
            """;
    private static final String PEER = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "BGPPeer",
             "metadata": {"name": "strict", "labels": {"strict": "true"}},
             "spec": {"peerAddress": "%s", "peerASN": 64512, "myASN": 64513}}
            """;

    private KubernetesClient client;

    /** What may be in a list of a pool. */
    private static final int MOST = 256;

    @BeforeAll
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
                        && denial(GROWTH.formatted("\"excluded\": [\"10.0.0.0/33\"]"))
                                .isPresent()
                        && denial(RESERVATION.formatted("10.96.0.300")).isPresent()
                        && denial(PEER.formatted("999.9.9.9")).isPresent());
    }

    @AfterEach
    void deleteWhatIsJudged() {
        List.of(AddressPool.class, ServiceCIDRPolicy.class, ClusterIPReservation.class, BGPPeer.class)
                .forEach(kind -> {
                    client.resources(kind).delete();
                    Awaitility.await()
                            .pollDelay(Duration.ZERO)
                            .until(() ->
                                    client.resources(kind).list().getItems().isEmpty());
                });
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
            "ipv4": {"supernets": ["10.0.0.0/28"], "prefixLength": 24} | must fit into each of the supernets
            "ipv4": {"supernets": ["10.0.0.1/8"], "prefixLength": 24}  | host bits are set: 10.0.0.1/8
            "ipv4": {"supernets": ["127.0.0.0/16"], "prefixLength": 24} | no Service can be reached at loopback
            "excluded": ["10.0.0.0/8", "10.300.0.0/16"]                | not a CIDR: 10.300.0.0/16
            """)
    void growthThatBerthWouldRefuse_isRejectedWithItsReason(String growth, String message) {
        assertThat(denial(GROWTH.formatted(growth)))
                .hasValueSatisfying(said -> assertThat(said).contains(message));
    }

    @Test
    void growthThatIsPossible_isAccepted() {
        assertThat(denial(GROWTH.formatted("""
                "ipv4": {"supernets": ["10.0.0.0/8"], "prefixLength": 24},
                "ipv6": {"supernets": ["fd00::/48"], "prefixLength": 112}, "excluded": ["10.1.0.0/16"]
                """))).isEmpty();
    }

    /** By the schema or by a policy. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.96.0.10",
                "10.96.0.300",
                "999.9.9.9",
                "10.96.0",
                "10.96.0.010",
                "fd00:10:96::a",
                "fd00::10:96::a",
                "fd00:1:2:3:4:5:6:7:8",
                "fd00::12345",
                "::ffff:10.96.0.10",
                "::",
                "10.96.0.0/28"
            })
    void oneAddressThatBerthCannotRead_isRejected_andNoOther(String text) {
        boolean isAddress = Ip.find(text).isPresent();
        assertThat(denial(RESERVATION.formatted(text)).isEmpty()).isEqualTo(isAddress);
        assertThat(denial(PEER.formatted(text)).isEmpty()).isEqualTo(isAddress);
        assertThat(denial(peer(
                                "source",
                                true,
                                "\"peerAddress\": \"%s\", \"sourceAddress\": \"%s\""
                                        .formatted(text.contains(":") ? "fd00::1" : "192.0.2.1", text)))
                        .isEmpty())
                .isEqualTo(isAddress);
    }

    @Test
    void whatIsNoAddress_isNamed_withItsField() {
        assertDenied(denial(RESERVATION.formatted("10.96.0.300")), "spec.address is not an address: 10.96.0.300");
        assertDenied(
                denial(peer("both", true, "\"peerAddress\": \"999.9.9.9\", \"sourceAddress\": \"192.0.2.256\"")),
                "not an address: spec.peerAddress 999.9.9.9, spec.sourceAddress 192.0.2.256");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "accepted", textBlock = """
            "peerAddress": "999.9.9.9", "sourceAddress": "192.0.2.1", "peerPort": 1790 | accepted
            "peerAddress": "192.0.2.9", "sourceAddress": "192.0.2.1"                   | accepted
            "peerAddress": "999.9.9.9", "sourceAddress": "999.9.9.9"                   | : spec.sourceAddress 999.9.9.9
            "peerInterface": "eth1"                                                    | accepted
            """)
    void onlyNewAddressesOfAPeer_areJudged(String spec, @Nullable String message) {
        client.resource(peer("old", false, "\"peerAddress\": \"999.9.9.9\"")).create();
        assertDenied(denialOfUpdate(peer("old", true, spec)), message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "accepted", textBlock = """
            "address": "10.96.0.300", "service": {"namespace": "default", "name": "other"} | accepted
            "address": "10.96.0.301", "service": {"namespace": "default", "name": "web"}   | not an address: 10.96.0.301
            """)
    void onlyANewAddressOfAReservation_isJudged(String spec, @Nullable String message) {
        client.resource(reservation(
                        false,
                        "\"address\": \"10.96.0.300\", \"service\": {\"namespace\": \"default\", \"name\": \"web\"}"))
                .create();
        assertDenied(denialOfUpdate(reservation(true, spec)), message);
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
            "growth": {"excluded": ["10.300.0.0/16"]}, "warnings": {"daysUntilFull": 7}  | accepted
            "warnings": {"daysUntilFull": 7}                                          | accepted
            "growth": {"excluded": ["10.300.0.0/17"]}                          | not a CIDR: 10.300.0.0/17
            """)
    void onlyNewGrowth_isJudged(String spec, @Nullable String message) {
        client.resource(policy(false, "\"growth\": {\"excluded\": [\"10.300.0.0/16\"]}"))
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

    private static String reservation(boolean strict, String spec) {
        return object("ClusterIPReservation", "old", strict, spec);
    }

    private static String peer(String name, boolean strict, String spec) {
        return object("BGPPeer", name, strict, spec + ", \"peerASN\": 64512, \"myASN\": 64513");
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
