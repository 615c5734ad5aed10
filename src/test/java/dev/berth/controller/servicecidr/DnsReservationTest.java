package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.Usage;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DnsReservationTest {
    private static final Ip TENTH = Ip.parse("10.0.0.10");
    private static final ServiceKey DNS = new ServiceKey("kube-system", "kube-dns");

    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final ObjectsInMemory<Service> services = new ObjectsInMemory<>();
    private final DnsReservation reservation = new DnsReservation(caches(), network, clock);

    private Caches caches() {
        Caches caches = new Caches();
        caches.services(services);
        return caches;
    }

    /** 10.0.0.0/27 has a dynamic band of 14. */
    @BeforeEach
    void aRangeThatIsNearlyFull() {
        network.put(SampleCidrs.ready("kubernetes", "10.0.0.0/27"));
        for (int i = 17; i <= 28; i++) {
            network.put(NetworkInMemory.allocated("10.0.0." + i, "of-" + i));
        }
    }

    private List<String> kept(boolean dryRun) {
        var ipv4 = new ServiceCIDRPolicy.FamilyGrowth(List.of("10.100.0.0/16"), 24, 80, 4);
        var growth = new ServiceCIDRPolicy.Growth(dryRun, ipv4, null, List.of("10.244.0.0/16"));
        Usage usage = network.askClusterIps(ips -> Usage.of(network.serviceCidrs(), ips));
        return reservation.of(new ServiceCIDRPolicy.Spec(null, growth), usage).stream()
                .map(one -> one.address() + " " + one.service())
                .toList();
    }

    private List<String> keptAfterAMinute() {
        kept(false);
        clock.passSeconds(60);
        return kept(false);
    }

    @Test
    void whereRangesGrow_theTenthAddress_isKeptForTheDns_onceItWasFreeForAMinute() {
        assertThat(kept(false)).isEmpty();
        clock.passSeconds(59);
        assertThat(kept(false)).isEmpty();
        clock.passSeconds(1);
        assertThat(kept(false)).containsExactly("10.0.0.10 kube-system/kube-dns");
    }

    @Test
    void whatIsKept_staysSo_alsoAfterARestart_andWhenThereIsRoomAgain() {
        network.reserve(TENTH, DNS);
        for (int i = 17; i <= 28; i++) {
            network.remove(Ip.parse("10.0.0." + i));
        }

        assertThat(kept(false)).containsExactly("10.0.0.10 kube-system/kube-dns");
    }

    @Test
    void inADryRun_orWhileThereIsRoom_nothingIsKept() {
        kept(true);
        clock.passSeconds(60);
        assertThat(kept(true)).isEmpty();
        network.remove(Ip.parse("10.0.0.17"));
        assertThat(keptAfterAMinute()).isEmpty();
    }

    @Test
    void anAddressThatSomebodyHas_isNotKept() {
        network.put(NetworkInMemory.allocated("10.0.0.10", "coredns"));

        assertThat(keptAfterAMinute()).isEmpty();
    }

    @Test
    void aDnsThatIsThere_needsNothingKept() {
        services.put(new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("kube-dns")
                .endMetadata()
                .build());

        assertThat(keptAfterAMinute()).isEmpty();
    }

    @Test
    void aRangeWithoutStaticBand_keepsNothing() {
        network.put(SampleCidrs.ready("kubernetes", "10.0.0.0/28"));
        for (int i = 1; i <= 9; i++) {
            network.put(NetworkInMemory.allocated("10.0.0." + i, "of-" + i));
        }
        for (int i = 11; i <= 14; i++) {
            network.put(NetworkInMemory.allocated("10.0.0." + i, "of-" + i));
        }

        assertThat(keptAfterAMinute()).isEmpty();
    }
}
