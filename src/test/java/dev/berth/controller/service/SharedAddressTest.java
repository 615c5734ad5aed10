package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two Services that share an address, whose Address an administrator deletes. */
class SharedAddressTest {
    private static final ServiceKey STAYS = new ServiceKey("prod", "stays");
    private static final ServiceKey LEAVES = new ServiceKey("prod", "leaves");

    private Runnable beforeACreate = () -> {};
    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            if (call.startsWith("create Address ")) {
                beforeACreate.run();
            }
            return Fault.NONE;
        }
    });
    private final PoolOperator berth = new PoolOperator(cluster, () -> Instant.parse("2026-03-01T12:00:00Z"));

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

    @Test
    void oneThatLeavesWhileItIsMadeAgain_leavesAgain_onceItIsThere() {
        cluster.put(LEAVES, shares(LEAVES, 80));
        cluster.put(STAYS, shares(STAYS, 81));
        berth.due.add(LEAVES);
        berth.due.add(STAYS);
        berth.reconcileDue();
        Claim shared = cluster.claims.firstEntry().getValue();
        assertThat(shared.spec().owners()).extracting(Owner::service).containsExactly(LEAVES, STAYS);

        cluster.removeClaim(shared.ip());
        berth.hear();
        berth.addresses.vanished(shared);
        beforeACreate = () -> {
            beforeACreate = () -> {};
            cluster.put(LEAVES, shares(LEAVES, 80).loadBalancerClass("other.dev/class"));
            berth.hear();
            berth.control.reconcile(LEAVES);
        };
        berth.due.clear();
        berth.due.add(STAYS);
        berth.reconcileDue();

        assertThat(cluster.claims.values())
                .singleElement()
                .extracting(claim ->
                        claim.spec().owners().stream().map(Owner::service).toList())
                .isEqualTo(List.of(STAYS));
    }
}
