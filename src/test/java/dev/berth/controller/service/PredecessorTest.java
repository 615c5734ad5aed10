package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.StartGate;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.SampleService;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An Address that names a Service by a uid that is not there any more: of a backup, or of one recreated. */
class PredecessorTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip ADDRESS = Ip.parse("192.0.2.7");

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {});
    private final SimulatedCluster.Client client = cluster.client();

    private final Ledger ledger = new Ledger();
    private final List<ServiceKey> due = new ArrayList<>();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private void reconcileAddress() {
        client.createClaim(ADDRESS, ClaimSpec.of("edge", "berth.dev/pool", new Owner(WEB, "old")));
        client.addressCache.hear();
        ledger.rebuild(client.claims());
        StartGate gate = new StartGate();
        gate.open();
        new SampleLoops(client, ledger, gate, () -> Instant.EPOCH)
                .due(due::addAll)
                .build()
                .addresses()
                .reconcile(ADDRESS);
    }

    @Test
    void isForTheServiceThatBearsTheNameNow_toTakeOverOrToLetGo() {
        cluster.put(WEB, SampleService.named(WEB, "new"));
        client.serviceCache.hear();

        reconcileAddress();

        assertThat(cluster.claims).containsKey(ADDRESS);
        assertThat(due).containsExactly(WEB);
    }

    @Test
    void isReleased_whereNoServiceBearsTheName() {
        reconcileAddress();

        assertThat(cluster.claims).isEmpty();
    }
}
