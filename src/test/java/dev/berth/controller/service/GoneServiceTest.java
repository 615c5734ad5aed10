package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.Holding;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A Service that is gone with its finalizer on: by force, or for another operator was quicker. */
class GoneServiceTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");

    private final Broken line = new Broken();
    private final SimulatedCluster cluster = new SimulatedCluster(false, line);
    private final Slow provider = new Slow();
    private final PoolOperator operator = new PoolOperator(cluster, () -> Instant.EPOCH, provider);

    /** A line on which no read gets through while it is broken, and nothing at all while the API server is down; or nothing is deleted. */
    private static final class Broken implements Line {
        private boolean isBroken;
        private boolean isDown;
        private boolean refusesDeletes;

        @Override
        public Fault sending(String call, Runnable effect) {
            if (refusesDeletes && call.startsWith("delete")) {
                return Fault.REFUSED;
            }
            return isDown ? Fault.UNKNOWN_NOT_DONE : Fault.NONE;
        }

        @Override
        public boolean readFails(String call) {
            return isBroken || isDown;
        }
    }

    /** It notes what it deletes. */
    private static final class Slow extends PendingProvider {
        private final List<String> deleted = new ArrayList<>();

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            deleted.add(request.service().uid());
        }
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        operator.ledger.checkInvariants();
    }

    @Test
    void whatAProviderIsStillMaking_isDeletedAtOnce_forNoTimerOfAServiceThatIsGoneComes() {
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.hear();
        operator.control.reconcile(WEB);
        assertThat(cluster.claims).hasSize(1);

        cluster.endService(WEB);
        operator.hear();
        operator.control.reconcile(WEB);

        assertThat(provider.deleted).containsOnly("uid-web");
        assertThat(cluster.claims).isEmpty();
        assertThat(operator.ledger.holdings()).isEmpty();
    }

    @Test
    void serviceThatIsGone_waitsNoLonger_thoughItCannotBeReadLive() {
        cluster.put(
                WEB,
                SampleService.named(WEB, "uid-web")
                        .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6));
        operator.hear();
        operator.control.reconcile(WEB);
        assertThat(operator.ledger.waiting()).containsExactly(WEB);

        cluster.endService(WEB);
        operator.hear();
        line.isBroken = true;
        operator.control.reconcile(WEB);

        assertThat(operator.ledger.waiting()).isEmpty();
    }

    /** The watch is broken all its life: the cache hears neither of it nor of its end. */
    @Test
    void serviceThatOnlyALiveReadHasFound_isLookedFor_andWhatIsHeldForItsNameIsFreed_onceItIsGone() {
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.hear();
        operator.control.reconcile(WEB);
        cluster.endService(WEB);
        operator.hear();
        cluster.put(WEB, SampleService.named(WEB, "uid-next").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.control.reconcile(WEB);
        assertThat(operator.ledger.heldFor(WEB)).hasSize(1);

        cluster.endService(WEB);
        List.copyOf(operator.later).forEach(Runnable::run);

        assertThat(operator.ledger.heldFor(WEB)).isEmpty();
        assertThat(provider.deleted).containsOnly("uid-web");
    }

    @Test
    void whatAServiceThatOnlyALiveReadHasFoundPublishes_isFree_onceItIsGone() {
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.hear();
        operator.control.reconcile(WEB);
        cluster.endService(WEB);
        operator.hear();
        Ip published = Ip.parse("192.0.2.3");
        cluster.put(
                WEB,
                SampleService.named(WEB, "uid-next")
                        .loadBalancerClass("other.dev/class")
                        .ingress(published.toString()));
        operator.control.reconcile(WEB);
        assertThat(operator.ledger.holding(published)).isPresent();

        cluster.endService(WEB);
        operator.hear();
        operator.control.reconcile(WEB);

        assertThat(operator.ledger.holding(published)).isEmpty();
    }

    /** The cache hears the end of the Service before it, and nothing of this one. */
    private PoolOperator foundLive(SampleService next) {
        PoolOperator quick = new PoolOperator(cluster, () -> Instant.EPOCH);
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        quick.hear();
        cluster.endService(WEB);
        cluster.put(WEB, next);
        quick.control.reconcile(WEB);
        quick.client.serviceCache.hear();
        quick.control.reconcile(WEB);
        return quick;
    }

    private void end(PoolOperator operator) {
        cluster.endService(WEB);
        List.copyOf(operator.later).forEach(Runnable::run);
        operator.ledger.checkInvariants();
    }

    @Test
    void serviceThatOnlyALiveReadHasFound_isSkippedNoLonger_onceItIsGone() {
        PoolOperator quick = foundLive(
                SampleService.named(WEB, "uid-next").finalizer("service.kubernetes.io/load-balancer-cleanup"));
        assertThat(quick.skipped()).hasValueSatisfying(said -> assertThat(said).contains("prod/web"));

        end(quick);

        assertThat(quick.skipped()).isEmpty();
    }

    @Test
    void serviceThatOnlyALiveReadHasFound_isShownToWaitNoLonger_onceItIsGone() {
        PoolOperator quick = foundLive(waiting());
        assertThat(quick.waits).containsKey(WEB);

        end(quick);

        assertThat(quick.waits).isEmpty();
    }

    @Test
    void serviceThatOnlyALiveReadHasFound_isWaitedForByNobody_whileItCannotBeReadAgain() {
        PoolOperator quick = foundLive(waiting());
        assertThat(quick.ledger.waiting()).containsExactly(WEB);

        line.isBroken = true;
        quick.control.reconcile(WEB);

        assertThat(quick.ledger.waiting()).isEmpty();
        quick.ledger.checkInvariants();
    }

    /** Of the pool it gets one of two. */
    private static SampleService waiting() {
        return SampleService.named(WEB, "uid-next")
                .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6);
    }

    /** The Address would make its Service due at once, and that the Address. */
    @Test
    void addressOfAnEarlierServiceOfTheName_thatCannotBeReleased_isTriedAgainLater() {
        PoolOperator atOnce = new PoolOperator(cluster, () -> Instant.EPOCH);
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        atOnce.hear();
        atOnce.control.reconcile(WEB);
        cluster.endService(WEB);
        cluster.put(WEB, SampleService.named(WEB, "uid-next").typeLoadBalancer(false));
        atOnce.hear();
        atOnce.due.clear();
        atOnce.later.clear();

        line.refusesDeletes = true;
        atOnce.control.reconcile(WEB);

        assertThat(atOnce.addressesDue).isEmpty();
        assertThat(atOnce.due).isEmpty();
        assertThat(atOnce.later).isNotEmpty();
    }

    /** Another operator gave the address back. */
    @Test
    void addressOfAServiceThatIsGone_isFreedOnceReadsGetThrough_thoughItsAddressIsGoneAsWell() {
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.hear();
        operator.control.reconcile(WEB);
        Claim claim = cluster.claims.firstEntry().getValue();
        cluster.removeClaim(claim.ip());
        operator.hear();
        operator.addresses.vanished(claim);
        cluster.endService(WEB);
        operator.hear();

        line.isBroken = true;
        operator.control.reconcile(WEB);
        line.isBroken = false;
        List.copyOf(operator.later).forEach(Runnable::run);

        assertThat(operator.ledger.holdings()).isEmpty();
        assertThat(provider.deleted).containsOnly("uid-web");
    }

    /** It was to say so before it could be released, and was deleted before that could be tried again. */
    @Test
    void addressOfAServiceThatIsGone_isFreed_thoughItCouldNotSayThatItReleasesIt() {
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.hear();
        line.isDown = true;
        operator.control.reconcile(WEB);
        assertThat(operator.ledger.heldFor(WEB))
                .singleElement()
                .extracting(Holding::state)
                .isEqualTo(Holding.State.UNSURE);
        operator.withoutClass(() -> operator.control.reconcile(WEB));

        cluster.endService(WEB);
        operator.hear();
        line.isDown = false;
        operator.control.reconcile(WEB);

        assertThat(operator.ledger.holdings()).isEmpty();
    }
}
