package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.Parent;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Reservations.State;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.testing.cluster.Line.Fault;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AddressReservationsTest {
    private static final Ip IP = Ip.parse("10.0.0.10");
    private static final Reservation DNS = new Reservation(IP.toString(), new ServiceKey("prod", "dns"));

    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final Caches caches = new Caches();
    private final AddressReservations reservations =
            new AddressReservations(caches, network, new Backoff(new Random(1)), clock);

    @BeforeEach
    void range() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/24"));
    }

    private State keep(Reservation wanted) {
        return reservations
                .keep(List.of(wanted), network.serviceCidrs(), true)
                .outcomes()
                .getFirst()
                .state();
    }

    /** As the cache knows it. */
    private void serviceThatHas(String name, Ip ip) {
        Service service = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName(name)
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .endMetadata()
                .withNewSpec()
                .withClusterIPs(ip.toString())
                .endSpec()
                .build();
        ObjectsInMemory<Service> services = new ObjectsInMemory<>();
        services.put(service);
        caches.services(services);
    }

    /** Made while the Service's own IPAddress was missing. */
    private void objectOfBerthsFor(String service) {
        network.put(new ClusterIp(
                IP, "u", ClusterIp.BERTH, null, Parent.of(new ServiceKey("prod", service)), NetworkInMemory.START));
    }

    /** As the watch reports it, after it happened. */
    private void somebodyDeletes(Ip ip) {
        ClusterIp gone = network.live(ip).orElseThrow();
        network.remove(ip);
        reservations.released(gone);
    }

    @Test
    void addressThatIsAskedFor_isKept_byAnObjectOfBerths() {
        assertThat(keep(DNS)).isEqualTo(new State.Reserved(IP));
        assertThat(keep(DNS)).isEqualTo(new State.Reserved(IP));

        assertThat(network.writes).containsExactly("reserve 10.0.0.10");
        assertThat(network.live(IP).flatMap(ClusterIp::service)).hasValue(new ServiceKey("prod", "dns"));
    }

    @Test
    void objectThatSomebodyDeleted_isNotMadeAgainForAMinute() {
        keep(DNS);
        somebodyDeletes(IP);

        assertThat(keep(DNS)).isEqualTo(new State.HandingOver(clock.instant().plusSeconds(60)));
        clock.passSeconds(59);
        assertThat(keep(DNS)).isInstanceOf(State.HandingOver.class);
        assertThat(network.writes).hasSize(1);

        clock.passSeconds(1);
        assertThat(keep(DNS)).isEqualTo(new State.Reserved(IP));
        assertThat(network.writes).hasSize(2);
    }

    @Test
    void objectThatIsDeletedHere_handsNothingOver() {
        keep(DNS);
        ClusterIp ours = network.live(IP).orElseThrow();
        reservations.keep(List.of(), network.serviceCidrs(), true);
        reservations.released(ours);

        assertThat(network.writes).containsExactly("reserve 10.0.0.10", "release 10.0.0.10");
        assertThat(keep(DNS)).as("made again at once").isEqualTo(new State.Reserved(IP));
    }

    @Test
    void objectThatCouldNotBeDeletedHere_isHandedOver_whenSomebodyElseDeletesIt() {
        keep(DNS);
        network.fault = Fault.REFUSED;
        reservations.keep(List.of(), network.serviceCidrs(), true);
        network.fault = Fault.NONE;
        somebodyDeletes(IP);

        assertThat(keep(DNS)).isInstanceOf(State.HandingOver.class);
    }

    @Test
    void addressOfAnothersObject_handsNothingOver_whenThatIsGone() {
        network.put(NetworkInMemory.allocated("10.0.0.10", "other"));
        assertThat(keep(DNS)).isEqualTo(new State.Taken("prod/other"));

        somebodyDeletes(IP);

        assertThat(keep(DNS)).isEqualTo(new State.Reserved(IP));
    }

    @Test
    void addressThatIsKeptForAnotherServiceNow_isReleasedFirst() {
        keep(DNS);
        Reservation web = new Reservation(IP.toString(), new ServiceKey("prod", "web"));

        assertThat(keep(web)).isEqualTo(new State.Reserved(IP));

        assertThat(network.writes).containsExactly("reserve 10.0.0.10", "release 10.0.0.10", "reserve 10.0.0.10");
        assertThat(network.live(IP).flatMap(ClusterIp::service)).hasValue(new ServiceKey("prod", "web"));
    }

    @Test
    void whereNobodyAsksForAny_allAreReleased_andNobodyElsesAre() {
        keep(DNS);
        network.put(NetworkInMemory.allocated("10.0.0.20", "settled"));
        network.put(new ClusterIp(
                Ip.parse("10.0.0.21"),
                "u",
                "example.org",
                null,
                new Parent("example.org", "boats", "", "b"),
                NetworkInMemory.START));

        reservations.releaseAll();

        assertThat(network.writes).containsExactly("reserve 10.0.0.10", "release 10.0.0.10");
        assertThat(network.live(Ip.parse("10.0.0.20"))).isPresent();
        assertThat(network.live(Ip.parse("10.0.0.21"))).isPresent();
    }

    @Test
    void releaseThatFails_isTriedAgainLater_andIsInTheWayOfAnotherReservation() {
        keep(DNS);
        network.fault = Fault.REFUSED;
        Reservation web = new Reservation(IP.toString(), new ServiceKey("prod", "web"));

        var kept = reservations.keep(List.of(web), network.serviceCidrs(), true);

        assertThat(kept.outcomes().getFirst().state())
                .isEqualTo(new State.Refused("IPAddress 10.0.0.10, which keeps the address for Service prod/dns,"
                        + " cannot be deleted: a policy denies it"));
        assertThat(reservations.again(kept)).isPresent();
        keep(web);
        assertThat(network.writes).containsExactly("reserve 10.0.0.10", "release 10.0.0.10");

        clock.passSeconds(5);
        network.fault = Fault.NONE;
        assertThat(keep(web)).isEqualTo(new State.Reserved(IP));
    }

    @Test
    void whereNotAllThatIsAskedForIsKnown_nothingIsReleased() {
        keep(DNS);

        reservations.keep(List.of(), network.serviceCidrs(), false);

        assertThat(network.writes).containsExactly("reserve 10.0.0.10");
    }

    @Test
    void releaseThatFailed_isNotDue_whileNothingIsReleased() {
        keep(DNS);
        network.fault = Fault.REFUSED;
        reservations.keep(List.of(), network.serviceCidrs(), true);
        network.fault = Fault.NONE;
        clock.passSeconds(10);

        assertThat(reservations.again(reservations.keep(List.of(), network.serviceCidrs(), false)))
                .isEmpty();
    }

    @Test
    void objectThatIsAnotherByNow_isLeft() {
        keep(DNS);
        network.fault = Fault.CONFLICT;

        assertThat(reservations.releaseAll()).isEmpty();
    }

    @Test
    void whatCannotBeListed_isTriedAgain_laterEachTime() {
        network.silent = true;

        assertThat(reservations.releaseAll())
                .hasValueSatisfying(again -> assertThat(again)
                        .isBetween(
                                clock.instant().plusMillis(4_500),
                                clock.instant().plusSeconds(5)));
        assertThat(reservations.releaseAll())
                .hasValueSatisfying(again -> assertThat(again)
                        .isBetween(
                                clock.instant().plusSeconds(9), clock.instant().plusSeconds(10)));
    }

    @Test
    void addressThatItsServiceHas_isInUse_thoughTheIpAddressIsMissing() {
        serviceThatHas("dns", IP);

        assertThat(keep(DNS)).isEqualTo(new State.InUse());
        assertThat(network.writes).isEmpty();
    }

    @Test
    void addressThatAnotherServiceHas_isTaken_thoughTheIpAddressIsMissing() {
        serviceThatHas("web", IP);

        assertThat(keep(DNS)).isEqualTo(new State.Taken("prod/web"));
        assertThat(network.writes).isEmpty();
    }

    @Test
    void objectOfAnAddressThatAServiceHas_isNotDeleted_whoeverAsksForItNow() {
        objectOfBerthsFor("dns");
        serviceThatHas("dns", IP);

        reservations.keep(List.of(), network.serviceCidrs(), true);
        Reservation web = new Reservation(IP.toString(), new ServiceKey("prod", "web"));
        assertThat(keep(web)).isEqualTo(new State.Taken("prod/dns"));
        reservations.releaseAll();

        assertThat(network.writes).isEmpty();
    }

    @Test
    void objectForOneService_whoseAddressAnotherHas_isNotDeleted() {
        objectOfBerthsFor("dns");
        serviceThatHas("web", IP);

        reservations.keep(List.of(), network.serviceCidrs(), true);
        reservations.releaseAll();

        assertThat(network.writes).isEmpty();
    }

    @Test
    void addressThatSomebodyTookMeanwhile_waitsForTheWatchToTellWho() {
        network.lag();
        network.put(NetworkInMemory.allocated("10.0.0.10", "faster"));
        network.fault = Fault.CONFLICT;

        assertThat(keep(DNS)).isEqualTo(new State.Reserve(IP));
    }

    @Test
    void refusal_isTold_andNotRepeatedBeforeItsTime() {
        network.fault = Fault.REFUSED;
        State refused = new State.Refused("10.0.0.10 cannot be kept: a policy denies it");

        assertThat(keep(DNS)).isEqualTo(refused);
        assertThat(keep(DNS)).isEqualTo(refused);
        assertThat(network.writes).hasSize(1);

        clock.passSeconds(5);
        network.fault = Fault.NONE;
        assertThat(keep(DNS)).isEqualTo(new State.Reserved(IP));
    }

    @Test
    void nextTry_isDue_whenTheFirstOfAllIs() {
        network.fault = Fault.REFUSED;
        var kept = reservations.keep(List.of(DNS), network.serviceCidrs(), true);

        assertThat(reservations.again(kept))
                .hasValueSatisfying(again -> assertThat(again)
                        .isBetween(
                                clock.instant().plusMillis(4_500),
                                clock.instant().plusSeconds(5)));

        var none = reservations.keep(List.of(), network.serviceCidrs(), true);
        assertThat(reservations.again(none)).isEmpty();
    }
}
