package dev.berth.it;

import static dev.berth.it.BerthOnCluster.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a ServiceCIDRPolicy has done to the cluster's own ranges, and what it says of them. */
class ClusterAddressesIT {
    private static final String NAMESPACE = "default";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private ControlPlane cluster;
    private Installation berth;

    @BeforeEach
    void install() {
        cluster = ControlPlane.builder().serviceCidrs("10.96.0.0/27").start();
        berth = new Installation(cluster);
        cluster.kubectl("apply", "--filename=src/main/kubernetes/components/cluster-addresses/rbac.yaml");
        berth.startOperator("--service-cidr-controller=Always");
    }

    @AfterEach
    void stop() {
        berth.close();
        cluster.close();
    }

    private KubernetesClient client() {
        return cluster.adminClient();
    }

    private void policy(String spec) {
        client().resource(Serialization.unmarshal(
                        "apiVersion: berth.dev/v1alpha1\nkind: ServiceCIDRPolicy\nmetadata: {name: cluster}\nspec: {"
                                + spec + "}\n",
                        ServiceCIDRPolicy.class))
                .serverSideApply();
    }

    private ServiceCIDRPolicy.Status status() {
        return client().resources(ServiceCIDRPolicy.class)
                .withName(ServiceCIDRPolicy.NAME)
                .get()
                .getStatus();
    }

    private void awaitStatus(Consumer<ServiceCIDRPolicy.Status> asItShallBe) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            assertThat(status()).isNotNull();
            asItShallBe.accept(status());
        });
    }

    private Service createService(String name, @Nullable String ip) {
        return client().resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withClusterIP(ip)
                        .addNewPort()
                        .withPort(80)
                        .endPort()
                        .endSpec()
                        .build())
                .create();
    }

    private void deleteService(String name) {
        client().services().inNamespace(NAMESPACE).withName(name).delete();
    }

    private List<String> cidrs() {
        return client().resources(ServiceCIDR.class).list().getItems().stream()
                .map(cidr -> cidr.getMetadata().getName())
                .sorted()
                .toList();
    }

    @Test
    void status_saysHowFullEachRangeIs_byBand() {
        policy("");
        createService("in-static-band", "10.96.0.5");
        createService("in-dynamic-band", null);

        awaitStatus(status -> {
            assertThat(status.ranges()).singleElement().satisfies(range -> {
                assertThat(range.serviceCidr()).isEqualTo("kubernetes");
                assertThat(range.cidr()).isEqualTo("10.96.0.0/27");
                assertThat(range.state()).isEqualTo("Ready");
                assertThat(range.staticBand().size()).isEqualTo("16");
                assertThat(range.staticBand().allocated()).isEqualTo("2");
                assertThat(range.dynamicBand().size()).isEqualTo("14");
                // And the Service berth-metrics.
                assertThat(range.dynamicBand().allocated()).isEqualTo("2");
                assertThat(range.largestFreeStaticBlock()).isEqualTo("10.96.0.6-10.96.0.16");
            });
            assertThat(condition(status.conditions(), "Sound")).startsWith("True NothingFound");
        });
    }

    @Test
    void rangesThatFillUp_growByDryRunOnlyInWords_untilToldToGrow_andCreatingServicesNeverFails() {
        policy("growth: {ipv4: {supernets: [10.100.0.0/16], prefixLength: 27, threshold: 50, maximum: 3}}");
        for (int i = 0; i < 15; i++) {
            createService("early-" + i, null);
        }
        awaitStatus(status -> {
            assertThat(condition(status.conditions(), "Growth")).startsWith("False DryRun: would make ServiceCIDR");
            assertThat(status.proposed())
                    .singleElement()
                    .extracting(ServiceCIDRPolicy.Proposal::cidr)
                    .isEqualTo("10.100.0.0/27");
        });
        assertThat(cidrs()).containsExactly("kubernetes");

        policy(
                "growth: {dryRun: false, ipv4: {supernets: [10.100.0.0/16], prefixLength: 27, threshold: 50, maximum: 3}}");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(cidrs()).contains("berth-10.100.0.0-27"));
        for (int i = 0; i < 50; i++) {
            createService("late-" + i, null);
        }
        awaitStatus(
                status -> assertThat(condition(status.conditions(), "Growth")).isNotEmpty());
        assertThat(cidrs()).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void retiredRange_drains_listsWhoIsLeft_andIsGoneWhenEmpty() {
        client().resource(Serialization.unmarshal("""
                apiVersion: networking.k8s.io/v1
                kind: ServiceCIDR
                metadata: {name: old}
                spec: {cidrs: [10.101.0.0/27]}
                """, ServiceCIDR.class)).create();
        await().atMost(PATIENCE).ignoreExceptions().until(() -> createService("settled", "10.101.0.20") != null);
        policy("retire: [old]");

        awaitStatus(status -> assertThat(status.retiring()).singleElement().satisfies(range -> {
            assertThat(range.remaining()).isEqualTo(1);
            assertThat(range.first()).singleElement().satisfies(left -> {
                assertThat(left.address()).isEqualTo("10.101.0.20");
                assertThat(left.owner()).isEqualTo("default/settled");
                assertThat(left.needs()).isEqualTo("Recreate");
            });
        }));
        deleteService("settled");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(cidrs()).containsExactly("kubernetes"));
        awaitStatus(
                status -> assertThat(condition(status.conditions(), "Retired")).startsWith("True Gone"));
    }

    @Test
    void reservedAddress_isNobodyElses_andIsHandedOverByDeletingItsIPAddress() {
        policy("reservations: [{address: 10.96.0.10, service: {namespace: default, name: dns}}]");
        awaitStatus(status -> assertThat(status.reservations())
                .singleElement()
                .extracting(ServiceCIDRPolicy.ReservationState::state)
                .isEqualTo("Reserved"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(client().resources(IPAddress.class)
                                .withName("10.96.0.10")
                                .get()
                                .getMetadata()
                                .getLabels())
                        .isEqualTo(Map.of("ipaddress.kubernetes.io/managed-by", "berth.dev")));

        client().resources(IPAddress.class).withName("10.96.0.10").delete();
        createService("dns", "10.96.0.10");
        awaitStatus(status -> assertThat(status.reservations())
                .singleElement()
                .extracting(ServiceCIDRPolicy.ReservationState::state)
                .isEqualTo("InUse"));

        deleteService("dns");
        awaitStatus(status -> assertThat(status.reservations())
                .singleElement()
                .extracting(ServiceCIDRPolicy.ReservationState::state)
                .isEqualTo("Reserved"));
    }
}
