package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.IpRange;
import dev.berth.testing.Installation;
import dev.berth.testing.RenderedManifests;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.awaitility.Awaitility;
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
                .until(() -> denial(POOL.formatted("nonsense")).isPresent()
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
}
