package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.Conditions;
import dev.berth.kube.Events;
import dev.berth.kube.UnreadableObjects;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Reservations.State;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.testing.Mutation;
import dev.berth.testing.cluster.Line.Fault;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReservationControlTest {
    private static final int SEEDS = Integer.getInteger("property.seeds", 500);
    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final ObjectsInMemory<ClusterIPReservation> objects = new ObjectsInMemory<>();
    private final List<String> written = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private boolean cacheIsLate;
    private int version;
    private final Caches caches = new Caches();
    private final ReservationControl control = control();

    private ReservationControl control() {
        caches.reservations(objects);
        Events recorder = new Events() {
            @Override
            public void normal(About about, Reason reason, String message) {
                throw new IllegalStateException("nothing to say: " + reason);
            }

            @Override
            public void warning(About about, Reason reason, String message) {
                events.add(about.name() + " " + reason);
            }
        };
        return new ReservationControl(
                caches,
                network,
                new ReservationStatuses(this::write, recorder, clock),
                new Backoff(new Random(1)),
                clock.steady());
    }

    @BeforeEach
    void range() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/24"));
    }

    private boolean write(ClusterIPReservation object, ClusterIPReservation.Status status) {
        var ready = Conditions.of(status).getFirst();
        written.add(object.getMetadata().getName() + " " + ready.getStatus() + " " + ready.getReason() + ": "
                + ready.getMessage());
        if (!cacheIsLate) {
            ClusterIPReservation now = JSON.clone(object);
            now.setStatus(status);
            now.getMetadata().setResourceVersion(object.getMetadata().getResourceVersion() + "1");
            objects.put(now);
        }
        return true;
    }

    private void object(String name, int day, String spec) {
        objects.put(JSON.unmarshal("""
                {"metadata": {"name": "%1$s", "uid": "%1$s", "generation": 1, "resourceVersion": "%4$d",
                  "creationTimestamp": "2026-01-%2$02dT00:00:00Z"}, "spec": %3$s}
                """.formatted(name, day, spec, ++version), ClusterIPReservation.class));
    }

    private void reserve(String name, int day, String address, String service) {
        object(
                name,
                day,
                "{\"address\": \"" + address + "\", \"service\": {\"namespace\": \"prod\", \"name\": \"" + service
                        + "\"}}");
    }

    private ReservationControl.Kept keep(Reservation... others) {
        return control.keep(List.of(others), network.serviceCidrs());
    }

    /** As the metric has it. */
    private long unreadable() {
        return Objects.requireNonNull(UnreadableObjects.counts(caches).get("ClusterIPReservation"))
                .get()
                .longValue();
    }

    private List<String> told() {
        keep();
        List<String> now = List.copyOf(written);
        written.clear();
        return now;
    }

    @Test
    void eachSaysWhatBecameOfIt_once() {
        reserve("dns", 1, "10.0.0.10", "dns");
        reserve("web", 2, "192.0.2.1", "web");

        assertThat(told())
                .containsExactlyInAnyOrder(
                        "dns True Reserved: an IPAddress reserves it for Service prod/dns",
                        "web False Refused: 192.0.2.1 is in no ServiceCIDR");
        assertThat(told()).isEmpty();
        assertThat(events).containsExactly("web Refused");
    }

    @Test
    void ofTwoForOneAddress_theOlderCounts_whateverTheirNames() {
        reserve("a", 2, "10.0.0.10", "web");
        reserve("b", 1, "10.0.0.10", "dns");

        assertThat(told())
                .containsExactlyInAnyOrder(
                        "b True Reserved: an IPAddress reserves it for Service prod/dns",
                        "a False Refused: 10.0.0.10 is requested twice, for prod/dns and for prod/web; the first one"
                                + " counts, remove one of them");
    }

    @Test
    void addressThatAnotherServiceHas_isTaken_andItsOwnServiceHasItInUse() {
        network.put(NetworkInMemory.allocated("10.0.0.10", "web"));
        reserve("dns", 1, "10.0.0.10", "dns");
        assertThat(told()).containsExactly("dns False Taken: prod/web has it");

        reserve("dns", 1, "10.0.0.10", "web");
        assertThat(told()).containsExactly("dns True InUse: Service prod/web has it");
    }

    @Test
    void addressThatIsHandedOver_saysForHowLong_byNoClockOfThisProcess() {
        reserve("dns", 1, "10.0.0.10", "dns");
        told();
        var kept = network.live(Ip.parse("10.0.0.10")).orElseThrow();
        network.remove(kept.ip());
        control.released(kept);

        assertThat(told())
                .containsExactly(
                        "dns True HandingOver: its IPAddress was deleted: for 60 s from then on, Service prod/dns"
                                + " can be created with it");
        assertThat(keep().again()).hasValue(clock.steady().instant().plusSeconds(60));
    }

    @Test
    void whatIsKeptWithoutAnObject_isReportedToWhoAskedForIt() {
        reserve("dns", 1, "10.0.0.10", "dns");

        var others = keep(new Reservation("10.0.0.11", new ServiceKey("kube-system", "kube-dns")))
                .others()
                .outcomes();

        assertThat(others)
                .singleElement()
                .satisfies(one -> assertThat(one.state()).isInstanceOf(State.Reserved.class));
        assertThat(network.writes).containsExactly("reserve 10.0.0.10", "reserve 10.0.0.11");
    }

    @Test
    void anObject_comesBeforeWhatIsKeptWithoutOne() {
        reserve("dns", 1, "10.0.0.10", "dns");

        assertThat(keep(new Reservation("10.0.0.10", new ServiceKey("kube-system", "kube-dns")))
                        .others()
                        .outcomes())
                .isEmpty();
        assertThat(told()).containsExactly("dns True Reserved: an IPAddress reserves it for Service prod/dns");
    }

    /** It may name any address. */
    @Test
    void whileOneCannotBeRead_noAddressIsGivenBack() {
        reserve("dns", 1, "10.0.0.10", "dns");
        told();
        for (String spec : List.of(
                "null",
                "{\"service\": {\"namespace\": \"prod\", \"name\": \"dns\"}}",
                "{\"address\": \"10.0.0.10\"}",
                "{\"address\": \"10.0.0.10\", \"service\": {\"name\": \"dns\"}}",
                "{\"address\": [], \"service\": {\"namespace\": \"prod\", \"name\": \"dns\"}}")) {
            object("dns", 1, spec);

            assertThat(told())
                    .as(spec)
                    .singleElement()
                    .satisfies(says -> assertThat(says)
                            .startsWith("dns False Unreadable: ")
                            .endsWith("; until that is corrected it has no effect, and no address is released"));
            assertThat(unreadable()).as(spec).isEqualTo(1);
        }
        assertThat(network.writes).containsExactly("reserve 10.0.0.10");
    }

    @Test
    void whileOneCannotBeRead_anAddressThatIsKeptForAnother_saysWhoStillHasIt() {
        reserve("dns", 1, "10.0.0.10", "dns");
        told();
        object("odd", 2, "null");
        reserve("dns", 1, "10.0.0.10", "web");

        assertThat(told())
                .contains(
                        "dns False Refused: 10.0.0.10 is still reserved for Service prod/dns: nothing is released while a"
                                + " ClusterIPReservation or the ServiceCIDRPolicy cannot be read");
        assertThat(network.writes).containsExactly("reserve 10.0.0.10");
    }

    @Test
    void whatIsKept_staysReserved_whileTheWatchIsLate() {
        network.lag();
        reserve("dns", 1, "10.0.0.10", "dns");
        assertThat(told()).hasSize(1);
        network.fault = Fault.CONFLICT;

        assertThat(told()).isEmpty();
    }

    @Test
    void statusThatTheCacheDoesNotHaveYet_isNotWrittenTwice() {
        reserve("dns", 1, "192.0.2.1", "dns");
        cacheIsLate = true;

        assertThat(told()).hasSize(1);
        clock.pass(Duration.ofSeconds(5));
        assertThat(told()).isEmpty();
        assertThat(events).hasSize(1);
    }

    @Test
    void refusalOfTheApiServer_isSaid_andTriedAgain() {
        reserve("dns", 1, "10.0.0.10", "dns");
        network.fault = Fault.REFUSED;
        assertThat(told()).containsExactly("dns False Refused: 10.0.0.10 cannot be kept: a policy denies it");

        network.fault = Fault.NONE;
        clock.passSeconds(5);
        assertThat(told()).containsExactly("dns True Reserved: an IPAddress reserves it for Service prod/dns");
    }

    @Test
    void objectOfAnotherSchema_isServed_orSaidToBeUnreadable_whateverItSays() {
        JsonNode sample = JSON.unmarshal("""
                {"metadata": {"name": "dns", "uid": "dns", "generation": 1, "resourceVersion": "1",
                   "creationTimestamp": "2026-01-01T00:00:00Z"},
                 "spec": {"address": "10.0.0.10", "service": {"namespace": "prod", "name": "web"}},
                 "status": {"observedGeneration": 1,
                   "conditions": [{"type": "Ready", "status": "True", "reason": "Reserved", "message": "m"}]}}
                """, JsonNode.class);
        for (int seed = 0; seed < SEEDS; seed++) {
            JsonNode odd = new Mutation(new Random(seed), false).of(sample, "spec", "status");
            ClusterIPReservation object = JSON.unmarshal(odd.toString(), ClusterIPReservation.class);
            objects.put(object);
            clock.pass(Duration.ofMinutes(1));

            assertThatCode(this::keep).as("seed %s: %s", seed, odd).doesNotThrowAnyException();
            if (!object.unreadable().isEmpty()) {
                assertThat(written.getLast()).as("seed %s: %s", seed, odd).startsWith("dns False Unreadable");
            }
        }
    }
}
