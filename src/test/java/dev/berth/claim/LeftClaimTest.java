package dev.berth.claim;

import static dev.berth.claim.Sample.key;
import static dev.berth.pool.SamplePools.pool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.SamplePools;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeftClaimTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final Owner WEB = new Owner(key("web"), "uid-web");
    private static final Owner OTHER = new Owner(key("other"), "uid-other");
    private static final ClaimSpec ALONE = ClaimSpec.of("edge", "x", WEB);
    private static final PoolSet POOLS = SamplePools.poolSet(pool("edge", "192.0.2.0/24"));

    private static LeftClaim left(ClaimSpec spec, PoolSet pools) {
        return LeftClaim.of(new Claim(Ip.parse("192.0.2.1"), "c", "5", spec), new Ledger.Leaving(WEB, NOW), pools);
    }

    private static PoolSet reusedAfter(Duration reuseAfter) {
        return SamplePools.poolSet(
                SamplePools.with(pool("edge", "192.0.2.0/24"), policy -> policy.withReuseAfter(reuseAfter)));
    }

    /** It had the address once, and has another now. */
    private static PoolSet elsewhere(boolean takesBack) {
        return PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge",
                        Instant.EPOCH,
                        List.of("198.51.100.0/24"),
                        List.of(),
                        false,
                        PoolPolicy.OPEN,
                        takesBack)),
                List.of());
    }

    @Test
    void addressThatNobodyNeeds_isDeleted() {
        assertThat(left(ALONE, POOLS)).isEqualTo(new LeftClaim.Deleted());
    }

    @Test
    void addressThatAnotherHas_isKept_withoutTheOneThatLeft() {
        assertThat(left(ClaimSpec.of("edge", "x", WEB, OTHER), POOLS))
                .isInstanceOfSatisfying(
                        LeftClaim.Kept.class,
                        kept -> assertThat(kept.spec().owners()).containsExactly(OTHER));
    }

    @Test
    void addressThatIsRetained_isKept_forTheOneThatLeft() {
        assertThat(left(SampleClaims.retained(ALONE), POOLS))
                .isInstanceOfSatisfying(
                        LeftClaim.Kept.class,
                        kept -> assertThat(kept.spec().owners()).containsExactly(new Owner(key("web"), null)));
    }

    @Test
    void addressThatIsNotReusedYet_isKept_fromNowOn() {
        assertThat(left(ALONE, reusedAfter(Duration.ofMinutes(5))))
                .isInstanceOfSatisfying(
                        LeftClaim.Kept.class,
                        kept -> assertThat(kept.spec().releasedAt()).isEqualTo(NOW));
    }

    @Test
    void addressInNoPool_isDeleted_unlessItIsRetained() {
        assertThat(left(ALONE, elsewhere(false))).isEqualTo(new LeftClaim.Deleted());
        assertThat(left(SampleClaims.retained(ALONE), elsewhere(false))).isInstanceOf(LeftClaim.Kept.class);
    }

    @Test
    void addressThatItsPoolTakesBack_isDeleted_alsoIfItIsRetained_butNotWhileAnotherHasIt() {
        assertThat(left(SampleClaims.retained(ALONE), elsewhere(true))).isEqualTo(new LeftClaim.Deleted());
        assertThat(left(ClaimSpec.of("edge", "x", WEB, OTHER), elsewhere(true))).isInstanceOf(LeftClaim.Kept.class);
    }
}
