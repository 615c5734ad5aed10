package dev.berth.it;

import static dev.berth.it.BerthOnCluster.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.testing.ControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
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

    private static void put(String yaml) {
        cidrs.client()
                .resource(Serialization.unmarshal(yaml, GenericKubernetesResource.class))
                .create();
    }

    private static void forbid(String name, String validation) {
        put("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicy
                metadata: {name: %s}
                spec:
                  failurePolicy: Fail
                  matchConstraints:
                    resourceRules:
                    - apiGroups: [networking.k8s.io]
                      apiVersions: [v1, v1beta1]
                      operations: [CREATE, UPDATE]
                      resources: [servicecidrs]
                  matchConditions:
                  - {name: exclude-default, expression: "object.metadata.name != 'kubernetes'"}
                  validations:
                  - {expression: "%s", message: ask the network team}
                """.formatted(name, validation));
        put("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicyBinding
                metadata: {name: %1$s}
                spec: {policyName: %1$s, validationActions: [Deny, Audit]}
                """.formatted(name));
        awaitDenied(name);
    }

    /** A policy takes a moment to be in force. */
    private static void awaitDenied(String name) {
        await(name)
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThatThrownBy(() -> cidrs.client()
                                .resource(ServiceCidrs.object("probe", "172.20.0.0/28"))
                                .dryRun()
                                .create())
                        .hasMessageContaining("ask the network team"));
    }

    private static void allow(String name) {
        cidrs.cluster().kubectl("delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", name);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void rangeThatAPolicyForbids_isACondition_andIsMadeOnceItIsAllowed(
            String policy, String validation, String network) {
        forbid(policy, validation);
        cidrs.policy("growth: {dryRun: false, ipv4: {supernets: [%s/24], prefixLength: 28, threshold: 1, maximum: 1}}"
                .formatted(network));
        cidrs.awaitStatus(status -> assertThat(condition(status.conditions(), "Growth"))
                .startsWith("False Forbidden: cannot make ServiceCIDR \"berth-" + network + "-28\"")
                .contains(policy, "ask the network team"));

        allow(policy);
        cidrs.awaitReady("berth-" + network + "-28", ServiceCidrs.READY);
        cidrs.awaitStatus(
                status -> assertThat(condition(status.conditions(), "Growth")).doesNotContain("Forbidden"));

        // The next one begins without a range of Berth's.
        cidrs.policy("retire: [berth-" + network + "-28]");
        cidrs.awaitGone("berth-" + network + "-28");
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
        cidrs.createService("six", "IPv6");
        // Says what it knows of, before it is let make anything.
        String growth = "ipv6: {supernets: ['fd00:20::/120'], prefixLength: 124, threshold: 1, maximum: 1},"
                + " avoid: ['fd00:20::2c/126']";
        cidrs.policy("growth: {" + growth + "}");
        cidrs.awaitStatus(status -> assertThat(status.proposed())
                .singleElement()
                .satisfies(range -> assertThat(range.cidr()).isEqualTo("fd00:20::50/124")));

        cidrs.policy("growth: {dryRun: false, " + growth + "}");

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(cidrs.all()).contains("fd00:20::50/124"));
        assertThat(cidrs.all())
                .containsExactlyInAnyOrder("10.96.0.0/29", "fd00:10:96::/125", "fd00:20::40/126", "fd00:20::50/124");
    }
}
