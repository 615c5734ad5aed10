package dev.berth.claim;

import static dev.berth.claim.Sample.claim;
import static dev.berth.claim.Sample.key;
import static dev.berth.claim.Sample.request;
import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.pool.SamplePools.pool;
import static dev.berth.pool.SamplePools.poolSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.pool.PoolDeclaration;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StrandedTest {
    private static final int SEEDS = 2_000;

    private final Ledger ledger = new Ledger();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private static PoolDeclaration releasing(PoolDeclaration pool) {
        return new PoolDeclaration(
                pool.name(),
                pool.created(),
                pool.addresses(),
                pool.excluded(),
                pool.withoutEnds(),
                pool.policy(),
                true);
    }

    private static Claim of(String ip, @Nullable String pool, @Nullable String uid) {
        return new Claim(
                Ip.parse(ip), "claim-" + ip, "1", ClaimSpec.of(pool, "berth.dev/pool", new Owner(key("a"), uid)));
    }

    private List<String> stranded(String pool) {
        return ledger.stranded(pool, 100).first().stream()
                .map(holding -> holding.ip().toString())
                .toList();
    }

    @Test
    void whatAShrunkPoolLost_isCounted_andTheLowestAreNamed() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/28")));
        ledger.rebuild(IntStream.range(0, 12)
                .mapToObj(i -> claim("192.0.2." + i, "s" + i, i + 1))
                .toList());

        ledger.usePools(poolSet(pool("edge", "192.0.2.0/31")));

        Stranded stranded = ledger.stranded("edge", 3);
        assertThat(stranded.total()).isEqualTo(10);
        assertThat(stranded.first())
                .extracting(holding -> holding.ip().toString())
                .containsExactly("192.0.2.2", "192.0.2.3", "192.0.2.4");
    }

    @Test
    void whatAnotherPoolHasNow_isNotStranded() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/28")));
        ledger.rebuild(List.of(claim("192.0.2.0", "a", 1)));

        ledger.usePools(poolSet(pool("renamed", "192.0.2.0/28")));

        assertThat(ledger.strandedPools()).isEmpty();
        assertThat(ledger.use("renamed", IPV4).allocated()).isOne();
    }

    @Test
    void whatIsOfNoService_orNeverCameFromAPool_isNotStranded() {
        ledger.rebuild(List.of(of("192.0.2.0", "edge", null), of("192.0.2.1", null, "u1")));

        assertThat(ledger.stranded()).isEmpty();
    }

    @Test
    void onceReleased_itIsStrandedNoLonger() {
        Claim claim = claim("192.0.2.0", "a", 1);
        ledger.rebuild(List.of(claim));
        assertThat(stranded("edge")).containsExactly("192.0.2.0");

        ledger.free(claim);

        assertThat(ledger.strandedPools()).isEmpty();
    }

    @Test
    void poolThatTakesBack_makesThoseWhoHaveItDue_andNobodyElse() {
        ledger.rebuild(List.of(claim("192.0.2.0", "a", 1), claim("198.51.100.0", "b", 2), of("203.0.113.0", "x", "u")));

        assertThat(ledger.usePools(poolSet(releasing(pool("edge", "198.51.100.0")))))
                .containsExactly(key("a"));
    }

    @Test
    void poolThatTakesNothingBack_makesNobodyDue() {
        ledger.rebuild(List.of(claim("192.0.2.0", "a", 1)));

        assertThat(ledger.usePools(poolSet(pool("edge", "198.51.100.0")))).isEmpty();
    }

    @Test
    void whatIsStranded_isAlwaysWhatServicesHaveOfPoolsAndNoPoolHas() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Ledger any = new Ledger();
            for (int step = 0; step < 30; step++) {
                String ip = "192.0.2." + random.nextInt(6);
                switch (random.nextInt(4)) {
                    case 0 ->
                        any.usePools(poolSet(pool("edge", "192.0.2.0-192.0.2." + random.nextInt(6)), pool("b", ip)));
                    case 1 -> any.free(Ip.parse(ip));
                    case 2 ->
                        any.observe(new Claim(
                                Ip.parse(ip),
                                "claim-" + ip,
                                String.valueOf(step + 1),
                                ClaimSpec.of(
                                        random.nextBoolean() ? "edge" : null,
                                        null,
                                        new Owner(key("a"), random.nextBoolean() ? "u" : null))));
                    default -> any.take(request("n" + step, 0, IPV4));
                }
                any.checkInvariants();
                assertThat(new TreeSet<>(any.stranded()))
                        .as("seed %s, step %s", seed, step)
                        .containsExactlyElementsOf(any.holdings().stream()
                                .filter(holding -> holding.spec().phase() == ClaimSpec.Phase.BOUND
                                        && holding.spec().pool() != null
                                        && any.pools().poolOf(holding.ip()).isEmpty())
                                .map(Holding::ip)
                                .sorted()
                                .toList());
            }
        }
    }
}
