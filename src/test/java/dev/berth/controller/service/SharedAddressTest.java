package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two Services that share an address, whose Address others delete or change meanwhile. */
class SharedAddressTest {
    private static final ServiceKey STAYS = new ServiceKey("prod", "stays");
    private static final ServiceKey LEAVES = new ServiceKey("prod", "leaves");

    private Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private Runnable beforeACreate = () -> {};
    private Line.Fault ofACreate = Line.Fault.NONE;
    private Line.Fault ofAnUpdate = Line.Fault.NONE;
    private Runnable afterAnUpdate = () -> {};
    private Runnable afterARead = () -> {};
    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            if (call.startsWith("create Address ")) {
                beforeACreate.run();
                return ofACreate;
            }
            return call.startsWith("update Address ") ? ofAnUpdate : Fault.NONE;
        }

        @Override
        public void answered(String call) {
            if (call.startsWith("update Address ")) {
                afterAnUpdate.run();
            }
            if (call.startsWith("read Address ")) {
                afterARead.run();
            }
        }
    });
    private final PoolOperator berth = new PoolOperator(cluster, () -> now);

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    private static SampleService shares(ServiceKey service, int port) {
        return SampleService.named(service, "uid-" + service.name())
                .loadBalancerClass(PoolOperator.CLASS)
                .ports(new Port("", Protocol.TCP, port, 30000 + port))
                .annotation(WellKnownNames.SHARING_KEY, "both");
    }

    private Claim shared() {
        cluster.put(LEAVES, shares(LEAVES, 80));
        cluster.put(STAYS, shares(STAYS, 81));
        reconcile(LEAVES, STAYS);
        Claim shared = cluster.claims.firstEntry().getValue();
        assertThat(shared.spec().owners()).extracting(Owner::service).containsExactly(LEAVES, STAYS);
        return shared;
    }

    private void deleteByHand(Claim claim) {
        cluster.removeClaim(claim.ip());
        berth.hear();
        berth.addresses.vanished(claim);
    }

    private void reconcile(ServiceKey... services) {
        berth.due.clear();
        berth.due.addAll(List.of(services));
        berth.reconcileDue();
    }

    private List<ServiceKey> owners() {
        assertThat(cluster.claims).hasSize(1);
        return cluster.claims.firstEntry().getValue().spec().owners().stream()
                .map(Owner::service)
                .toList();
    }

    private List<String> published(ServiceKey service) {
        return Objects.requireNonNull(cluster.services.get(service)).ingress().stream()
                .map(entry -> String.valueOf(entry.ip()))
                .toList();
    }

    @Test
    void oneThatLeavesWhileItIsMadeAgain_leavesAgain_onceItIsThere() {
        deleteByHand(shared());
        beforeACreate = () -> {
            beforeACreate = () -> {};
            cluster.put(LEAVES, shares(LEAVES, 80).loadBalancerClass("other.dev/class"));
            berth.hear();
            berth.control.reconcile(LEAVES);
        };
        reconcile(STAYS);

        assertThat(owners()).containsExactly(STAYS);
    }

    @Test
    void oneForWhichItIsReserved_takesIt_alsoIfItMakesItAgain() {
        Claim shared = shared();
        Owner reservation = new Owner(LEAVES, null);
        ClaimSpec spec = shared.spec();
        Claim reserved = cluster.putClaim(new Claim(
                shared.ip(),
                shared.uid(),
                "",
                new ClaimSpec(
                        spec.pool(),
                        spec.loadBalancerClass(),
                        List.of(new Owner(STAYS, "uid-stays"), reservation),
                        spec.sharing(),
                        null,
                        true)));
        cluster.endService(LEAVES);
        berth.hear();
        berth.control.reconcile(LEAVES);
        berth.addresses.reconcile(shared.ip());
        deleteByHand(reserved);
        cluster.put(LEAVES, shares(LEAVES, 80));
        berth.hear();

        reconcile(LEAVES, STAYS);

        assertThat(published(LEAVES)).containsExactly(shared.ip().toString());
        assertThat(cluster.claims.firstEntry().getValue().spec().owners())
                .extracting(Owner::uid)
                .doesNotContainNull();
    }

    @Test
    void oneThatLeft_leavesAgain_ifSomebodyPutsItBackBeforeTheAnswer() {
        Claim shared = shared();
        cluster.put(LEAVES, shares(LEAVES, 80).loadBalancerClass("other.dev/class"));
        berth.hear();
        afterAnUpdate = () -> {
            afterAnUpdate = () -> {};
            putBack(shared);
        };

        reconcile(LEAVES);

        assertThat(owners()).containsExactly(STAYS);
    }

    @Test
    void oneThatClaimedAnAddress_claimsAgain_ifItIsDeletedBeforeTheReadThatTellsWhoseItIs() {
        cluster.put(STAYS, shares(STAYS, 81));
        berth.hear();
        ofACreate = Line.Fault.SENT_TWICE;
        afterARead = () -> {
            afterARead = () -> {};
            ofACreate = Line.Fault.NONE;
            deleteByHand(cluster.claims.firstEntry().getValue());
        };

        Next again = berth.control.reconcile(STAYS);

        now = now.plus(again.delay().orElseThrow());
        reconcile(STAYS);
        assertThat(owners()).containsExactly(STAYS);
        assertThat(published(STAYS)).hasSize(1);
    }

    private void putBack(Claim before) {
        cluster.putClaim(new Claim(before.ip(), before.uid(), "", before.spec()));
        berth.client.relist();
        berth.addresses.reconcile(before.ip());
    }

    @Test
    void oneThatJoined_joinsAgain_ifSomebodyPutsItOffBeforeTheAnswer() {
        cluster.put(STAYS, shares(STAYS, 81));
        reconcile(STAYS);
        Claim alone = cluster.claims.firstEntry().getValue();
        cluster.put(LEAVES, shares(LEAVES, 80));
        afterAnUpdate = () -> {
            afterAnUpdate = () -> {};
            putBack(alone);
        };

        reconcile(LEAVES);

        assertThat(owners()).containsExactly(STAYS, LEAVES);
        assertThat(published(LEAVES)).containsExactly(alone.ip().toString());
    }

    @Test
    void oneThatJoined_joinsAgain_ifSomebodyPutsItOffBeforeTheReadThatTellsWhoseItIs() {
        cluster.put(STAYS, shares(STAYS, 81));
        reconcile(STAYS);
        Claim alone = cluster.claims.firstEntry().getValue();
        cluster.put(LEAVES, shares(LEAVES, 80));
        ofAnUpdate = Line.Fault.UNKNOWN_DONE;
        afterARead = () -> {
            afterARead = () -> {};
            ofAnUpdate = Line.Fault.NONE;
            putBack(alone);
        };

        reconcile(LEAVES);

        assertThat(owners()).containsExactly(STAYS, LEAVES);
        assertThat(published(LEAVES)).containsExactly(alone.ip().toString());
    }

    @Test
    void oneThatTookItsReservation_takesItAgain_ifSomebodyPutsItBackBeforeTheAnswer() {
        cluster.put(LEAVES, shares(LEAVES, 80));
        reconcile(LEAVES);
        Claim claim = cluster.claims.firstEntry().getValue();
        cluster.endService(LEAVES);
        ClaimSpec spec = claim.spec();
        Claim reserved = cluster.putClaim(new Claim(
                claim.ip(),
                claim.uid(),
                "",
                new ClaimSpec(
                        spec.pool(), spec.loadBalancerClass(), List.of(new Owner(LEAVES, null)), null, null, true)));
        berth.hear();
        berth.control.reconcile(LEAVES);
        berth.addresses.reconcile(claim.ip());
        cluster.put(LEAVES, shares(LEAVES, 80));
        berth.hear();
        afterAnUpdate = () -> {
            afterAnUpdate = () -> {};
            putBack(reserved);
        };

        reconcile(LEAVES);

        assertThat(published(LEAVES)).containsExactly(claim.ip().toString());
    }

    @Test
    void portThatOneAdds_isClaimedAgain_ifSomebodyPutsThePortsBackBeforeTheAnswer() {
        Claim shared = shared();
        cluster.put(
                STAYS,
                shares(STAYS, 81)
                        .ports(new Port("", Protocol.TCP, 81, 30081), new Port("tls", Protocol.TCP, 443, 30443)));
        berth.hear();
        afterAnUpdate = () -> {
            afterAnUpdate = () -> {};
            putBack(shared);
        };

        reconcile(STAYS);

        assertThat(Objects.requireNonNull(
                                cluster.claims.firstEntry().getValue().spec().sharing())
                        .ports())
                .hasSize(3);
    }

    /** As a finalizer on it has the API server do. */
    private Claim isThereAlthoughItWasDeleted(String sharingKey) {
        cluster.put(STAYS, shares(STAYS, 81).annotation(WellKnownNames.SHARING_KEY, sharingKey));
        reconcile(STAYS);
        Claim claim = cluster.claims.firstEntry().getValue();
        cluster.put(STAYS, shares(STAYS, 81).loadBalancerClass("other.dev/class"));
        berth.hear();
        reconcile(STAYS);
        assertThat(cluster.claims).isEmpty();
        assertThat(berth.ledger.holding(claim.ip())).isEmpty();
        cluster.putClaim(claim);
        return claim;
    }

    @Test
    void addressWhoseAddressIsThereAlthoughItWasDeleted_isPassedOver_untilItIsGone() {
        Claim claim = isThereAlthoughItWasDeleted("none");
        cluster.put(LEAVES, shares(LEAVES, 80));
        berth.hear();

        reconcile(LEAVES);

        assertThat(published(LEAVES)).hasSize(1).doesNotContain(claim.ip().toString());
        deleteByHand(claim);
        berth.reconcileDue();
        assertThat(berth.ledger.holding(claim.ip())).isEmpty();
    }

    @Test
    void oneThatAsksForIt_waits_andGetsItOnceItIsGone() {
        Claim claim = isThereAlthoughItWasDeleted("none");
        cluster.put(
                LEAVES,
                shares(LEAVES, 80)
                        .annotation(WellKnownNames.ADDRESSES, claim.ip().toString()));
        berth.hear();
        reconcile(LEAVES);
        assertThat(published(LEAVES)).isEmpty();

        deleteByHand(claim);
        berth.reconcileDue();

        assertThat(published(LEAVES)).containsExactly(claim.ip().toString());
    }

    @Test
    void oneThatComesBackToIt_claimsItAgain_onceItIsGone() {
        Claim claim = isThereAlthoughItWasDeleted("none");
        cluster.put(
                STAYS,
                shares(STAYS, 81)
                        .annotation(WellKnownNames.ADDRESSES, claim.ip().toString()));
        berth.hear();
        reconcile(STAYS);
        assertThat(published(STAYS)).containsExactly(claim.ip().toString());

        deleteByHand(cluster.claims.firstEntry().getValue());
        berth.reconcileDue();

        assertThat(owners()).containsExactly(STAYS);
        assertThat(published(STAYS)).containsExactly(claim.ip().toString());
    }

    @Test
    void oneThatSharesIt_claimsItAgain_onceItIsGone() {
        Claim claim = isThereAlthoughItWasDeleted("both");
        cluster.put(LEAVES, shares(LEAVES, 80));
        berth.hear();
        reconcile(LEAVES);
        assertThat(published(LEAVES)).containsExactly(claim.ip().toString());

        deleteByHand(cluster.claims.firstEntry().getValue());
        berth.reconcileDue();

        assertThat(owners()).contains(LEAVES);
        assertThat(published(LEAVES)).containsExactly(claim.ip().toString());
    }

    @Test
    void oneThatAsksForIt_andWhoseWatchHasShownItsEnd_isTriedAgainLater() {
        Claim claim = isThereAlthoughItWasDeleted("none");
        cluster.removeClaim(claim.ip());
        cluster.put(
                LEAVES,
                shares(LEAVES, 80)
                        .annotation(WellKnownNames.ADDRESSES, claim.ip().toString()));
        berth.hear();
        berth.addresses.vanished(claim);
        cluster.putClaim(claim);

        Next again = berth.control.reconcile(LEAVES);

        assertThat(again.delay()).isPresent();
        assertThat(berth.ledger.holding(claim.ip())).isEmpty();
    }
}
