package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.testing.BerthCommand;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What {@code berth audit} says of real clusters. */
@ExtendWith(SharedInstallation.class)
class AuditIT {
    /** In which nobody calls an IPAddress forlorn. */
    private static final Duration FIRST_MINUTE = Duration.ofMinutes(1);

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Each poll starts a JVM. */
    private static final Duration POLL = Duration.ofSeconds(15);

    private static BerthCommand audit(Path kubeconfig, String... flags) {
        return BerthCommand.run(Stream.concat(Stream.of("audit", "--kubeconfig=" + kubeconfig), Stream.of(flags))
                .toArray(String[]::new));
    }

    private static void create(ControlPlane cluster, String yaml) {
        cluster.adminClient().resource(yaml).create();
    }

    private static void createCidr(ControlPlane cluster, String name, String cidr) {
        create(cluster, """
                apiVersion: networking.k8s.io/v1
                kind: ServiceCIDR
                metadata: {name: %s, finalizers: [networking.k8s.io/service-cidr-finalizer]}
                spec: {cidrs: ["%s"]}
                """.formatted(name, cidr));
    }

    /** One who may list, and no more. */
    private static Path reader(ControlPlane cluster) {
        create(cluster, """
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: reader, namespace: default}
                """);
        create(cluster, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata: {name: reader}
                rules:
                - {apiGroups: [networking.k8s.io], resources: [servicecidrs, ipaddresses], verbs: [list]}
                - {apiGroups: [""], resources: [services], verbs: [list]}
                - {apiGroups: [berth.dev], resources: [addresspools], verbs: [list]}
                """);
        create(cluster, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata: {name: reader}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
                subjects: [{kind: ServiceAccount, name: reader, namespace: default}]
                """);
        return cluster.serviceAccountKubeconfig("default", "reader");
    }

    @Test
    void soundCluster_withoutBerth_hasNothingWrong_andSaysSoToWhoMayOnlyList() {
        try (ControlPlane cluster =
                ControlPlane.builder().serviceCidrs("10.96.0.0/27").start()) {
            Path reader = reader(cluster);
            BerthCommand audit = audit(reader);

            assertThat(audit).isEqualTo(new BerthCommand(0, """
                    SERVICECIDR  CIDR          STATE  STATIC        DYNAMIC       LARGEST FREE STATIC BLOCK
                    kubernetes   10.96.0.0/27  Ready  1 of 16 (6%)  0 of 14 (0%)  10.96.0.2-10.96.0.16

                    FAMILY  USED          FREE
                    IPv4    1 of 30 (3%)  29

                    Nothing found in 1 ServiceCIDR, 1 IPAddress, 1 Service (no AddressPools, they are not installed)
                    """, ""));

            cluster.stopApiServer();
            BerthCommand without = audit(reader);
            assertThat(without.exitCode()).isEqualTo(1);
            assertThat(without.err()).startsWith("berth: cannot connect to the API server at " + cluster.url());
        }
    }

    @Test
    void eachFault_isFound_withWhatToType(Installation berth) {
        // It would look after these ranges.
        berth.stopOperator();
        ControlPlane cluster = berth.controlPlane();
        Path reader = reader(cluster);
        create(cluster, """
                    apiVersion: networking.k8s.io/v1
                    kind: IPAddress
                    metadata: {name: 10.96.0.77}
                    spec: {parentRef: {resource: services, namespace: default, name: never-there}}
                    """);
        createCidr(cluster, "wide", "fd00:0:0:100::/56");
        createCidr(cluster, "inner", "10.96.128.0/24");
        berth.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("shop")
                        .endMetadata()
                        .build())
                .create();
        berth.pool("shop", "10.96.3.0/28");

        await().atMost(PATIENCE).pollDelay(FIRST_MINUTE).pollInterval(POLL).untilAsserted(() -> {
            BerthCommand audit = audit(reader);
            assertThat(audit.exitCode()).as(audit.err()).isEqualTo(3);
            assertThat(audit.out())
                    .contains(
                            "IPAddressWithoutParent  IPAddress/10.96.0.77\n",
                            "; kubectl delete ipaddress 10.96.0.77\n",
                            "RangeNeverAllocates  ServiceCIDR/wide\n",
                            "; create another ServiceCIDR, then kubectl delete servicecidr wide\n",
                            "BandsConflict  ServiceCIDR/inner\n",
                            "kubectl annotate servicecidr inner berth.dev/acknowledged=BandsConflict\n",
                            "PoolInServiceCIDR  AddressPool/shop\n",
                            "; remove it: kubectl edit addresspool shop\n",
                            "4 findings in 3 ServiceCIDRs, ");
        });
    }

    @Test
    void fullCluster_isFound_withWhatToType() {
        try (ControlPlane cluster =
                ControlPlane.builder().serviceCidrs("10.96.0.0/28").start()) {
            Path reader = reader(cluster);
            for (int low = 2; low <= 14; low++) {
                create(cluster, """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: s%s, namespace: default}
                        spec: {clusterIP: 10.96.0.%<s, ports: [{port: 80}]}
                        """.formatted(low));
            }

            BerthCommand audit = audit(reader);

            assertThat(audit.exitCode()).as(audit.err()).isEqualTo(3);
            assertThat(audit.out())
                    .contains(
                            "IPv4    14 of 14 (100%)  0\n",
                            "FamilyFull  ServiceCIDR/kubernetes\n    no IPv4 address is free, all 14 are in use: ",
                            " | kubectl create -f -\n",
                            "1 finding in 1 ServiceCIDR, 14 IPAddresses, 14 Services");

            BerthCommand json = audit(reader, "-o", "json");

            assertThat(json.exitCode()).as(json.err()).isEqualTo(3);
            GenericKubernetesResource report = Serialization.unmarshal(json.out(), GenericKubernetesResource.class);
            assertThat(report.<String>get("findings", 0, "reason")).isEqualTo("FamilyFull");
            assertThat(report.<String>get("families", 0, "free")).isEqualTo("0");
        }
    }

    @Test
    void clusterWithoutServiceCidrs_cannotBeLookedAt() {
        try (ControlPlane cluster =
                ControlPlane.builder().version(KubeBinaries.GATED_KUBERNETES).start()) {
            BerthCommand audit = audit(cluster.adminKubeconfig());

            assertThat(audit.exitCode()).isEqualTo(1);
            assertThat(audit.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("berth: the API server serves ServiceCIDR neither in networking.k8s.io/v1 nor in");
            assertThat(audit.out()).isEmpty();
        }
    }
}
