package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.PoolPolicy;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A Service that lost its marks and its Address while its class is not served. */
class UnmarkedAddressTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey NEXT = new ServiceKey("prod", "next");

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {});
    private final PoolOperator operator = new PoolOperator(cluster, () -> Instant.EPOCH);

    private void create(ServiceKey key) {
        cluster.put(
                key, SampleService.named(key, "uid-" + key.name()).families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.due.add(key);
        operator.reconcileDue();
    }

    private ServiceState service(ServiceKey key) {
        return Objects.requireNonNull(cluster.services.get(key));
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        operator.ledger.checkInvariants();
    }

    @Test
    void whatItPublishes_isAllocatedToNobodyElse() {
        operator.usePool(PoolPolicy.OPEN, "192.0.2.1");
        create(WEB);
        create(NEXT);
        Claim claim = cluster.claims.firstEntry().getValue();
        cluster.removeClaim(claim.ip());
        cluster.put(WEB, SampleService.from(service(WEB)).finalizers(List.of()).conditions(List.of()));
        operator.hear();
        operator.addresses.vanished(claim);

        operator.withoutClass(() -> operator.control.reconcile(WEB));

        assertThat(service(WEB).publishes(claim.ip())).isTrue();
        assertThat(operator.due).doesNotContain(NEXT);
        operator.reconcileDue();
        create(NEXT);
        assertThat(service(NEXT).ingress()).isEmpty();
    }
}
