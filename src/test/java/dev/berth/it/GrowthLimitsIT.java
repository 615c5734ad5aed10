package dev.berth.it;

import static dev.berth.it.BerthOnCluster.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.testing.ControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What keeps Berth from making a range: others' networks, and policies of the administrator. */
class GrowthLimitsIT {
    private static ServiceCidrs cidrs;

    @BeforeAll
    static void install() {
        cidrs = new ServiceCidrs(
                ControlPlane.builder()
                        .serviceCidrs("10.96.0.0/29", "fd00:10:96::/125")
                        .apiServerFlag("--endpoint-reconciler-type=lease")
                        .apiServerFlag("--advertise-address=10.104.0.10")
                        .start(),
                "--service-cidr-controller=Always");
    }

    @AfterAll
    static void stop() {
        cidrs.close();
    }

    /** The two policies that Kubernetes' documentation has for ServiceCIDRs. */
    static Stream<Arguments> policies() {
        return Stream.of(
                Arguments.of(
                        "servicecidrs.default",
                        "object.spec.cidrs.all(asked, ['10.96.0.0/16', '2001:db8::/64'].exists(allowed,"
                                + " cidr(allowed).containsCIDR(asked)))",
                        "10.101.0.0"),
                Arguments.of("servicecidrs.deny", "object.metadata.name == 'kubernetes'", "10.102.0.0"));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void rangeThatAPolicyForbids_isACondition_andIsMadeOnceItIsAllowed(
            String policy, String validation, String network) {
        cidrs.forbid(policy, validation);
        cidrs.policy("growth: {dryRun: false, excluded: [10.244.0.0/16],"
                + " ipv4: {supernets: [%s/24], prefixLength: 28, usedPercent: 1, maxRanges: 1}}".formatted(network));
        cidrs.awaitStatus(status -> assertThat(condition(status.conditions(), "Growth"))
                .startsWith("False Forbidden: cannot make ServiceCIDR \"berth-" + network + "-28\"")
                .contains(policy, "ask the network team"));

        cidrs.allow(policy);
        cidrs.awaitReady("berth-" + network + "-28", ServiceCidrs.READY);
        cidrs.awaitStatus(
                status -> assertThat(condition(status.conditions(), "Growth")).doesNotContain("Forbidden"));

        // The next one begins without a range of Berth's.
        cidrs.policy("warnings: {usedPercent: 80}");
        cidrs.retire("berth-" + network + "-28");
        cidrs.awaitGone("berth-" + network + "-28");
    }

    /** The policy that denies all but the default range is of updates, too; and the end of a finalizer is one. */
    @Test
    void rangeThatAPolicyForbidsToChange_saysThatItCannotGo_andGoesOnceItIsAllowed() {
        cidrs.create("settled", "10.103.0.0/28");
        cidrs.awaitReady("settled", ServiceCidrs.READY);
        cidrs.forbid("servicecidrs.frozen", "object.metadata.name == 'kubernetes'");

        cidrs.delete("settled");
        await().untilAsserted(() -> assertThat(BerthOnCluster.events(cidrs.client(), "ServiceCIDR", "settled"))
                .anySatisfy(event -> assertThat(event)
                        .startsWith("Warning KubernetesServiceCIDRError: cannot remove its finalizer")
                        .contains("ask the network team")));
        assertThat(cidrs.find("settled")).isPresent();

        cidrs.allow("servicecidrs.frozen");
        cidrs.awaitGone("settled");
    }

    @Test
    void newRange_hasNotTheAddressOfAnApiServer() {
        cidrs.policy("growth: {ipv4: {supernets: [10.104.0.0/24], prefixLength: 28}}");

        cidrs.awaitStatus(status -> assertThat(status.proposed())
                .singleElement()
                .extracting(ServiceCIDRPolicy.Proposal::cidr)
                .isEqualTo("10.104.0.16/28"));
    }

    @Test
    void newRange_overlapsNoNodes_pods_pools_otherRanges_norWhatTheAdministratorAvoids() {
        cidrs.create("by-hand", "fd00:20::40/126");
        cidrs.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("worker")
                        .endMetadata()
                        .withNewSpec()
                        .withPodCIDR("fd00:20::/124")
                        .withPodCIDRs("fd00:20::/124")
                        .endSpec()
                        .withNewStatus()
                        .addNewAddress("fd00:20::35", "InternalIP")
                        .endStatus()
                        .build())
                .create();
        cidrs.client().resource(Serialization.unmarshal("""
                        apiVersion: berth.dev/v1alpha1
                        kind: AddressPool
                        metadata: {name: edge}
                        spec: {addresses: ['fd00:20::17-fd00:20::19']}
                        """, AddressPool.class)).create();
        cidrs.awaitReady("by-hand", ServiceCidrs.READY);
        cidrs.createServiceOfFamily("six", "IPv6");
        // Says what it knows of, before it is let make anything.
        String growth = "ipv6: {supernets: ['fd00:20::/120'], prefixLength: 124, usedPercent: 1, maxRanges: 1},"
                + " excluded: ['fd00:20::2c/126']";
        cidrs.policy("growth: {" + growth + "}");
        cidrs.awaitStatus(status -> assertThat(status.proposed())
                .singleElement()
                .satisfies(range -> assertThat(range.cidr()).isEqualTo("fd00:20::50/124")));

        cidrs.policy("growth: {dryRun: false, " + growth + "}");

        await().untilAsserted(() -> assertThat(cidrs.all()).contains("fd00:20::50/124"));
        assertThat(cidrs.all())
                .containsExactlyInAnyOrder("10.96.0.0/29", "fd00:10:96::/125", "fd00:20::40/126", "fd00:20::50/124");
    }
}
