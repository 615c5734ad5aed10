package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A create for the class that a Service had before, done just before the create for the class that it has. */
class LateClaimTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final String UID = "uid-web";
    private static final String BEFORE = "berth.dev/before";

    private int creates;
    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            if (call.startsWith("create Address ") && creates++ == 0) {
                Ip ip = Ip.parse("192.0.2.0");
                cluster.putClaim(
                        new Claim(ip, "late", "", ClaimSpec.of(PoolOperator.POOL, BEFORE, new Owner(WEB, UID))));
            }
            return Fault.NONE;
        }
    });
    private final PoolOperator berth = new PoolOperator(cluster, () -> Instant.parse("2026-03-01T12:00:00Z"));

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    @Test
    void addressOfTheClassBefore_isReleased_andNeverPublished() {
        cluster.put(WEB, SampleService.named(WEB, UID).loadBalancerClass(PoolOperator.CLASS));
        berth.due.add(WEB);

        berth.reconcileDue();

        assertThat(cluster.claims.values())
                .singleElement()
                .extracting(claim -> claim.spec().loadBalancerClass())
                .isEqualTo(PoolOperator.CLASS);
        assertThat(Objects.requireNonNull(cluster.services.get(WEB)).ingress())
                .extracting(Published::ip)
                .containsExactlyElementsOf(
                        cluster.claims.keySet().stream().map(Ip::toString).toList());
        assertThat(creates).isEqualTo(2);
    }
}
