package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.IpRange;
import dev.berth.kube.Caches;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.SampleCidrs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressAuditTest {
    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final AddressAudit audit = new AddressAudit(new Caches(), network, clock, clock.steady());

    private List<String> look() {
        return audit.look(network.serviceCidrs()).stream().map(Finding::name).toList();
    }

    @Test
    void whatIsFoundTwice_isSaid_tenSecondsLater() {
        network.put(SampleCidrs.ready("useless", "fd00::/48"));

        assertThat(look()).isEmpty();
        assertThat(audit.again()).isEqualTo(clock.instant().plusSeconds(10));
        clock.passSeconds(9);
        assertThat(look()).isEmpty();
        clock.passSeconds(1);

        assertThat(look()).containsExactly("useless");
        assertThat(audit.again()).isEqualTo(clock.instant().plusSeconds(60));
    }

    @Test
    void clockThatIsSetBack_keepsNoLookWaiting() {
        network.put(SampleCidrs.ready("useless", "fd00::/48"));
        look();

        clock.set(Duration.ofHours(-1));
        clock.passSeconds(10);

        assertThat(look()).containsExactly("useless");
    }

    @Test
    void whatIsGoneBeforeTheSecondLook_isNeverSaid() {
        network.put(SampleCidrs.ready("useless", "fd00::/48"));
        look();
        network.remove("useless");
        clock.passSeconds(10);

        assertThat(look()).isEmpty();
        assertThat(audit.again()).isEqualTo(clock.instant().plusSeconds(60));
    }

    @Test
    void whatIsPutRight_isUnsaidAMinuteLater() {
        network.put(SampleCidrs.ready("useless", "fd00::/48"));
        look();
        clock.passSeconds(10);
        look();
        network.remove("useless");
        clock.passSeconds(59);
        assertThat(look()).containsExactly("useless");
        clock.passSeconds(1);

        assertThat(look()).isEmpty();
    }

    @Test
    void anotherFinding_isSaidOnceItIsFoundTwice_andTheFirstStays() {
        network.put(SampleCidrs.ready("useless", "fd00::/48"));
        look();
        clock.passSeconds(10);
        look();
        network.put(SampleCidrs.ready("useless-too", "fd01::/48"));
        clock.passSeconds(60);
        assertThat(look()).containsExactly("useless");
        clock.passSeconds(10);

        assertThat(look()).containsExactlyInAnyOrder("useless", "useless-too");
    }

    private static final ExcludedNetwork POD = new ExcludedNetwork("Pod \"shop/cart\"", IpRange.parse("10.0.0.20"));

    @Test
    void aPodInARange_isFound_whereNoNodeNamesItsNetwork() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/24"));
        network.pods.add(POD);

        look();
        clock.passSeconds(10);
        assertThat(audit.look(network.serviceCidrs()))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains("overlaps Pod \"shop/cart\""));

        network.pods.clear();
        clock.passSeconds(300);
        look();
        assertThat(look()).isEmpty();
    }

    /** There may be very many. */
    @Test
    void podsAreListedOnceAnHour_andForEachNewRange() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/24"));
        for (int minute = 0; minute < 60; minute++) {
            look();
            clock.passSeconds(60);
        }
        assertThat(network.liveReads).isEqualTo(1);
        look();
        assertThat(network.liveReads).isEqualTo(2);

        network.put(SampleCidrs.ready("second", "10.0.1.0/24"));
        clock.passSeconds(60);
        look();
        assertThat(network.liveReads).isEqualTo(3);
    }

    @Test
    void clockThatIsSetBack_keepsNoListOfPodsWaiting() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/24"));
        look();
        assertThat(network.liveReads).isEqualTo(1);

        clock.set(Duration.ofDays(-1));
        clock.passSeconds(3600);
        look();

        assertThat(network.liveReads).isEqualTo(2);
    }

    @Test
    void aPodThatWasFound_isSaidOn_whileThePodsCannotBeListed() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/24"));
        network.pods.add(POD);
        look();
        clock.passSeconds(10);
        look();

        network.silent = true;
        clock.passSeconds(300);

        assertThat(audit.look(network.serviceCidrs()))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains("overlaps Pod \"shop/cart\""));
    }

    @Test
    void podsThatCannotBeListed_areAskedForAgainFiveMinutesLater_andTheRestIsFound() {
        network.put(SampleCidrs.ready("useless", "fd00::/48"));
        network.silent = true;

        look();
        clock.passSeconds(10);
        assertThat(look()).containsExactly("useless");
        clock.passSeconds(289);
        look();
        assertThat(network.liveReads).isEqualTo(1);
        clock.passSeconds(60);
        look();
        assertThat(network.liveReads).isEqualTo(2);
    }
}
