package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Selector;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What others do to an Address reaches Berth by a read before the watch reports it, or by the watch before an answer. */
class LateWatchTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey OTHER = new ServiceKey("prod", "other");
    private static final Ip FIRST = Ip.parse("192.0.2.0");

    private static final Selector PROD =
            new Selector(List.of(new Selector.Requirement("tier", Selector.Operator.IN, List.of("prod"))));

    private Runnable beforeTheAnswer = () -> {};
    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public void answered(String call) {
            if (call.startsWith("update Address") || call.startsWith("create Address")) {
                beforeTheAnswer.run();
                beforeTheAnswer = () -> {};
            }
        }
    });
    private final PoolOperator operator = new PoolOperator(cluster, () -> Instant.EPOCH);

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        operator.ledger.checkInvariants();
    }

    private void create(ServiceKey key) {
        cluster.put(
                key, SampleService.named(key, "uid-" + key.name()).families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
    }

    /** An administrator keeps the first address for this Service. */
    private Claim reserve(ServiceKey key) {
        return cluster.putClaim(new Claim(FIRST, cluster.newUid(), "", ClaimSpec.of(null, null, new Owner(key, null))));
    }

    private List<Ip> published(ServiceKey key) {
        return Objects.requireNonNull(cluster.services.get(key)).publishedAddresses();
    }

    private String said(ServiceKey key) {
        return Objects.requireNonNull(cluster.services.get(key))
                .condition(WellKnownNames.ADDRESS_ASSIGNED)
                .orElseThrow()
                .message();
    }

    @Test
    void addressThatIsReservedForAService_isItsOwn_thoughAnotherServiceFoundItTaken() {
        create(OTHER);
        operator.usePool(PoolPolicy.OPEN, "192.0.2.0");
        operator.hear();
        reserve(OTHER);
        create(WEB);
        operator.client.relist();

        operator.control.reconcile(WEB);
        assertThat(published(WEB)).isEmpty();
        assertThat(operator.due).contains(OTHER);
        operator.reconcileDue();

        assertThat(published(OTHER)).containsExactly(FIRST);
    }

    private static PoolDeclaration pool(String name, String range, PoolPolicy policy) {
        return new PoolDeclaration(name, Instant.EPOCH, List.of(range), List.of(), false, policy, false);
    }

    /** Who waits for an address of the namespace is notified; this one does not wait yet. */
    @Test
    void labelThatANamespaceGets_whileOneOfTwoAddressesIsBeingClaimed_counts() {
        operator.ledger.usePools(PoolSet.of(
                List.of(
                        pool("four", "192.0.2.0/30", PoolPolicy.OPEN),
                        pool("six", "2001:db8::/126", PoolPolicy.OPEN.withSelectors(PROD, Selector.EVERYTHING))),
                List.of()));
        cluster.put(
                WEB,
                SampleService.named(WEB, "uid-web")
                        .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6));
        operator.hear();
        beforeTheAnswer = () -> operator.client.namespace("prod", Map.of("tier", "prod"));

        operator.control.reconcile(WEB);
        operator.reconcileDue();

        assertThat(published(WEB)).hasSize(2);
    }

    /** Who waits is notified of other pools; this one does not wait yet. */
    @Test
    void poolThatIsAdded_whileOneOfTwoAddressesIsBeingClaimed_isInTheMessage() {
        PoolDeclaration four = pool("four", "192.0.2.0/30", PoolPolicy.OPEN);
        PoolDeclaration six = pool("six", "2001:db8::/126", PoolPolicy.OPEN.withSelectors(PROD, Selector.EVERYTHING));
        operator.ledger.usePools(PoolSet.of(List.of(four), List.of()));
        cluster.put(
                WEB,
                SampleService.named(WEB, "uid-web")
                        .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6));
        operator.hear();
        beforeTheAnswer = () -> operator.ledger.usePools(PoolSet.of(List.of(four, six), List.of()));

        operator.control.reconcile(WEB);
        operator.reconcileDue();

        assertThat(said(WEB)).contains("AddressPool \"six\"");
    }

    @Test
    void addressThatIsDeletedWhileItIsBeingTaken_isTakenAgain_orAnother() {
        Claim reserved = reserve(WEB);
        create(WEB);
        operator.hear();
        beforeTheAnswer = () -> {
            cluster.removeClaim(FIRST);
            operator.client.relist();
            operator.addresses.vanished(reserved);
        };

        operator.control.reconcile(WEB);
        operator.reconcileDue();

        assertThat(published(WEB)).isNotEmpty();
        assertThat(operator.ledger.heldFor(WEB))
                .singleElement()
                .extracting(Holding::state)
                .isEqualTo(Holding.State.CLAIMED);
    }
}
