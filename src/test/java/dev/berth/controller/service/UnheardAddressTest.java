package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An Address that is deleted while the watch is broken: the cache hears neither of it nor of its end. */
class UnheardAddressTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            return call.startsWith("create Address") ? Fault.SENT_TWICE : Fault.NONE;
        }
    });
    private final PoolOperator operator = new PoolOperator(cluster, () -> Instant.EPOCH);

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        operator.ledger.checkInvariants();
    }

    @Test
    void whoseCreateWasSentTwice_isMadeAgain() {
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        operator.hear();
        operator.control.reconcile(WEB);
        Ip ip = Objects.requireNonNull(cluster.services.get(WEB))
                .publishedAddresses()
                .getFirst();

        cluster.removeClaim(ip);
        List.copyOf(operator.later).forEach(Runnable::run);
        operator.control.reconcile(WEB);

        assertThat(cluster.claims).containsKey(ip);
    }
}
