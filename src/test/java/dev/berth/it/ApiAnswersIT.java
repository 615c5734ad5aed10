package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.ApiBudget;
import dev.berth.kube.Caches;
import dev.berth.kube.FabricClusterNetwork;
import dev.berth.kube.IpAddresses;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a real API server without Berth's kinds answers to what cannot be done, as Berth understands it. */
class ApiAnswersIT {
    private static final ServiceKey WEB = new ServiceKey("default", "web");
    private static final Ip IP = Ip.parse("10.96.0.9");

    private static ControlPlane cluster;
    private static FabricClusterNetwork network;

    @BeforeAll
    static void start() {
        cluster = ControlPlane.builder().serviceCidrs("10.96.0.0/24").start();
        KubernetesClient client = cluster.adminClient();
        network = new FabricClusterNetwork(
                client,
                NetworkingVersion.V1,
                new Caches(),
                new IpAddresses(client, NetworkingVersion.V1, new IpAddresses.Listener() {
                    @Override
                    public void taken(ClusterIp now) {}

                    @Override
                    public void released(ClusterIp before) {}
                }),
                new ApiBudget());
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static <T> T done(Write<T> write) {
        assertThat(write).isInstanceOf(Write.Done.class);
        return ((Write.Done<T>) write).value();
    }

    private static ServiceCidr kubernetes() {
        return ((Read.Found<List<ServiceCidr>>) network.readServiceCidrs())
                .value().stream()
                        .filter(cidr -> cidr.name().equals("kubernetes"))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void kindThatIsMissingAtTheStart_endsTheOperatorWithOneLine() {
        try (OperatorProcess operator = OperatorProcess.start(cluster.adminKubeconfig())) {
            assertThat(operator.exitCode(Patience.USUAL)).as(operator.log()).isEqualTo(1);
            assertThat(operator.log().lines())
                    .singleElement()
                    .asString()
                    .startsWith("berth: ")
                    .contains(
                            "CustomResourceDefinition addresspools.berth.dev is not installed; apply Berth's manifests first");
        }
    }

    @Test
    void writeForAnObjectThatIsAnotherByNow_isAConflict() {
        ClusterIp kept = done(network.reserve(IP, WEB));
        ClusterIp before = new ClusterIp(IP, "gone", kept.managedBy(), null, kept.parent(), kept.created());
        assertThat(network.release(before)).isInstanceOf(Write.Conflict.class);
        assertThat(network.release(kept)).isInstanceOf(Write.Done.class);

        ServiceCidr known = kubernetes();
        ServiceCidr gone = new ServiceCidr(
                known.name(),
                "gone",
                known.ranges(),
                known.unreadable(),
                known.created(),
                null,
                known.ready(),
                known.readySince(),
                known.finalizer(),
                known.madeByBerth(),
                known.acknowledged(),
                known.retire());
        assertThat(network.addFinalizer(gone)).isInstanceOf(Write.Conflict.class);
        assertThat(network.removeFinalizer(gone)).isInstanceOf(Write.Conflict.class);
        assertThat(network.setReady(gone, ReadyCondition.READY, Instant.now())).isInstanceOf(Write.Conflict.class);
        assertThat(network.deleteServiceCidr(gone)).isInstanceOf(Write.Conflict.class);
    }

    @Test
    void creationOfWhatIsThere_isAConflict() {
        ServiceRange range = ServiceRange.parse("10.97.0.0/24");
        done(network.createServiceCidr("twice", range));

        assertThat(network.createServiceCidr("twice", range)).isInstanceOf(Write.Conflict.class);
        assertThat(network.reserve(Ip.parse("10.96.0.1"), WEB)).isInstanceOf(Write.Conflict.class);
    }

    @Test
    void creationThatAPolicyForbids_isRefused_whateverItsMessageSays() {
        cluster.adminClient().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicy
                metadata: {name: guided-networks}
                spec:
                  matchConstraints:
                    resourceRules:
                    - {apiGroups: [networking.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [servicecidrs]}
                  validations:
                  - {expression: "!object.metadata.name.startsWith('guided')", message: "UID: see metadata.uid"}
                """).create();
        cluster.adminClient().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicyBinding
                metadata: {name: guided-networks}
                spec: {policyName: guided-networks, validationActions: [Deny]}
                """).create();

        // A policy takes a moment to be seen.
        Awaitility.await().untilAsserted(() -> {
            String name = "guided-" + System.nanoTime();
            assertThat(network.createServiceCidr(name, ServiceRange.parse("10.98.0.0/24")))
                    .isInstanceOf(Write.Refused.class)
                    .asString()
                    .contains("UID: see metadata.uid");
        });
    }

    /** Why Berth keeps an address back by an IPAddress object of its own, and not by a policy. */
    @Test
    void serviceWhoseAddressAPolicyKeepsBack_isRefused_ratherThanGivenAnother() {
        cluster.adminClient().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicy
                metadata: {name: keep-odd-addresses}
                spec:
                  matchConstraints:
                    resourceRules:
                    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [services]}
                  matchConditions:
                  - {name: guided, expression: "object.metadata.name.startsWith('any-address-')"}
                  validations:
                  - expression: "object.spec.clusterIPs.all(ip, int(ip.split('.')[3]) % 2 == 0)"
                    message: is withheld
                """).create();
        cluster.adminClient().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicyBinding
                metadata: {name: keep-odd-addresses}
                spec: {policyName: keep-odd-addresses, validationActions: [Deny]}
                """).create();
        AtomicInteger odd = new AtomicInteger(21);
        // A policy takes a moment to be seen.
        Awaitility.await().untilAsserted(() -> {
            int next = odd.getAndAdd(2);
            assertThat(create("any-address-odd-" + next, "10.96.0." + next))
                    .hasValueSatisfying(refusal -> assertThat(refusal).contains("is withheld"));
        });

        List<Optional<String>> refusals = IntStream.range(0, 40)
                .mapToObj(i -> create("any-address-" + i, null))
                .toList();

        assertThat(refusals).filteredOn(Optional::isPresent).isNotEmpty();
        assertThat(refusals).filteredOn(Optional::isEmpty).isNotEmpty();
    }

    /** Why a Service is refused; empty: it is created. */
    private static Optional<String> create(String name, @Nullable String clusterIp) {
        try {
            cluster.adminClient()
                    .resource(new ServiceBuilder()
                            .withNewMetadata()
                            .withNamespace("default")
                            .withName(name)
                            .endMetadata()
                            .withNewSpec()
                            .withClusterIP(clusterIp)
                            .addNewPort()
                            .withPort(80)
                            .endPort()
                            .endSpec()
                            .build())
                    .create();
            return Optional.empty();
        } catch (KubernetesClientException refusal) {
            return Optional.of(String.valueOf(refusal.getMessage()));
        }
    }
}
