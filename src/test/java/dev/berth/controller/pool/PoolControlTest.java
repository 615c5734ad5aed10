package dev.berth.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.LoopParts;
import dev.berth.controller.NoOpEvents;
import dev.berth.controller.SampleParts;
import dev.berth.controller.StartGate;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.kube.Caches;
import dev.berth.kube.OneObject;
import dev.berth.pool.ExcludedRange;
import dev.berth.pool.Requester;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoolControlTest {
    private static final AddressPool EDGE = new KubernetesSerialization().unmarshal("""
                    {"metadata": {"name": "edge", "uid": "u1", "generation": 1},
                    "spec": {"addresses": ["192.0.2.0/28"]}}
                    """, AddressPool.class);

    private final List<ExcludedRange> around = new ArrayList<>();
    private final Ledger ledger = new Ledger();
    private final StartGate gate = new StartGate();
    private Instant now = Instant.EPOCH;
    private boolean conflicts;
    private int judged;
    private final List<AddressPool.Status> shown = new ArrayList<>();
    private final List<Ip> retimed = new ArrayList<>();
    private Optional<AddressPool> edge = Optional.of(EDGE);

    private final PoolControl control = new PoolControl(
            new LoopParts(caches(), gate, new NoOpEvents(), SampleParts.timing(() -> now, () -> now)),
            ledger,
            () -> List.copyOf(around),
            (pool, most) -> List.of(),
            (pool, status) -> !conflicts && shown.add(status),
            new PoolControl.Listener() {
                @Override
                public void due(Collection<ServiceKey> services) {}

                @Override
                public void strandedChanged(Collection<Ip> addresses) {}

                @Override
                public void reuseAfterChanged(Collection<Ip> addresses) {
                    retimed.addAll(addresses);
                }

                @Override
                public void poolsChanged() {
                    judged++;
                }
            });

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private Caches caches() {
        Caches caches = new Caches();
        caches.pools(new OneObject<>(() -> edge));
        return caches;
    }

    private static AddressPool pool(int generation, String reuseAfter) {
        return new KubernetesSerialization().unmarshal("""
                    {"metadata": {"name": "edge", "uid": "u1", "generation": %d},
                    "spec": {"addresses": ["192.0.2.0/28"], "reuseAfter": "%s"}}
                    """.formatted(generation, reuseAfter), AddressPool.class);
    }

    /** One that rests, and one that is in use. */
    private void cooling(String address, String other) {
        Owner owner = new Owner(new ServiceKey("prod", "web"), "u1");
        ClaimSpec used = ClaimSpec.of("edge", "berth.dev/pool", owner);
        ledger.observe(new Claim(Ip.parse(address), "a1", "1", used.leftBy(owner, Instant.EPOCH)));
        ledger.observe(new Claim(Ip.parse(other), "a2", "2", used));
    }

    @Test
    void addressThatRests_isLookedAtAgain_whenItsPoolSaysAnotherTime_andWhenItsPoolGoes() {
        edge = Optional.of(pool(1, "24h"));
        control.refresh();
        cooling("192.0.2.1", "192.0.2.2");

        edge = Optional.of(pool(2, "1m"));
        control.refresh();
        assertThat(retimed).containsExactly(Ip.parse("192.0.2.1"));

        edge = Optional.of(pool(3, "1m"));
        control.refresh();
        assertThat(retimed).as("another edit").hasSize(1);

        edge = Optional.empty();
        control.refresh();
        assertThat(retimed).hasSize(2);
    }

    private void nodeJoins(String name, String address) {
        around.add(new ExcludedRange("Node \"" + name + "\"", List.of(IpRange.parse(address)), false));
        control.refresh();
    }

    /** Judging them recounts all that is held, and has all who wait try again. */
    @Test
    void nodesOutsideOfAllPools_comeAndGo_andNoPoolIsJudgedAgain() {
        control.refresh();
        assertThat(judged).isEqualTo(1);

        nodeJoins("n1", "10.0.0.1");
        nodeJoins("n2", "2001:db8::2");
        around.removeFirst();
        control.refresh();

        assertThat(judged).isEqualTo(1);
    }

    /** What a laxer schema lets in. */
    @Test
    void statusOfAPool_withAConditionThatIsNull_isPutRight() {
        AddressPool odd = pool(1, "soon");
        odd.setStatus(new AddressPool.Status(
                1L, null, null, 0L, null, null, null, null, Arrays.asList(null, new Condition())));
        edge = Optional.of(odd);
        gate.open();

        assertThatCode(() -> control.reconcile("edge")).doesNotThrowAnyException();
        assertThat(shown).hasSize(1);
    }

    /** Of its own Services, of which this one knows nothing. */
    private void anotherBerthSaysThatThreeWait() {
        AddressPool.Status said = shown.getLast();
        AddressPool.Family ipv4 = Objects.requireNonNull(said.ipv4());
        AddressPool pool = pool(1, "1m");
        pool.setStatus(new AddressPool.Status(
                said.observedGeneration(),
                said.addresses(),
                said.state(),
                said.allocated(),
                new AddressPool.Family(
                        ipv4.capacity(), ipv4.allocated(), ipv4.available(), ipv4.reserved(), ipv4.cooling(), 3),
                null,
                said.stranded(),
                said.releasedStranded(),
                said.conditions()));
        edge = Optional.of(pool);
    }

    /** For 15 minutes, as long as it takes until neither writes but every five minutes. */
    private void dispute() {
        edge = Optional.of(pool(1, "1m"));
        gate.open();
        for (int second = 0; second < 900; second++) {
            control.reconcile("edge");
            anotherBerthSaysThatThreeWait();
            now = now.plusSeconds(1);
        }
    }

    private void waits(String service) {
        ledger.await(new AddressRequest(
                new ServiceKey("prod", service),
                "u-" + service,
                "berth.dev/pool",
                List.of(IpFamily.IPV4),
                false,
                new Requester(List.of(), Map.of(), Map.of()),
                AddressConstraints.NONE,
                List.of(),
                QueuePosition.FIRST));
    }

    @Test
    void whatTwoBerthsKnowOtherwise_isWrittenMoreAndMoreSeldom_andWhatBothKnowWithinASecond() {
        dispute();
        assertThat(shown).hasSizeLessThan(12);

        cooling("192.0.2.1", "192.0.2.2");
        control.reconcile("edge");

        assertThat(shown.getLast().allocated()).isEqualTo(1);
    }

    @Test
    void whatNoOtherBerthHasWrittenOver_isWrittenWithinASecond_alsoAfterADispute() {
        dispute();
        now = now.plusSeconds(300);
        control.reconcile("edge");
        AddressPool pool = pool(1, "1m");
        pool.setStatus(shown.getLast());
        edge = Optional.of(pool);

        now = now.plusSeconds(1);
        waits("web");
        control.reconcile("edge");

        assertThat(Objects.requireNonNull(shown.getLast().ipv4()).waiting()).isEqualTo(1);
    }

    @Test
    void disputeGoesOnAsBefore_afterAWriteThatAnotherWasQuickerWith() {
        dispute();
        int before = shown.size();

        cooling("192.0.2.1", "192.0.2.2");
        conflicts = true;
        control.reconcile("edge");
        conflicts = false;
        for (int second = 0; second < 60; second++) {
            now = now.plusSeconds(1);
            control.reconcile("edge");
            anotherBerthSaysThatThreeWait();
        }

        assertThat(shown).hasSize(before + 1);
    }

    @Test
    void rangesOfTheCluster_areSpokenFor_whereverTheyLie() {
        around.add(new ExcludedRange("ServiceCIDR \"kubernetes\"", List.of(IpRange.parse("10.96.0.0/16")), true));

        control.refresh();

        assertThat(ledger.pools().whose(Ip.parse("10.96.0.1"))).contains("ServiceCIDR \"kubernetes\"");
    }

    @Test
    void nodeWithAnAddressOfAPool_hasThePoolsJudgedAgain_whenItComesAndWhenItGoes() {
        control.refresh();

        nodeJoins("n1", "192.0.2.1");
        assertThat(judged).isEqualTo(2);
        assertThat(ledger.pools().poolOf(Ip.parse("192.0.2.1"))).isEmpty();

        around.clear();
        control.refresh();
        assertThat(judged).isEqualTo(3);
        assertThat(ledger.pools().poolOf(Ip.parse("192.0.2.1"))).isPresent();
    }
}
