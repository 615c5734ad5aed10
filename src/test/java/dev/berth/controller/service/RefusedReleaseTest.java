package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A Service that has an address too many, and whose status the API server does not let be written. */
class RefusedReleaseTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip SURPLUS = Ip.parse("192.0.2.3");

    private Instant clock = Instant.parse("2026-03-01T12:00:00Z");
    private boolean refuses;
    private int tries;

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            tries += refuses ? 1 : 0;
            return refuses ? Fault.REFUSED : Fault.NONE;
        }
    });
    private final PoolOperator berth = new PoolOperator(cluster, () -> clock);

    private void reconcile() {
        berth.hear();
        berth.control.reconcile(WEB);
    }

    private void holdsOneTooMany() {
        cluster.put(WEB, SampleService.named(WEB, "uid-web").families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
        reconcile();
        ClaimSpec spec = ClaimSpec.of(PoolOperator.POOL, PoolOperator.CLASS, new Owner(WEB, "uid-web"));
        cluster.putClaim(new Claim(SURPLUS, cluster.newUid(), "", spec));
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    @Test
    void addressesBeyondNeed_areAllReleasedInOnePass_howeverManyTheyAre() {
        holdsOneTooMany();
        ClaimSpec spec = ClaimSpec.of(PoolOperator.POOL, PoolOperator.CLASS, new Owner(WEB, "uid-web"));
        IntStream.range(10, 250)
                .forEach(last -> cluster.putClaim(new Claim(Ip.parse("192.0.2." + last), cluster.newUid(), "", spec)));

        reconcile();

        assertThat(cluster.claims).hasSize(1);
    }

    @Test
    void isNotTriedAgainBeforeItsTime_whateverEventsCome_andDoneInTheEnd() {
        holdsOneTooMany();
        refuses = true;
        reconcile();
        assertThat(tries).isEqualTo(1);

        reconcile();
        reconcile();
        assertThat(tries).isEqualTo(1);

        refuses = false;
        clock = clock.plus(Duration.ofMinutes(6));
        reconcile();
        assertThat(cluster.claims).doesNotContainKey(SURPLUS);
    }
}
