package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.berth.ip.Ip;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.testing.ControlPlane;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An API server that is started again with another {@code --service-cluster-ip-range}, beside a Berth that is the
 * ServiceCIDR controller all the time: upstream's migration scenarios.
 */
class ServiceCidrMigrationIT {
    private static final String IPV4 = "10.0.0.0/29";
    private static final String MORE_IPV4 = "10.1.0.0/16";
    private static final String IPV6 = "2001:db8:1::/125";
    private static final String MORE_IPV6 = "2001:db8:2::/112";
    private static final String DEFAULT = "kubernetes";

    private static ControlPlane.Builder server(String... cidrs) {
        return ControlPlane.builder().serviceCidrs(cidrs).apiServerFlag(advertised(cidrs));
    }

    /** It has to be of the primary family. */
    private static String advertised(String... cidrs) {
        return "--advertise-address=" + (cidrs[0].contains(":") ? "2001:db8::10" : "10.9.0.10");
    }

    private static void restart(ControlPlane cluster, String... cidrs) {
        cluster.restartApiServer("--service-cluster-ip-range=" + String.join(",", cidrs), advertised(cidrs));
    }

    /**
     * One start of the API server with other ranges, after one with those of its journey.
     *
     * @param applied whether ServiceCIDR kubernetes is as the flags say then; else it stays as it was
     */
    record Migration(List<String> to, boolean applied) {
        static Migration applied(String... to) {
            return new Migration(List.of(to), true);
        }

        static Migration notApplied(String... to) {
            return new Migration(List.of(to), false);
        }
    }

    /** Starts of one API server. Only the last may change the ServiceCIDR, so that each one begins with {@code from}. */
    record Journey(List<String> from, List<Migration> migrations) {}

    static Stream<Journey> journeys() {
        return Stream.of(
                new Journey(
                        List.of(IPV4),
                        List.of(
                                Migration.applied(IPV4),
                                Migration.notApplied(IPV6),
                                Migration.notApplied(MORE_IPV6, IPV4),
                                Migration.applied(IPV4, MORE_IPV6))),
                new Journey(
                        List.of(IPV6),
                        List.of(
                                Migration.applied(IPV6),
                                Migration.notApplied(IPV4),
                                Migration.notApplied(MORE_IPV4, IPV6),
                                Migration.applied(IPV6, MORE_IPV4))),
                new Journey(
                        List.of(IPV4, IPV6),
                        List.of(
                                Migration.applied(IPV4, IPV6),
                                Migration.notApplied(IPV6, IPV4),
                                Migration.notApplied(IPV4),
                                Migration.notApplied(IPV6))),
                new Journey(
                        List.of(IPV6, IPV4), List.of(Migration.applied(IPV6, IPV4), Migration.notApplied(IPV4, IPV6))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("journeys")
    void otherFlags_leaveServicesAlone_andTheDefaultRangeIsReady(Journey journey) {
        String[] from = journey.from().toArray(String[]::new);
        try (ServiceCidrs cidrs = new ServiceCidrs(server(from).start(), "--service-cidr-controller=Always")) {
            cidrs.awaitReady(DEFAULT, ServiceCidrs.READY);
            for (Migration migration : journey.migrations()) {
                Service before = cidrs.createService("before");
                assertThat(before.getSpec().getClusterIPs())
                        .allSatisfy(ip -> assertThat(isIn(ip, journey.from())).isTrue());

                restart(cidrs.cluster(), migration.to().toArray(String[]::new));
                check(cidrs, journey, migration, before);

                cidrs.deleteService("before");
                cidrs.deleteService("after");
                if (!migration.applied()) {
                    restart(cidrs.cluster(), from);
                }
            }
        }
    }

    /** Waits until the default range has these CIDRs, and is ready. */
    private static void awaitDefault(ServiceCidrs cidrs, List<String> expected) {
        await("the default range, " + expected)
                .untilAsserted(() -> assertThat(cidrs.find(DEFAULT))
                        .hasValueSatisfying(
                                cidr -> assertThat(cidr.getSpec().getCidrs()).isEqualTo(expected)));
        cidrs.awaitReady(DEFAULT, ServiceCidrs.READY);
    }

    private static void check(ServiceCidrs cidrs, Journey journey, Migration migration, Service before) {
        List<String> expected = migration.applied() ? migration.to() : journey.from();
        awaitDefault(cidrs, expected);
        assertThat(cidrs.service("before"))
                .as("%s leaves a Service its addresses", migration)
                .isNotNull()
                .extracting(service -> service.getSpec().getClusterIPs())
                .isEqualTo(before.getSpec().getClusterIPs());
        if (migration.applied()) {
            assertThat(isIn(clusterIp(cidrs.createService("after")), expected))
                    .as("%s gives a new Service an address", migration)
                    .isTrue();
        } else {
            assertRefusedOrFrom(cidrs, expected, migration);
        }
    }

    /** What is not applied has to be put right by a person; until then no address comes from nowhere. */
    private static void assertRefusedOrFrom(ServiceCidrs cidrs, List<String> expected, Migration migration) {
        KubernetesClientException refusal = catchThrowableOfType(
                KubernetesClientException.class,
                () -> assertThat(isIn(clusterIp(cidrs.createService("after")), expected))
                        .as("%s gives a new Service an address of a ServiceCIDR", migration)
                        .isTrue());
        if (refusal != null) {
            assertThat(refusal).hasMessageContaining("failed to allocate");
        }
    }

    private static String clusterIp(Service service) {
        return service.getSpec().getClusterIP();
    }

    private static boolean isIn(String ip, List<String> cidrs) {
        return cidrs.stream().anyMatch(cidr -> ServiceRange.parse(cidr).contains(Ip.parse(ip)));
    }

    @Test
    void aPolicyThatForbidsRanges_letsTheDefaultOneBecomeDualStack_andBeReady() {
        try (ServiceCidrs cidrs = new ServiceCidrs(server(IPV4).start(), "--service-cidr-controller=Always")) {
            cidrs.awaitReady(DEFAULT, ServiceCidrs.READY);
            cidrs.forbid("servicecidrs.deny", "object.metadata.name == 'kubernetes'");

            restart(cidrs.cluster(), IPV4, MORE_IPV6);

            awaitDefault(cidrs, List.of(IPV4, MORE_IPV6));
            assertThatThrownBy(() -> cidrs.create("another", MORE_IPV4)).hasMessageContaining("ask the network team");
            cidrs.allow("servicecidrs.deny");
            cidrs.create("another", MORE_IPV4);
            cidrs.awaitReady("another", ServiceCidrs.READY);
        }
    }

    @Test
    void clusterIsRenumbered_toTheDefaultRange() {
        String old = "192.168.0.0/29";
        String now = "10.168.0.0/24";
        try (ServiceCidrs cidrs = new ServiceCidrs(server(old).start(), "--service-cidr-controller=Always")) {
            cidrs.awaitReady(DEFAULT, ServiceCidrs.READY);
            cidrs.createService("one");
            cidrs.createService("two");
            // Of the manifests; nothing listens there in this test.
            cidrs.client().services().inNamespace("berth-system").delete();
            cidrs.policy("warnings: {usedPercent: 80}");
            cidrs.retire(DEFAULT);

            cidrs.create("migration", now);
            cidrs.awaitReady("migration", ServiceCidrs.READY);
            cidrs.awaitStatus(status -> assertThat(BerthOnCluster.condition(status.conditions(), "Retired"))
                    .startsWith("False RetirementRefused")
                    .contains("kubectl delete servicecidr kubernetes"));
            cidrs.delete(DEFAULT);
            cidrs.awaitReady(DEFAULT, ServiceCidrs.WAITS);
            cidrs.awaitStatus(status -> assertThat(status.retiring())
                    .singleElement()
                    .satisfies(range -> {
                        assertThat(range.remaining()).isEqualTo(3);
                        assertThat(range.first())
                                .extracting(left -> left.owner() + " " + left.needs())
                                .containsExactlyInAnyOrder(
                                        "default/kubernetes APIServerFlags",
                                        "default/one Recreate",
                                        "default/two Recreate");
                    }));
            for (String name : List.of("one", "two")) {
                cidrs.deleteService(name);
                assertThat(isIn(clusterIp(cidrs.createService(name)), List.of(now)))
                        .isTrue();
            }

            restart(cidrs.cluster(), now);
            cidrs.deleteService("kubernetes");

            awaitDefault(cidrs, List.of(now));
            await("the API server's own Service")
                    .untilAsserted(() -> assertThat(cidrs.service("kubernetes"))
                            .isNotNull()
                            .extracting(ServiceCidrMigrationIT::clusterIp)
                            .isEqualTo("10.168.0.1"));
            cidrs.retire("migration");
            cidrs.awaitGone("migration");
            assertThat(cidrs.all()).containsExactly(now);
        }
    }
}
