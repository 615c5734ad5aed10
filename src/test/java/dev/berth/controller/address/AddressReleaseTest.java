package dev.berth.controller.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.SampleClaims;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AddressReleaseTest {
    private static final Ip IP = Ip.parse("192.0.2.1");
    private static final Owner WEB = new Owner(new ServiceKey("prod", "web"), "u1");
    private static final Owner OTHER = new Owner(new ServiceKey("prod", "other"), "u2");

    private final OneAddress cluster = new OneAddress();
    private final Ledger ledger = new Ledger();
    private final List<Duration> delays = new ArrayList<>();
    private final List<Ip> again = new ArrayList<>();
    private Runnable next = () -> {};
    private final Instant now = Instant.parse("2026-03-01T12:00:00Z");

    private final AddressRelease release = new AddressRelease(
            cluster,
            ledger,
            new Timing(
                    () -> now,
                    () -> now,
                    (delay, what) -> {
                        delays.add(delay);
                        next = what;
                        return () -> {};
                    },
                    new Backoff(new Random(1))),
            none -> {},
            again::add,
            (owner, className) -> true,
            ledger::observe,
            held -> false);

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private static Claim claim(String uid) {
        return new Claim(IP, uid, "5", ClaimSpec.of("edge", "berth.dev/pool", WEB));
    }

    private Optional<Holding.State> held() {
        return ledger.holding(IP).map(Holding::state);
    }

    /** A create that nobody waited for any more landed just after the read. */
    @Test
    void anAddressThatIsHeardOfWhileAReadFindsNone_staysClaimed() {
        ledger.holdAgain(List.of(IP), WEB);
        ledger.doubt(IP);
        cluster.liveClaim = new Read.Absent<>();
        cluster.whileReading = () -> ledger.observe(claim("a1"));

        Released released = release.of(IP, WEB, null);

        assertThat(held()).hasValue(Holding.State.CLAIMED);
        assertThat(released).isEqualTo(Released.CHANGED);
    }

    /** Somebody changed it, and the cache reported that before the delete was answered. */
    @Test
    void anAddressWhoseDeleteFails_isLookedAtAgain_ifAnEventOnItWasPassedOver() {
        Claim claim = claim("a1");
        ledger.observe(claim);
        cluster.deletion = new Write.Conflict<>("changed");
        release.of(IP, WEB, claim);
        assertThat(again).isEmpty();

        cluster.whileWriting = () -> assertThat(release.hasDeleted(claim)).isTrue();
        release.of(IP, WEB, claim);

        assertThat(again).containsExactly(IP);
        assertThat(release.hasDeleted(claim)).isFalse();
    }

    /** Of two who share it and are to have it again, one leaves before it is made again. */
    @Test
    void whoLeavesAnAddressThatIsToBeMadeAgain_leftNow() {
        Claim shared =
                new Claim(IP, "a1", "5", SampleClaims.retained(ClaimSpec.of("edge", "berth.dev/pool", WEB, OTHER)));
        ledger.observe(shared);
        ledger.vanished(shared, null);

        assertThat(release.of(IP, WEB, null)).isEqualTo(Released.DONE);

        assertThat(ledger.holding(IP).orElseThrow().spec().departures())
                .containsExactly(new ClaimSpec.Departure(WEB.service(), now));
    }

    @Test
    void whoFindsTheAddressVanishedOnLeaving_leftNow() {
        Claim shared =
                new Claim(IP, "a1", "5", SampleClaims.retained(ClaimSpec.of("edge", "berth.dev/pool", WEB, OTHER)));
        ledger.observe(shared);
        cluster.update = new Write.NotFound<>("no such Address");

        assertThat(release.of(IP, WEB, shared)).isEqualTo(Released.DONE);

        assertThat(ledger.holding(IP).orElseThrow().spec().departures())
                .containsExactly(new ClaimSpec.Departure(WEB.service(), now));
    }

    /** The answer to the update is on its way while the cache hears of an object that was made since. */
    @Test
    void anAddressThatIsHeardOfWhileAnUpdateFindsNone_staysClaimed() {
        ledger.observe(claim("a1"));
        cluster.update = new Write.NotFound<>("no such Address");
        cluster.whileWriting = () -> ledger.observe(claim("a2"));
        cluster.liveClaim = new Read.Found<>(claim("a2"));
        ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge",
                        Instant.EPOCH,
                        List.of("192.0.2.0/28"),
                        List.of(),
                        false,
                        PoolPolicy.OPEN.withReuseAfter(Duration.ofHours(2)),
                        false)),
                List.of()));

        assertThat(release.of(IP, WEB, claim("a1"))).isEqualTo(Released.CHANGED);

        assertThat(held()).hasValue(Holding.State.CLAIMED);
    }

    /** Two operators gave it back, each for one of two who shared it; the one of the two that stays is deleted. */
    @Test
    void whoIsToHaveAVanishedAddressAgain_butIsInNoCache_isReadAgain_untilItIsTold() {
        Claim shared = new Claim(IP, "a1", "5", ClaimSpec.of("edge", "berth.dev/pool", WEB, OTHER));
        ledger.observe(shared);
        cluster.update = new Write.NotFound<>("no such Address");
        cluster.live = new Read.Failed<>("no route to host");
        release.of(IP, WEB, shared);
        next.run();
        assertThat(ledger.holding(IP).map(Holding::owners)).hasValue(List.of(OTHER));

        cluster.live = new Read.Absent<>();
        next.run();

        assertThat(held()).isEmpty();
    }

    @Test
    void whoFindsTheAddressVanishedOnLeaving_leaves_thoughWhoSharesItCannotBeRead() {
        Claim shared = new Claim(IP, "a1", "5", ClaimSpec.of("edge", "berth.dev/pool", OTHER, WEB));
        ledger.observe(shared);
        cluster.unreadable = OTHER.service();
        cluster.update = new Write.NotFound<>("no such Address");

        assertThat(release.of(IP, WEB, shared)).isEqualTo(Released.DONE);

        assertThat(ledger.holding(IP).map(Holding::owners)).hasValue(List.of(OTHER));
        assertThat(delays).isEmpty();
    }
}
