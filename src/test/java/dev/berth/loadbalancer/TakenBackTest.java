package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of an address that an edit left outside of its pool. */
class TakenBackTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static PoolSet pools(boolean releasing) {
        return PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge", NOW, List.of("192.0.2.0/31"), List.of(), false, PoolPolicy.OPEN, releasing)),
                List.of());
    }

    private static List<Class<?>> steps(@Nullable String uid, String ip, PoolSet pools) {
        ClaimSpec spec = ClaimSpec.of("edge", "berth.dev/pool", new Owner(WEB, uid));
        Claim claim = new Claim(Ip.parse(ip), "c-" + ip, "5", spec);
        return Planner.plan(new ServiceSnapshot(
                        WEB,
                        Optional.of(SampleService.named(WEB, "u1").build()),
                        List.of(Holding.of(claim)),
                        pools,
                        SampleClasses.one(Classless.AUTO),
                        Optional.empty(),
                        Map.of(),
                        new QueuePosition(NOW, NOW, "u1"),
                        List.of()))
                .steps()
                .stream()
                .<Class<?>>map(Step::getClass)
                .toList();
    }

    @Test
    void strandedAddress_staysWithItsService() {
        assertThat(steps("u1", "192.0.2.9", pools(false))).isEmpty();
    }

    @Test
    void takenBack_itIsReleased_afterAnotherWasAskedFor() {
        assertThat(steps("u1", "192.0.2.9", pools(true))).containsExactly(Step.Acquire.class);
    }

    @Test
    void whatIsStillInThePool_isNotTakenBack() {
        assertThat(steps("u1", "192.0.2.1", pools(true))).isEmpty();
    }

    @Test
    void takenBack_itIsNotTakenOverAgain_byTheNameThatItWasKeptFor() {
        assertThat(steps(null, "192.0.2.9", pools(true))).doesNotContain(Step.ConfirmClaim.class);
        assertThat(steps(null, "192.0.2.9", pools(false))).contains(Step.ConfirmClaim.class);
    }
}
