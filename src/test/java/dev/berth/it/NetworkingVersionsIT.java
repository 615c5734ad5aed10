package dev.berth.it;

import static dev.berth.it.BerthOnCluster.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.KubeBinaries;
import io.fabric8.kubernetes.api.model.networking.v1beta1.ServiceCIDR;
import io.fabric8.kubernetes.api.model.networking.v1beta1.ServiceCIDRBuilder;
import org.junit.jupiter.api.Test;

/** API servers that have ServiceCIDR and IPAddress in v1beta1, or not at all. */
class NetworkingVersionsIT {
    @Test
    void withoutTheKinds_thePolicySaysSo_andSoDoesAReservation() {
        try (ServiceCidrs cidrs = new ServiceCidrs(
                ControlPlane.builder().version(KubeBinaries.GATED_KUBERNETES).start())) {
            cidrs.policy("warnings: {usedPercent: 80}");

            cidrs.awaitStatus(status -> {
                assertThat(condition(status.conditions(), "Served"))
                        .startsWith("False NotServed: ")
                        .contains("older than Kubernetes 1.31", "MultiCIDRServiceAllocator");
                assertThat(condition(status.conditions(), "Ready")).startsWith("False NotServed");
                assertThat(status.conditions()).hasSize(2);
                assertThat(status.observedGeneration()).isEqualTo(1);
            });
            cidrs.reserve("dns", "10.96.0.10", "dns");
            cidrs.awaitReservation("dns", "False NotServed: ");
        }
    }

    @Test
    void kindsOfV1beta1_areLookedAfter() {
        try (ServiceCidrs cidrs = new ServiceCidrs(
                ControlPlane.builder()
                        .version(KubeBinaries.BETA_KUBERNETES)
                        .serviceCidrs("10.96.0.0/27")
                        .apiServerFlag("--feature-gates=MultiCIDRServiceAllocator=true")
                        .apiServerFlag("--runtime-config=networking.k8s.io/v1beta1=true")
                        .start(),
                "--service-cidr-controller=Always")) {
            cidrs.policy(
                    "growth: {dryRun: false, excluded: [10.244.0.0/16], ipv4: {supernets: [10.101.0.0/24], prefixLength: 28,"
                            + " usedPercent: 1, maxRanges: 1}}");
            cidrs.reserve("dns", "10.96.0.10", "dns");
            cidrs.client()
                    .resource(new ServiceCIDRBuilder()
                            .withNewMetadata()
                            .withName("old")
                            .endMetadata()
                            .withNewSpec()
                            .withCidrs("10.100.0.0/28")
                            .endSpec()
                            .build())
                    .create();

            awaitReady(cidrs, "old");
            awaitReady(cidrs, "kubernetes");
            awaitReady(cidrs, "berth-10.101.0.0-28");
            cidrs.awaitStatus(status -> {
                assertThat(condition(status.conditions(), "Served")).startsWith("True Served");
                assertThat(status.ranges())
                        .extracting(range -> range.cidr() + " " + range.state())
                        .containsExactlyInAnyOrder("10.96.0.0/27 Ready", "10.100.0.0/28 Ready", "10.101.0.0/28 Ready");
            });

            cidrs.awaitReservation("dns", "True Reserved");

            cidrs.policy("warnings: {usedPercent: 80}");
            cidrs.retire("old");
            await().untilAsserted(() -> assertThat(cidrs.client()
                            .resources(ServiceCIDR.class)
                            .withName("old")
                            .get())
                    .isNull());
        }
    }

    private static void awaitReady(ServiceCidrs cidrs, String name) {
        await(name)
                .untilAsserted(() -> assertThat(cidrs.client()
                                .resources(ServiceCIDR.class)
                                .withName(name)
                                .get())
                        .isNotNull()
                        .satisfies(cidr -> {
                            assertThat(cidr.getMetadata().getFinalizers()).containsExactly(ServiceCidrs.FINALIZER);
                            assertThat(ServiceCidrs.inOneWording(
                                            condition(cidr.getStatus().getConditions(), "Ready")))
                                    .isEqualTo(ServiceCidrs.READY);
                        }));
    }
}
