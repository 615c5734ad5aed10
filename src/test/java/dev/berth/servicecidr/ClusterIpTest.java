package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterIpTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");

    private static ClusterIp labelled(@Nullable String managedBy, @Nullable String family) {
        return new ClusterIp(Ip.parse("10.0.0.1"), "uid", managedBy, family, Parent.of(WEB), Sample.START);
    }

    private static ClusterIp named(@Nullable Parent parent) {
        return new ClusterIp(Ip.parse("10.0.0.1"), "uid", null, null, parent, Sample.START);
    }

    @Test
    void theAllocatorsOwn_hasBothOfItsLabels() {
        assertThat(labelled("ipallocator.k8s.io", "IPv4").ofAllocator()).isTrue();
        assertThat(labelled("ipallocator.k8s.io", "IPv6").ofAllocator()).isFalse();
        assertThat(labelled("ipallocator.k8s.io", null).ofAllocator()).isFalse();
        assertThat(labelled("example.org", "IPv4").ofAllocator()).isFalse();
        assertThat(labelled(null, "IPv4").ofAllocator()).isFalse();
    }

    @Test
    void theRepairLoopTouches_whatIsManagedByTheAllocator_whateverItsFamilyLabelSays() {
        assertThat(labelled("ipallocator.k8s.io", null).isManagedByAllocator()).isTrue();
        assertThat(labelled("berth.dev", "IPv4").isManagedByAllocator()).isFalse();
    }

    @Test
    void aReservation_isManagedByBerth() {
        assertThat(labelled("berth.dev", "IPv4").isReservation()).isTrue();
        assertThat(labelled("ipallocator.k8s.io", "IPv4").isReservation()).isFalse();
    }

    @Test
    void theOwner_isAServiceByItsName_orWhatTheParentIs_orNobody() {
        assertThat(named(Parent.of(WEB)).owner()).isEqualTo("prod/web");
        assertThat(named(new Parent("gateway.networking.k8s.io", "gateways", "prod", "edge"))
                        .owner())
                .isEqualTo("gateways.gateway.networking.k8s.io prod/edge");
        assertThat(named(null).owner()).isEqualTo("nobody");
    }

    @Test
    void anIndex_knowsTheReservations_asObjectsComeAndGo() {
        ClusterIps ips = new ClusterIps();
        ClusterIp reservation = Sample.reserved("10.0.0.7", WEB);
        ips.put(Sample.ip("10.0.0.1"));
        ips.put(reservation);
        assertThat(ips.reservations()).containsExactly(reservation);

        ips.put(Sample.ip("10.0.0.7"));
        assertThat(ips.reservations()).as("another took its place").isEmpty();

        ips.put(reservation);
        ips.remove(reservation.ip());
        assertThat(ips.reservations()).isEmpty();

        ips.put(reservation);
        ips.replaceAll(List.of(Sample.ip("10.0.0.2")));
        assertThat(ips.reservations()).isEmpty();
    }
}
