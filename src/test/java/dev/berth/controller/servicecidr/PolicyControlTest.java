package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.LoopParts;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timing;
import dev.berth.controller.Wakeups;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.Conditions;
import dev.berth.kube.Events;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.Parent;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.Usage;
import dev.berth.testing.Mutation;
import dev.berth.testing.cluster.Line.Fault;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PolicyControlTest {
    private static final int SEEDS = Integer.getInteger("property.seeds", 500);
    private static final Ip IP = Ip.parse("10.0.0.10");
    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final ObjectsInMemory<ServiceCIDRPolicy> policies = new ObjectsInMemory<>();
    private final List<ServiceCIDRPolicy.Status> written = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> warnedOf = new ArrayList<>();
    private final List<String> figures = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private final List<Duration> delays = new ArrayList<>();
    private final ObjectsInMemory<Service> services = new ObjectsInMemory<>();
    private final ObjectsInMemory<ClusterIPReservation> reservations = new ObjectsInMemory<>();
    private final Caches caches = caches();
    private final Events recorder = new Events() {
        @Override
        public void normal(About about, Reason reason, String message) {
            events.add(reason.name());
        }

        @Override
        public void warning(About about, Reason reason, String message) {
            events.add("warning " + reason);
            warnedOf.add(about.kind());
        }
    };
    private final PolicyControl control = control();
    private boolean refusing;
    private long generation;

    private Caches caches() {
        Caches caches = new Caches();
        caches.reservations(reservations);
        caches.services(services);
        return caches;
    }

    private PolicyControl control() {
        return new PolicyControl(
                new LoopParts(caches, new StartGate(), recorder, timing()),
                "networking.k8s.io/v1",
                network,
                this::write,
                new ReservationStatuses(this::write, recorder, clock),
                new ClusterAddressMetrics() {
                    @Override
                    public void used(Usage usage, Forecast forecast) {
                        figures.add("used");
                    }

                    @Override
                    public void forget() {
                        figures.add("forgotten");
                    }

                    @Override
                    public void found(List<Finding> findings) {}
                });
    }

    private Timing timing() {
        return new Timing(
                clock,
                clock.steady(),
                (delay, what) -> {
                    delays.add(delay);
                    later.add(what);
                    return () -> later.remove(what);
                },
                new Backoff(new Random(1)));
    }

    @BeforeEach
    void range() {
        network.put(SampleCidrs.ready("first", "10.0.0.0/24"));
    }

    private boolean write(ServiceCIDRPolicy policy, ServiceCIDRPolicy.Status status) {
        if (refusing) {
            return false;
        }
        written.add(status);
        ServiceCIDRPolicy changed = policy(policy.getSpec());
        changed.setStatus(status);
        policies.put(changed);
        return true;
    }

    private boolean write(ClusterIPReservation object, ClusterIPReservation.Status status) {
        if (refusing) {
            return false;
        }
        ClusterIPReservation changed = reservation(object.getMetadata().getName(), object.getSpec());
        changed.setStatus(status);
        reservations.put(changed);
        return true;
    }

    private static ClusterIPReservation reservation(String name, ClusterIPReservation.Spec spec) {
        ClusterIPReservation object = new ClusterIPReservation();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid("uid of " + name)
                .withGeneration(1L)
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .build());
        object.setSpec(spec);
        return object;
    }

    /** For prod/dns. */
    private void reserve(String name) {
        reservations.put(reservation(
                name,
                new ClusterIPReservation.Spec(
                        IP.toString(), new ClusterIPReservation.ServiceReference("prod", "dns"))));
    }

    /** The reason of its condition Ready. */
    private String reason(String name) {
        return Conditions.find(
                        Conditions.of(reservations.get(null, name).orElseThrow().getStatus()), Conditions.READY)
                .map(condition -> condition.getStatus() + " " + condition.getReason())
                .orElse("");
    }

    private ServiceCIDRPolicy policy(ServiceCIDRPolicy.@Nullable Spec spec) {
        ServiceCIDRPolicy policy = new ServiceCIDRPolicy();
        policy.setMetadata(new ObjectMetaBuilder()
                .withName(ServiceCIDRPolicy.NAME)
                .withUid("uid")
                .withGeneration(generation)
                .build());
        policy.setSpec(spec);
        return policy;
    }

    private void edit(ServiceCIDRPolicy.Spec spec) {
        generation++;
        ServiceCIDRPolicy edited = policy(spec);
        policies.get(null, ServiceCIDRPolicy.NAME).ifPresent(before -> edited.setStatus(before.getStatus()));
        policies.put(edited);
    }

    private static ServiceCIDRPolicy.Spec empty() {
        return new ServiceCIDRPolicy.Spec(null, null);
    }

    private Next reconcile() {
        return control.reconcile(policies, ServiceCIDRPolicy.NAME);
    }

    private void kept() {
        network.put(new ClusterIp(
                IP, "u", ClusterIp.BERTH, null, Parent.of(new ServiceKey("prod", "dns")), NetworkInMemory.START));
    }

    @Test
    void rangeThatCannotRetire_saysSoOnItself_onceForEachRequest() {
        network.put(SampleCidrs.retiring(SampleCidrs.ready("first", "10.0.0.0/24"), "yes"));
        edit(empty());
        reconcile();
        clock.passSeconds(60);
        reconcile();
        assertThat(events).containsExactly("warning RetirementRefused", "warning RetirementRefused");
        assertThat(warnedOf).containsExactly("ServiceCIDR", "ServiceCIDRPolicy");

        events.clear();
        network.put(SampleCidrs.retiring(SampleCidrs.ready("first", "10.0.0.0/24")));
        clock.passSeconds(60);
        reconcile();
        assertThat(events).containsExactly("warning RetirementRefused");
        assertThat(network.writes).isEmpty();
    }

    @Test
    void eachRetirement_isTold_alsoOneAfterAnother() {
        network.put(SampleCidrs.ready("rest", "10.0.1.0/24"));
        edit(empty());
        for (String name : List.of("a", "b")) {
            network.put(SampleCidrs.retiring(SampleCidrs.ready(name, "10.0.9.0/24")));
            clock.passSeconds(60);
            reconcile();
            network.remove(name);
            clock.passSeconds(60);
            reconcile();
        }

        assertThat(events).containsExactly("Retiring", "RangeDraining", "Retiring", "RangeDraining");
    }

    @Test
    void withoutAPolicy_aRangeThatIsAskedToRetire_saysOnceThatNobodyDoesIt() {
        network.put(SampleCidrs.retiring(SampleCidrs.ready("first", "10.0.0.0/24")));

        reconcile();
        reconcile();

        assertThat(events).containsExactly("warning RetirementRefused");
        assertThat(network.writes).isEmpty();
    }

    @Test
    void withoutAPolicy_whatIsKeptIsGivenBack_andThereAreNoFigures() {
        kept();

        assertThat(reconcile()).isEqualTo(Next.ON_EVENT);

        assertThat(network.writes).containsExactly("release 10.0.0.10");
        assertThat(figures).containsExactly("forgotten");
        assertThat(written).isEmpty();
        assertThat(later).isEmpty();
    }

    @Test
    void whatCannotBeGivenBack_isTriedAgain_thoughNobodyTellsOfThePolicyAnyMore() {
        kept();
        network.fault = Fault.REFUSED;
        reconcile();
        assertThat(delays)
                .singleElement()
                .satisfies(delay -> assertThat(delay).isBetween(Duration.ofMillis(4_500), Duration.ofSeconds(5)));

        clock.passSeconds(5);
        later.removeFirst().run();
        assertThat(delays)
                .last()
                .satisfies(delay -> assertThat(delay).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10)));

        network.fault = Fault.NONE;
        clock.passSeconds(10);
        later.removeFirst().run();

        assertThat(network.live(IP)).isEmpty();
        assertThat(later).isEmpty();
    }

    @Test
    void whatCouldNotBeGivenBack_isLeftToANewPolicy() {
        kept();
        network.fault = Fault.UNKNOWN_NOT_DONE;
        reconcile();
        network.fault = Fault.NONE;
        edit(empty());
        clock.passSeconds(5);

        later.removeFirst().run();
        assertThat(network.writes).containsExactly("release 10.0.0.10");

        reconcile();
        assertThat(network.writes).containsExactly("release 10.0.0.10", "release 10.0.0.10");
    }

    @Test
    void reservation_isKept_withoutAPolicy_andWhileOneComesAndGoes() {
        reserve("dns");
        reconcile();
        assertThat(reason("dns")).isEqualTo("True Reserved");

        edit(empty());
        reconcile();
        policies.remove(policy(empty()));
        reconcile();

        assertThat(network.writes).containsExactly("reserve 10.0.0.10");
    }

    @Test
    void lastReservationThatIsDeleted_givesItsAddressBack_andIPAddressesAreListedOnceForThat() {
        reserve("dns");
        reconcile();
        reservations.remove(reservations.get(null, "dns").orElseThrow());

        reconcile();
        assertThat(network.writes).containsExactly("reserve 10.0.0.10", "release 10.0.0.10");

        int lists = network.liveReads;
        reconcile();
        assertThat(network.liveReads).isEqualTo(lists);
        assertThat(later).isEmpty();
    }

    @Test
    void policyThatCannotBeRead_leavesReservationsAsTheyAre_andGivesNothingBack() {
        kept();
        network.put(new ClusterIp(
                Ip.parse("10.0.0.11"),
                "u",
                ClusterIp.BERTH,
                null,
                Parent.of(new ServiceKey("kube-system", "kube-dns")),
                NetworkInMemory.START));
        reserve("dns");
        policies.put(policy(null));

        reconcile();

        assertThat(reason("dns")).isEqualTo("True Reserved");
        assertThat(network.writes).isEmpty();
    }

    @Test
    void withoutSightOfTheAddresses_reservationsSayIt_andAreLookedAtAgain() {
        reserve("dns");
        network.blind = Optional.of("the IPAddresses cannot be watched: forbidden");
        reconcile();
        assertThat(reason("dns")).isEqualTo("False CannotWatch");
        assertThat(events).containsExactly("warning CannotWatch");

        network.blind = Optional.empty();
        clock.passSeconds(30);
        later.removeFirst().run();
        assertThat(reason("dns")).isEqualTo("True Reserved");
    }

    @Test
    void statusOfAReservation_thatCouldNotBeWritten_isWrittenLater_andLaterEachTime() {
        reserve("dns");
        refusing = true;
        reconcile();
        reconcile();
        assertThat(delays.getFirst()).isBetween(Duration.ofMillis(4_500), Duration.ofSeconds(5));
        assertThat(delays.getLast()).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));

        refusing = false;
        clock.passSeconds(10);
        later.removeFirst().run();
        assertThat(reason("dns")).isEqualTo("True Reserved");
    }

    /** Of a Service nobody tells, and its IPAddress may go before the cache has seen that it is gone. */
    @Test
    void reservationOfAServiceThatIsGone_isKeptAgainWithinAMinute_withoutAPolicyToo() {
        Service dns = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName("dns")
                .endMetadata()
                .withNewSpec()
                .withClusterIPs(IP.toString())
                .endSpec()
                .build();
        services.put(dns);
        reserve("dns");
        reconcile();
        assertThat(reason("dns")).isEqualTo("True InUse");

        services.remove(dns);
        clock.passSeconds(60);
        assertThat(delays).last().isEqualTo(Duration.ofMinutes(1));
        later.removeFirst().run();

        assertThat(reason("dns")).isEqualTo("True Reserved");
    }

    @Test
    void whatCannotBeGivenBack_isNotListedAgainForEachEvent() {
        kept();
        network.fault = Fault.REFUSED;
        reconcile();
        int lists = network.liveReads;

        reconcile();
        reconcile();

        assertThat(network.liveReads).isEqualTo(lists);
        assertThat(later).hasSize(1);
    }

    @Test
    void anIPAddressThatCameLate_isGivenBack_thoughTheListHadNone() {
        reconcile();
        kept();

        reconcile();

        assertThat(network.writes).containsExactly("release 10.0.0.10");
    }

    @Test
    void changes_areLookedAtOnceTheGateIsOpen() {
        StartGate gate = new StartGate();
        List<String> looks = new ArrayList<>();
        PolicyReconciler reconciler = new PolicyReconciler(
                gate,
                (all, name) -> {
                    looks.add(name);
                    return Next.ON_EVENT;
                },
                new Wakeups<>("policy", (delay, what) -> () -> {}));

        reconciler.changed();
        assertThat(looks).isEmpty();
        gate.open();
        reconciler.changed();
        assertThat(looks).containsExactly("cluster");
    }

    @Test
    void whatIsDoneWithoutAPolicy_waitsForOneLookAtATime() {
        network.fault = Fault.REFUSED;
        reserve("dns");
        reconcile();
        reconcile();

        assertThat(later).hasSize(1);
    }

    @Test
    void policyOfAnotherSchema_isServed_orSaidToBeUnreadable_whateverItSays() {
        JsonNode sample = JSON.unmarshal("""
                {"metadata": {"name": "cluster", "uid": "uid", "generation": 1},
                 "spec": {"warnings": {"usedPercent": 80, "daysUntilFull": 14},
                   "growth": {"dryRun": false, "excluded": ["10.2.0.0/16"],
                     "ipv4": {"supernets": ["10.1.0.0/16"], "prefixLength": 24, "usedPercent": 1, "maxRanges": 2},
                     "ipv6": {"supernets": ["fd00::/64"], "prefixLength": 112}}},
                 "status": {"observedGeneration": 1, "history": [{"time": "2026-01-01T00:00:00Z", "ipv4": "1"}],
                   "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": "m"}]}}
                """, JsonNode.class);
        for (int seed = 0; seed < SEEDS; seed++) {
            JsonNode odd = new Mutation(new Random(seed), false).of(sample, "spec", "status");
            ServiceCIDRPolicy policy = JSON.unmarshal(odd.toString(), ServiceCIDRPolicy.class);
            policies.put(policy);
            clock.pass(Duration.ofMinutes(1));

            assertThatCode(this::reconcile).as("seed %s: %s", seed, odd).doesNotThrowAnyException();
            if (!policy.unreadable().isEmpty()) {
                assertThat(written.getLast().conditions())
                        .as("seed %s: %s", seed, odd)
                        .anyMatch(condition -> condition.getReason().equals("Unreadable"));
            }
        }
    }

    /** What is asked for is not known, so nothing that was made for it is taken back either. */
    @Test
    void policyThatCannotBeRead_saysSo_andNothingIsDoneForIt() {
        kept();
        for (String spec : List.of(
                "{\"growth\": {\"ipv4\": {\"supernets\": [\"10.1.0.0/16\"], \"prefixLength\": 5000000000}}}",
                "{\"growth\": {\"ipv4\": {\"prefixLength\": 24}}}",
                "{\"growth\": {\"excluded\": [null]}}",
                "{\"growth\": \"x\"}",
                "null")) {
            policies.put(JSON.unmarshal(
                    "{\"metadata\": {\"name\": \"cluster\", \"uid\": \"uid\", \"generation\": " + ++generation
                            + "}, \"spec\": " + spec + "}",
                    ServiceCIDRPolicy.class));
            reconcile();
            assertThat(written.removeLast().conditions())
                    .as(spec)
                    .hasSize(2)
                    .allSatisfy(one -> assertThat(one.getReason()).isEqualTo("Unreadable"))
                    .first()
                    .satisfies(served -> {
                        assertThat(served.getType() + " " + served.getStatus() + " " + served.getReason())
                                .isEqualTo("Served False Unreadable");
                        assertThat(served.getMessage()).endsWith("; it has no effect until that is corrected");
                    });
        }
        assertThat(network.writes).isEmpty();
    }

    @Test
    void startWithoutAPolicy_givesBackWhatAnEarlierOneLeft() {
        kept();

        new PolicyReconciler(new StartGate(), control, new Wakeups<>("policy", (delay, what) -> () -> {})).begin();

        assertThat(network.writes).containsExactly("release 10.0.0.10");
    }

    /** Four in five addresses are. */
    private void fillUp() {
        for (int i = 20; i < 240; i++) {
            network.put(NetworkInMemory.allocated("10.0.0." + i, "of-" + i));
        }
    }

    @Test
    void status_isWrittenOnceASecondAtMost_butAtOnceAfterAnEdit() {
        edit(empty());
        reconcile();
        assertThat(written).hasSize(1);

        network.put(NetworkInMemory.allocated("10.0.0.20", "web"));
        assertThat(reconcile()).as("too early").isEqualTo(Next.after(Duration.ofSeconds(1)));
        assertThat(written).hasSize(1);

        edit(empty());
        reconcile();
        assertThat(written).hasSize(2);

        network.put(NetworkInMemory.allocated("10.0.0.21", "web"));
        clock.passSeconds(1);
        reconcile();
        assertThat(written).hasSize(3);
    }

    @Test
    void statusThatSaysNothingNew_isNotWritten() {
        edit(empty());
        reconcile();
        clock.passSeconds(2);
        reconcile();

        assertThat(written).hasSize(1);
    }

    @Test
    void statusThatCouldNotBeWritten_isWrittenASecondLater() {
        edit(empty());
        refusing = true;
        assertThat(reconcile()).isEqualTo(Next.after(Duration.ofSeconds(1)));
        refusing = false;
        clock.passSeconds(1);
        reconcile();

        assertThat(written).hasSize(1);
    }

    @Test
    void whatIsNew_isAnEventAtOnce_andOnlyOnce_thoughItsStatusIsWrittenLater() {
        edit(empty());
        reconcile();
        assertThat(events).isEmpty();

        fillUp();
        reconcile();
        assertThat(written).hasSize(1);
        assertThat(events).containsExactly("warning NearlyFull");

        clock.passSeconds(1);
        reconcile();
        assertThat(written).hasSize(2);
        assertThat(events).hasSize(1);
    }

    @Test
    void whatTheStatusSaysAlready_isNoEventAfterARestart() {
        edit(empty());
        fillUp();
        reconcile();
        events.clear();

        control().reconcile(policies, ServiceCIDRPolicy.NAME);

        assertThat(events).isEmpty();
    }

    @Test
    void whatIsSaidOfANewPolicy_isAnEventAgain() {
        edit(empty());
        fillUp();
        reconcile();
        policies.remove(policy(empty()));
        reconcile();
        events.clear();

        edit(empty());
        reconcile();

        assertThat(events).containsExactly("warning NearlyFull");
    }

    @Test
    void withoutSightOfTheAddresses_theStatusSaysSo_andNothingIsDone() {
        kept();
        network.blind = Optional.of("the IPAddresses cannot be watched: forbidden");
        edit(empty());

        assertThat(reconcile()).isEqualTo(Next.after(Duration.ofSeconds(30)));

        assertThat(written)
                .singleElement()
                .satisfies(status -> assertThat(status.conditions())
                        .hasSize(2)
                        .first()
                        .satisfies(served -> {
                            assertThat(served.getReason()).isEqualTo("CannotWatch");
                            assertThat(served.getMessage()).contains("forbidden");
                        }));
        assertThat(network.writes).isEmpty();
    }
}
