package dev.berth.it;

import static dev.berth.it.BerthOnCluster.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.servicecidr.Reservations;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a ServiceCIDRPolicy has done to the cluster's own ranges, and what it says of them. */
class ClusterAddressesIT {
    private static ServiceCidrs cluster;

    @BeforeAll
    static void install() {
        cluster = ServiceCidrs.noted(
                ControlPlane.builder().serviceCidrs("10.96.0.0/27").start(), "--service-cidr-controller=Always");
    }

    @AfterEach
    void reset() {
        cluster.reset();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private List<String> cidrs() {
        return cluster.client().resources(ServiceCIDR.class).list().getItems().stream()
                .map(cidr -> cidr.getMetadata().getName())
                .sorted()
                .toList();
    }

    @Test
    void status_saysHowFullEachRangeIs_byBand() {
        cluster.policy("");
        cluster.createService("in-static-band", "10.96.0.5");
        cluster.createService("in-dynamic-band");

        cluster.awaitStatus(status -> {
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
            assertThat(condition(status.conditions(), "Healthy")).startsWith("True NothingFound");
        });
    }

    @Test
    void rangesThatFillUp_growByDryRunOnlyInWords_untilToldToGrow_andCreatingServicesNeverFails_upToTheMaximum() {
        cluster.policy("growth: {ipv4: {supernets: [10.100.0.0/16], prefixLength: 27, usedPercent: 50, maxRanges: 3}}");
        for (int i = 0; i < 15; i++) {
            cluster.createService("early-" + i);
        }
        cluster.awaitStatus(status -> {
            assertThat(condition(status.conditions(), "Growth")).startsWith("False DryRun: would create ServiceCIDR");
            assertThat(status.proposed())
                    .singleElement()
                    .extracting(ServiceCIDRPolicy.Proposal::cidr)
                    .isEqualTo("10.100.0.0/27");
        });
        assertThat(cidrs()).containsExactly("kubernetes");

        cluster.policy(
                "growth: {dryRun: false, excluded: [10.244.0.0/16], ipv4: {supernets: [10.100.0.0/16], prefixLength: 27, usedPercent: 50, maxRanges: 3}}");
        await().untilAsserted(() -> assertThat(cidrs()).contains("berth-10.100.0.0-27"));
        for (int i = 0; i < 50; i++) {
            cluster.createService("late-" + i);
        }
        // With berth-metrics and kubernetes, 67 of the 120 of four ranges.
        cluster.awaitStatus(status -> assertThat(condition(status.conditions(), "Growth"))
                .startsWith("False MaximumReached: 55 percent of the IPv4 addresses are in use, and Berth has made 3"));
        assertThat(cidrs())
                .containsExactly("berth-10.100.0.0-27", "berth-10.100.0.32-27", "berth-10.100.0.64-27", "kubernetes");
        await().untilAsserted(
                        () -> assertThat(events()).anyMatch(event -> event.startsWith("Warning MaximumReached: 5")));
    }

    @Test
    void retiredRange_drains_listsWhoIsLeft_andIsGoneWhenEmpty() {
        cluster.create("old", "10.101.0.0/27");
        cluster.createServiceWhenPossible("settled", "10.101.0.20");
        cluster.retire("old");
        await().untilAsserted(() -> assertThat(BerthOnCluster.events(cluster.client(), "ServiceCIDR", "old"))
                .anyMatch(event -> event.contains("does nothing without a ServiceCIDRPolicy")));
        cluster.annotate("kubernetes", "berth.dev/retire-");
        cluster.policy("warnings: {usedPercent: 80}");

        cluster.awaitStatus(status -> assertThat(status.retiring())
                .singleElement()
                .satisfies(range -> {
                    assertThat(range.remaining()).isEqualTo(1);
                    assertThat(range.first()).singleElement().satisfies(left -> {
                        assertThat(left.address()).isEqualTo("10.101.0.20");
                        assertThat(left.owner()).isEqualTo("default/settled");
                        assertThat(left.needs()).isEqualTo("Recreate");
                    });
                }));
        cluster.deleteService("settled");
        await().untilAsserted(() -> assertThat(cidrs()).containsExactly("kubernetes"));
        cluster.awaitStatus(status -> assertThat(status.retiring()).isNull());

        // Nobody asked for this one to go.
        cluster.create("old", "10.101.0.0/27");
        cluster.awaitStatus(status -> assertThat(status.ranges())
                .anyMatch(range -> range.serviceCidr().equals("old")));
        cluster.awaitStatus(status -> assertThat(status.retiring()).isNull());
        cluster.annotate("old", "berth.dev/retire=yes");
        String refusal =
                "ServiceCIDR \"old\" does not retire: its annotation berth.dev/retire: \"yes\" is neither true nor false";
        cluster.awaitStatus(status ->
                assertThat(condition(status.conditions(), "Retired")).isEqualTo("False RetirementRefused: " + refusal));
        await().untilAsserted(() -> assertThat(BerthOnCluster.events(cluster.client(), "ServiceCIDR", "old"))
                .contains("Warning RetirementRefused: " + refusal));
        assertThat(cluster.find("old"))
                .hasValueSatisfying(range ->
                        assertThat(range.getMetadata().getDeletionTimestamp()).isNull());
    }

    @Test
    void rangeRetires_onceThoseInItFindOtherAddresses_andNoneGoesBesideItThatTheyNeed() {
        cluster.create("old", "10.101.0.0/28");
        List<String> settled = List.of("settled-1", "settled-2", "settled-3");
        for (int i = 0; i < settled.size(); i++) {
            cluster.createServiceWhenPossible(settled.get(i), "10.101.0." + (i + 1));
        }
        fillAllButTwo();

        cluster.policy(
                "growth: {dryRun: false, excluded: [10.244.0.0/16], ipv4: {supernets: [10.100.0.0/16], prefixLength: 28, usedPercent: 100,"
                        + " maxRanges: 1}}");
        cluster.retire("old");
        cluster.awaitStatus(status -> assertThat(condition(status.conditions(), "Retired"))
                .startsWith("False RangeDraining: ServiceCIDR \"old\": 3 addresses in use"));
        assertThat(events()).noneMatch(event -> event.startsWith("Warning Retired"));

        cluster.policy("warnings: {usedPercent: 80}");
        cluster.retire("berth-10.100.0.0-28");
        cluster.awaitStatus(status -> assertThat(condition(status.conditions(), "Retired"))
                .startsWith(
                        "False RetirementRefused: there is no room without ServiceCIDR \"berth-10.100.0.0-28\": of IPv4,"
                                + " 3 addresses would have to move, 2 are free in the ranges that stay")
                .contains("ServiceCIDR \"old\": 3 addresses in use"));

        cluster.annotate("berth-10.100.0.0-28", "berth.dev/retire-");
        settled.forEach(name -> {
            cluster.deleteService(name);
            cluster.createService(name);
        });
        cluster.awaitGone("old");
        assertThat(cidrs()).containsExactly("berth-10.100.0.0-28", "kubernetes");
    }

    /** 10.96.0.0/27 has 30 addresses. */
    private void fillAllButTwo() {
        String metrics = cluster.client()
                .services()
                .inNamespace("berth-system")
                .withName("berth-metrics")
                .get()
                .getSpec()
                .getClusterIP();
        IntStream.rangeClosed(2, 30)
                .mapToObj(low -> "10.96.0." + low)
                .filter(ip -> !ip.equals(metrics))
                .limit(26)
                .forEach(ip -> cluster.createService("at-" + ip.replace('.', '-'), ip));
    }

    private List<String> events() {
        return BerthOnCluster.events(cluster.client(), "ServiceCIDRPolicy", "cluster");
    }

    @Test
    void reservedAddress_isNobodyElses_andIsHandedOverByDeletingItsIPAddress_withoutAPolicy() {
        cluster.reserve("dns", "10.96.0.10", "dns");
        cluster.awaitReservation("dns", "True Reserved: ");
        assertThat(Objects.requireNonNull(ipAddress("10.96.0.10")).getMetadata().getLabels())
                .isEqualTo(Map.of("ipaddress.kubernetes.io/managed-by", "berth.dev"));
        cluster.reserve("too-late", "10.96.0.10", "web");
        cluster.awaitReservation("too-late", "False Refused: 10.96.0.10 is requested twice, for default/dns");

        cluster.client().resources(IPAddress.class).withName("10.96.0.10").delete();
        cluster.createService("dns", "10.96.0.10");
        cluster.awaitReservation("dns", "True InUse: ");

        cluster.deleteService("dns");
        // So long after the deletion of its IPAddress another Service may still be created with it.
        cluster.awaitReservation("dns", "True Reserved: ", Reservations.HANDOVER.plus(Patience.USUAL));

        deleteReservation("dns");
        cluster.awaitReservation("too-late", "True Reserved: ");
        deleteReservation("too-late");
        await().untilAsserted(() -> assertThat(ipAddress("10.96.0.10")).isNull());
    }

    @Test
    void reservation_outlivesThePolicy() {
        cluster.policy("");
        cluster.cluster().kubectl("apply", "-f", "docs/examples/cluster-ip-reservation.yaml");
        cluster.awaitReservation(
                "kube-dns", "True Reserved: an IPAddress reserves it for Service kube-system/kube-dns");
        IPAddress kept = Objects.requireNonNull(ipAddress("10.96.0.10"));

        cluster.client()
                .resources(ServiceCIDRPolicy.class)
                .withName(ServiceCIDRPolicy.NAME)
                .delete();
        try {
            cluster.retire("kubernetes");
            await().untilAsserted(() -> assertThat(BerthOnCluster.events(cluster.client(), "ServiceCIDR", "kubernetes"))
                    .anyMatch(event -> event.contains("does nothing without a ServiceCIDRPolicy")));
        } finally {
            cluster.annotate("kubernetes", "berth.dev/retire-");
        }

        assertThat(Objects.requireNonNull(ipAddress("10.96.0.10")).getMetadata().getUid())
                .isEqualTo(kept.getMetadata().getUid());
    }

    @Test
    void reservationThatWasDeletedWhileBerthWasAway_isGivenBackAtItsNextStart() {
        cluster.reserve("dns", "10.96.0.10", "dns");
        cluster.awaitReservation("dns", "True Reserved: ");

        cluster.whileBerthIsAway(() -> deleteReservation("dns"));

        await().untilAsserted(() -> assertThat(ipAddress("10.96.0.10")).isNull());
    }

    private void deleteReservation(String name) {
        cluster.client().resources(ClusterIPReservation.class).withName(name).delete();
    }

    private @Nullable IPAddress ipAddress(String name) {
        return cluster.client().resources(IPAddress.class).withName(name).get();
    }
}
