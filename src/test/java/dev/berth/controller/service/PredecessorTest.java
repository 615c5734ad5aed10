package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.ClaimSpec;
import dev.berth.address.Ip;
import dev.berth.address.Ledger;
import dev.berth.address.Owner;
import dev.berth.address.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.StartGate;
import dev.berth.controller.address.AddressControl;
import dev.berth.plan.SampleService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An Address that names a Service by a uid that is not there any more: of a backup, or of one made anew. */
class PredecessorTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip ADDRESS = Ip.parse("192.0.2.7");

    private final SimulatedCluster cluster = new SimulatedCluster(false, new SimulatedCluster.Line() {
        @Override
        public SimulatedCluster.Fault sending(String call, Runnable effect) {
            return SimulatedCluster.Fault.NONE;
        }

        @Override
        public void answered(String call) {}

        @Override
        public boolean readFails(String call) {
            return false;
        }
    });

    private final List<ServiceKey> due = new ArrayList<>();

    private void reconcileAddress() {
        cluster.createClaim(ADDRESS, ClaimSpec.of("edge", "berth.dev/pool", new Owner(WEB, "old")));
        cluster.deliverClaim();
        Ledger ledger = new Ledger();
        ledger.rebuild(cluster.claims());
        StartGate gate = new StartGate();
        gate.open();
        new AddressControl(
                        cluster, ledger, gate, new Backoff(new Random(1)), () -> Instant.EPOCH, due::addAll, ip -> {})
                .reconcile(ADDRESS);
    }

    @Test
    void isForTheServiceThatBearsTheNameNow_toTakeOverOrToLetGo() {
        cluster.put(WEB, SampleService.named(WEB, "new"));
        cluster.deliverService();

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
