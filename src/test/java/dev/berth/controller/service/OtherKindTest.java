package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An Address with a claim of something that is no Service, in a pool that serves Services. */
class OtherKindTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip FIRST = Ip.parse("192.0.2.0");
    private static final ClaimSpec GATEWAYS = ClaimSpec.ofOtherKind(PoolOperator.POOL, PoolOperator.CLASS, "Gateway");

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {});
    private final PoolOperator berth = new PoolOperator(cluster, () -> Instant.parse("2026-03-01T12:00:00Z"));

    private Claim gateways = claimedByGateway();

    private Claim claimedByGateway() {
        return cluster.putClaim(new Claim(FIRST, "gateways", "", GATEWAYS));
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    @BeforeEach
    void hearOfIt() {
        berth.hear();
        assertThat(berth.addresses.reconcile(FIRST)).isEqualTo(Next.ON_EVENT);
    }

    private void put(String uid, Map<String, String> annotations) {
        cluster.put(
                WEB,
                SampleService.named(WEB, uid)
                        .loadBalancerClass(PoolOperator.CLASS)
                        .annotations(annotations));
        reconcile();
    }

    private void reconcile() {
        berth.due.add(WEB);
        berth.reconcileDue();
    }

    private List<String> published() {
        return Objects.requireNonNull(cluster.services.get(WEB)).ingress().stream()
                .map(Published::ip)
                .map(String::valueOf)
                .toList();
    }

    private void assertUntouched() {
        assertThat(cluster.claims.get(FIRST)).isEqualTo(gateways);
    }

    @Test
    void addressOfAGateway_isAllocatedToNobodyElse_andIsUsedInItsPool() {
        put("uid-web", Map.of());

        assertThat(published()).containsExactly("192.0.2.1");
        assertUntouched();
        assertThat(berth.ledger.use(PoolOperator.POOL, IpFamily.IPV4).reserved())
                .isOne();
        assertThat(berth.ledger.use(PoolOperator.POOL, IpFamily.IPV4).available())
                .isEqualTo(2);
    }

    @Test
    void serviceThatAsksForIt_isToldThatItIsOfAGateway_andGetsItOnceThatIsGone() {
        put("uid-web", Map.of(WellKnownNames.ADDRESSES, FIRST.toString()));

        assertThat(published()).isEmpty();
        assertThat(Objects.requireNonNull(cluster.services.get(WEB))
                        .condition(WellKnownNames.ADDRESS_ASSIGNED)
                        .orElseThrow()
                        .message())
                .contains("192.0.2.0 has a claim of kind Gateway");
        assertUntouched();

        cluster.removeClaim(FIRST);
        berth.hear();
        berth.addresses.vanished(gateways);
        berth.reconcileDue();

        assertThat(published()).containsExactly("192.0.2.0");
    }

    @Test
    void serviceOfTheGatewaysNamespaceAndName_changesNothingOfIt_whenItComesAndGoes() {
        put("uid-web", Map.of());
        cluster.deleteService(WEB);
        reconcile();
        assertThat(cluster.services).isEmpty();
        put("uid-next", Map.of());
        cluster.deleteService(WEB);
        reconcile();

        berth.addresses.reconcile(FIRST);

        assertThat(cluster.claims).hasSize(1);
        assertUntouched();
    }

    @Test
    void addressOfAService_thatGetsAClaimOfAGateway_isTheGateways_andTheServiceGetsAnother() {
        put("uid-web", Map.of());
        Ip second = Ip.parse("192.0.2.1");
        Claim claimed = Objects.requireNonNull(cluster.claims.get(second));

        Claim taken = cluster.putClaim(new Claim(second, claimed.uid(), "", GATEWAYS));
        berth.client.relist();
        berth.addresses.reconcile(second);
        berth.reconcileDue();

        assertThat(published()).containsExactly("192.0.2.2");
        cluster.deleteService(WEB);
        reconcile();
        berth.addresses.reconcile(second);
        assertThat(cluster.services).isEmpty();
        assertThat(cluster.claims.values()).containsExactly(gateways, taken);
    }

    @Test
    void claimOfAService_thatIsLeftWhenTheGatewaysGoes_isOfThatService_orGoesWithIt() {
        gateways = cluster.putClaim(new Claim(
                FIRST, "gateways", "", ClaimSpec.of(PoolOperator.POOL, PoolOperator.CLASS, new Owner(WEB, "u"))));
        berth.client.relist();

        berth.addresses.reconcile(FIRST);

        assertThat(cluster.claims).isEmpty();
    }

    @Test
    void start_leavesItAsItIs() {
        PoolOperator next = new PoolOperator(cluster, () -> Instant.parse("2026-03-01T12:00:00Z"));
        next.addresses.reconcile(FIRST);
        next.reconcileDue();

        assertUntouched();
        assertThat(next.ledger.holding(FIRST)).isPresent();
    }
}
