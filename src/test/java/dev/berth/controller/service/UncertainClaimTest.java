package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.PoolPolicy;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A create whose answer is lost, and that is done only after a read has found nothing. */
class UncertainClaimTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");

    private Instant clock = Instant.parse("2026-03-01T12:00:00Z");
    private final Deque<Runnable> late = new ArrayDeque<>();

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            return call.startsWith("create Address 192.0.2.1 ") ? Fault.UNKNOWN_LATE : Fault.NONE;
        }

        @Override
        public void late(String call, Runnable effect) {
            late.add(effect);
        }

        @Override
        public void answered(String call) {
            if (call.startsWith("read Address") && !late.isEmpty()) {
                late.remove().run();
                berth.hear();
            }
        }
    });
    private final PoolOperator berth = new PoolOperator(cluster, () -> clock);

    private static ServiceKey key(String name) {
        return new ServiceKey("prod", name);
    }

    private void reconcile(ServiceKey service) {
        clock = clock.plus(Duration.ofMinutes(10));
        berth.due.add(service);
        berth.reconcileDue();
    }

    private void create(ServiceKey service, FamilyPolicy policy, IpFamily... families) {
        clock = clock.plus(Duration.ofMinutes(10));
        cluster.put(
                service,
                SampleService.named(service, "uid-" + service.name())
                        .created(clock)
                        .families(policy, families));
        reconcile(service);
    }

    private int published(ServiceKey service) {
        return Objects.requireNonNull(cluster.services.get(service)).ingress().size();
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    @Test
    void claimThatIsHeardOfWhileAReadFindsNone_losesNoPlaceForTheOtherFamily() {
        berth.usePool(PoolPolicy.OPEN, "192.0.2.1", "2001:db8::1");
        create(key("holder"), FamilyPolicy.SINGLE_STACK, IpFamily.IPV6);
        create(WEB, FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6);
        assertThat(late).isNotEmpty();
        create(key("next"), FamilyPolicy.SINGLE_STACK, IpFamily.IPV6);
        reconcile(WEB);
        assertThat(late).isEmpty();

        cluster.deleteService(key("holder"));
        reconcile(key("holder"));

        assertThat(published(WEB)).isEqualTo(2);
        assertThat(published(key("next"))).isZero();
    }
}
