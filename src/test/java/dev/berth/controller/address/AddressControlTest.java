package dev.berth.controller.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.service.SampleLoops;
import dev.berth.ip.Ip;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressControlTest {
    private static final Ip IP = Ip.parse("192.0.2.1");
    private static final Owner WEB = new Owner(new ServiceKey("prod", "web"), "u1");
    private static final Owner OTHER = new Owner(new ServiceKey("prod", "other"), "u2");

    private final OneAddress cluster = new OneAddress();
    private final Ledger ledger = new Ledger();
    private final List<Duration> delays = new ArrayList<>();
    private Runnable next = () -> {};
    private Runnable whileJudging = () -> {};
    private Runnable whenDue = () -> {};
    private final List<ServiceKey> due = new ArrayList<>();
    private ClassSet classes = ClassSet.empty();
    private AddressControl control;
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    /** How far the clock was set forward. */
    private Duration ahead = Duration.ZERO;

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    @BeforeEach
    void open() {
        StartGate gate = new StartGate();
        gate.open();
        control = new SampleLoops(cluster, ledger, gate, () -> now)
                .clock(() -> now.plus(ahead))
                .later((delay, what) -> {
                    delays.add(delay);
                    next = what;
                    return () -> {};
                })
                .classes(this::classes)
                .due(services -> {
                    due.addAll(services);
                    whenDue.run();
                })
                .build()
                .addresses();
    }

    private ClassSet classes() {
        whileJudging.run();
        return classes;
    }

    private static Claim claim(String uid) {
        return new Claim(IP, uid, "5", ClaimSpec.of("edge", "berth.dev/pool", WEB));
    }

    private Optional<Holding.State> held() {
        return ledger.holding(IP).map(Holding::state);
    }

    @Test
    void vanishedObjectThatTheCacheHas_isThere() {
        cluster.cached = Optional.of(claim("a2"));
        ledger.observe(claim("a2"));

        control.vanished(claim("a2"));

        assertThat(ledger.isGone(claim("a2"))).isFalse();
        assertThat(held()).hasValue(Holding.State.CLAIMED);
    }

    @Test
    void anAddressThatIsHeardOf_whileTheOneBeforeIsFoundGone_staysClaimed() {
        ledger.observe(claim("a1"));
        whileJudging = () -> ledger.observe(new Claim(IP, "a2", "9", claim("a1").spec()));

        control.vanished(claim("a1"));

        assertThat(held()).hasValue(Holding.State.CLAIMED);
    }

    @Test
    void whoseAVanishedAddressWas_isReadAgain_withGrowingDelays_untilItIsTold() {
        ledger.observe(claim("a1"));
        cluster.live = new Read.Failed<>("no route to host");

        control.vanished(claim("a1"));
        for (int i = 0; i < 20; i++) {
            assertThat(held()).hasValue(Holding.State.HELD);
            next.run();
        }
        assertThat(delays).hasSize(21);
        assertThat(delays.subList(0, 6)).isSorted();
        assertThat(delays.getLast()).isBetween(Duration.ofSeconds(270), Duration.ofSeconds(300));

        cluster.live = new Read.Absent<>();
        next.run();

        assertThat(held()).isEmpty();
        assertThat(delays).hasSize(21);
    }

    /** Its event may come when it is not Berth's to look at any more. */
    @Test
    void addressOfAServiceThatOnlyALiveReadFinds_isLookedAtAgain_untilTheCacheHasIt() {
        cluster.cached = Optional.of(claim("a1"));
        cluster.live = new Read.Found<>(SampleService.named(WEB.service(), Objects.requireNonNull(WEB.uid()))
                .build());

        assertThat(control.reconcile(IP).delay()).isPresent();
        assertThat(held()).hasValue(Holding.State.CLAIMED);
    }

    /** Of a pool whose addresses rest for two hours. */
    private void restsForTwoHours() {
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
    }

    private Next look(Claim released) {
        restsForTwoHours();
        cluster.cached = Optional.of(released);
        return control.reconcile(IP);
    }

    private static Claim released(Instant at) {
        return new Claim(IP, "a1", "5", claim("a1").spec().leftBy(WEB, at));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void coolingAddress_restsForAsLongAsItsPoolSays_alsoIfTheClockIsSet(int hours) {
        Claim released = released(now.minus(Duration.ofMinutes(30)));
        assertThat(look(released)).isEqualTo(Next.after(Duration.ofMinutes(90)));

        ahead = Duration.ofHours(hours);
        now = now.plus(Duration.ofMinutes(30));

        assertThat(look(released)).isEqualTo(Next.after(Duration.ofHours(1)));
    }

    @Test
    void releaseThatIsDatedInTheFuture_countsFromNowOn() {
        Claim released = released(now.plus(Duration.ofDays(1)));

        assertThat(look(released)).isEqualTo(Next.after(Duration.ofHours(2)));
        now = now.plus(Duration.ofMinutes(30));
        assertThat(look(released)).isEqualTo(Next.after(Duration.ofMinutes(90)));
    }

    @Test
    void anotherReleaseOfTheSameAddress_countsFromTheStart() {
        look(released(now));
        now = now.plus(Duration.ofMinutes(30));

        assertThat(look(released(now))).isEqualTo(Next.after(Duration.ofHours(2)));
    }

    @Test
    void addressThatHasCooled_andCannotBeDeleted_isTriedAgain_withGrowingDelays() {
        Claim cooled = released(now.minus(Duration.ofHours(3)));
        List<Duration> pauses = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            pauses.add(look(cooled).delay().orElseThrow());
        }
        assertThat(pauses.subList(0, 6)).isSorted();
        assertThat(pauses.getLast()).isBetween(Duration.ofSeconds(270), Duration.ofSeconds(300));

        cluster.deletion = new Write.Done<>(cooled);
        assertThat(look(cooled)).isEqualTo(Next.ON_EVENT);
    }

    private Claim sharedWithAnUnreadableOne() {
        Claim shared = new Claim(IP, "a1", "5", ClaimSpec.of("edge", "berth.dev/pool", OTHER, WEB));
        ledger.observe(shared);
        cluster.unreadable = OTHER.service();
        return shared;
    }

    private void onlyTheUnreadableOneHasIt() {
        assertThat(ledger.holding(IP).map(Holding::owners)).hasValue(List.of(OTHER));
    }

    @Test
    void ofThoseWhoShareAVanishedAddress_oneThatIsGoneLeaves_thoughAnotherCannotBeRead() {
        control.vanished(sharedWithAnUnreadableOne());

        onlyTheUnreadableOneHasIt();
    }

    @Test
    void ofThoseWhoShareAnAddress_oneThatIsGoneLeaves_thoughAnotherCannotBeRead() {
        Claim shared = sharedWithAnUnreadableOne();
        cluster.cached = Optional.of(shared);
        cluster.update = new Write.Done<>(new Claim(IP, "a1", "6", ClaimSpec.of("edge", "berth.dev/pool", OTHER)));

        control.reconcile(IP);

        onlyTheUnreadableOneHasIt();
    }

    @Test
    void whoseAddressWasFoundGone_butIsInNoCache_isReadAgain_untilItIsTold() {
        ledger.observe(claim("a1"));

        control.foundGone(claim("a1"));
        assertThat(held()).hasValue(Holding.State.HELD);
        next.run();

        assertThat(held()).isEmpty();
        assertThat(delays).hasSize(1);
    }

    @Test
    void vanishedAddressThatAnotherHoldsByNow_isReadNoMore() {
        ledger.observe(claim("a1"));
        cluster.live = new Read.Failed<>("no route to host");
        control.vanished(claim("a1"));
        ledger.observe(new Claim(IP, "a2", "6", ClaimSpec.of("edge", "berth.dev/pool", OTHER)));

        next.run();

        assertThat(delays).hasSize(1);
        assertThat(held()).hasValue(Holding.State.CLAIMED);
    }

    @Test
    void whatHasNoAddressAndNoServiceInACache_isReadAgain_untilItIsTold_onceForAllWhoAsk() {
        ledger.holdAgain(List.of(IP), WEB);
        cluster.live = new Read.Failed<>("no route to host");

        assertThat(control.releaseIfGone(IP, WEB)).isEqualTo(Released.LATER);
        assertThat(control.releaseIfGone(IP, WEB)).isEqualTo(Released.LATER);
        assertThat(delays).hasSize(1);

        cluster.live = new Read.Absent<>();
        next.run();

        assertThat(held()).isEmpty();
        assertThat(delays).hasSize(1);
    }

    /** Another operator has deleted the Address, and made one for another Service, which it deleted as well. */
    @Test
    void whatIsHeldForAServiceThatIsGone_isReadAgain_untilItIsTold_thoughTheCacheHasAnAddressOfAnother() {
        ledger.holdAgain(List.of(IP), WEB);
        cluster.live = new Read.Failed<>("no route to host");
        cluster.cached = Optional.of(new Claim(IP, "a2", "6", ClaimSpec.of("edge", "berth.dev/pool", OTHER)));
        assertThat(control.releaseIfGone(IP, WEB)).isEqualTo(Released.LATER);

        cluster.cached = Optional.empty();
        cluster.live = new Read.Absent<>();
        control.reconcile(IP);
        next.run();

        assertThat(held()).isEmpty();
    }

    private void serviceThatMayBeGoneCannotBeRead() {
        ledger.observe(claim("a1"));
        cluster.live = new Read.Failed<>("no route to host");
        control.releaseIfGone(IP, WEB);
    }

    @Test
    void addressOfAServiceThatIsGone_isNotReleased_onceItIsAnotherBerths() {
        serviceThatMayBeGoneCannotBeRead();
        classes = SampleClasses.ofAnotherBerth("berth.dev/pool");
        cluster.live = new Read.Absent<>();
        cluster.deletion = new Write.Done<>(claim("a1"));

        next.run();
        control.releaseIfGone(WEB.service());

        assertThat(held()).hasValue(Holding.State.CLAIMED);
        classes = ClassSet.empty();
        assertThat(control.classChanged("berth.dev/pool")).containsExactly(IP);
    }

    /** Another operator has made its Address again, and deleted it before this one looked. */
    @Test
    void whatIsHeldForAServiceThatIsGone_isReadAgain_untilItIsTold_thoughTheAddressInTheCacheVanishes() {
        ledger.holdAgain(List.of(IP), WEB);
        cluster.live = new Read.Failed<>("no route to host");
        cluster.cached = Optional.of(claim("a1"));
        assertThat(control.releaseIfGone(IP, WEB)).isEqualTo(Released.LATER);

        cluster.cached = Optional.empty();
        cluster.live = new Read.Absent<>();
        control.vanished(claim("a1"));
        next.run();

        assertThat(held()).isEmpty();
    }

    @Test
    void addressOfAServiceThatIsGone_isLeftToTheNextOfItsName_thatTakesItOver() {
        serviceThatMayBeGoneCannotBeRead();
        ServiceState successor = SampleService.named(WEB.service(), "u-next").build();
        cluster.service = Optional.of(successor);
        cluster.live = new Read.Found<>(successor);
        cluster.deletion = new Write.Done<>(claim("a1"));

        next.run();

        assertThat(held()).hasValue(Holding.State.CLAIMED);
        assertThat(due).contains(WEB.service());
    }

    /** Its owner was in the cache, and is gone before that look is over. */
    @Test
    void whatIsHeldForAServiceThatGoesWhileItIsLookedFor_isLookedAtAgain() {
        serviceThatMayBeGoneCannotBeRead();
        ServiceState owner = SampleService.named(WEB.service(), "u1").build();
        cluster.service = Optional.of(owner);
        cluster.live = new Read.Found<>(owner);
        whenDue = () -> {
            whenDue = () -> {};
            cluster.service = Optional.empty();
            cluster.live = new Read.Failed<>("no route to host");
            control.releaseIfGone(IP, WEB);
        };

        next.run();

        assertThat(delays).hasSize(2);
    }

    @Test
    void addressThatBecomesAnotherBerths_whileItsProviderDeletes_isNotReleased() {
        ledger.observe(claim("a1"));
        cluster.deletion = new Write.Done<>(claim("a1"));
        int[] judged = {0};
        whileJudging = () -> {
            if (++judged[0] == 2) {
                classes = SampleClasses.ofAnotherBerth("berth.dev/pool");
            }
        };

        control.releaseIfGone(IP, WEB);

        assertThat(held()).hasValue(Holding.State.CLAIMED);
    }

    @Test
    void whatIsHeldForAServiceThatIsGone_isLookedAfterOnce_alsoWhereItsAddressVanishes() {
        serviceThatMayBeGoneCannotBeRead();

        control.vanished(claim("a1"));

        assertThat(delays).hasSize(1);
    }

    /** It has no Address, as far as is known, so it is no other's. */
    @Test
    void addressWhoseCreateWasNotAnswered_isFreed_onceItsServiceIsGone_thoughItsClassIsAnotherBerths() {
        ledger.observe(claim("a1"));
        ledger.doubt(claim("a1"));
        cluster.live = new Read.Failed<>("no route to host");
        control.releaseIfGone(IP, WEB);
        classes = SampleClasses.ofAnotherBerth("berth.dev/pool");
        cluster.live = new Read.Absent<>();
        cluster.liveClaim = new Read.Absent<>();

        next.run();

        assertThat(held()).isEmpty();
    }

    @Test
    void addressOfAServiceThatIsGone_isNotReleased_ifAReadShowsThatItIsAnotherBerths() {
        ledger.observe(claim("a1"));
        ledger.doubt(claim("a1"));
        classes = SampleClasses.ofAnotherBerth("berth.dev/pool");
        cluster.liveClaim = new Read.Found<>(claim("a1"));
        cluster.deletion = new Write.Done<>(claim("a1"));

        assertThat(control.releaseIfGone(IP, WEB)).isEqualTo(Released.DONE);

        assertThat(held()).hasValue(Holding.State.CLAIMED);
    }

    /** The cache has the Address that this operator has deleted, and nothing of what came after it. */
    @Test
    void whatIsHeldForAServiceThatIsGone_isReadAgain_untilItIsTold_thoughTheCacheHasAnAddressThatWasDeleted() {
        ledger.observe(claim("a1"));
        cluster.cached = Optional.of(claim("a1"));
        cluster.deletion = new Write.Done<>(claim("a1"));
        control.release(IP, WEB, claim("a1"));
        ledger.holdAgain(List.of(IP), WEB);
        ledger.doubt(IP);
        cluster.live = new Read.Failed<>("no route to host");
        assertThat(control.releaseIfGone(IP, WEB)).isEqualTo(Released.LATER);
        control.reconcile(IP);

        cluster.cached = Optional.empty();
        control.vanished(claim("a1"));
        cluster.live = new Read.Absent<>();
        cluster.liveClaim = new Read.Absent<>();
        next.run();

        assertThat(held()).isEmpty();
    }

    @Test
    void anAddressThatWasMadeAndDeletedWhileAWatchWasDown_isLookedFor_untilItIsTold() {
        ledger.observe(claim("a1"));
        control.made(claim("a1"));
        cluster.liveClaim = new Read.Failed<>("no route to host");
        next.run();
        cluster.liveClaim = new Read.Found<>(claim("a1"));
        next.run();
        assertThat(held()).hasValue(Holding.State.CLAIMED);
        assertThat(delays).hasSize(3);

        cluster.liveClaim = new Read.Absent<>();
        next.run();

        assertThat(ledger.isGone(claim("a1"))).isTrue();
        assertThat(held()).isEmpty();
        assertThat(delays).hasSize(3);
    }

    /** Its release was rejected, for it is another object by now. */
    @Test
    void anAddressThatAReleaseHasRead_isLookedFor_asOneThatWasMade() {
        ledger.observe(claim("a1"));
        cluster.deletion = new Write.Conflict<>("it has changed");
        cluster.liveClaim = new Read.Found<>(claim("a2"));
        control.release(IP, WEB, claim("a1"));

        cluster.liveClaim = new Read.Absent<>();
        next.run();

        assertThat(held()).isEmpty();
    }

    /** Its Service is gone, and was told that another Berth releases it. */
    @Test
    void anAddress_isLookedAt_onceItsClassWasAnotherBerthsForAWhile() {
        ledger.observe(claim("a1"));
        classes = SampleClasses.ofAnotherBerth("berth.dev/pool");
        assertThat(control.classChanged("berth.dev/pool")).isEmpty();

        classes = ClassSet.empty();

        assertThat(control.classChanged("berth.dev/pool")).containsExactly(IP);
        assertThat(control.classChanged("berth.dev/pool")).isEmpty();
    }

    /** Nobody else looks after what is left of it. */
    @Test
    void anAddressOfAnotherBerthsClass_isReleased_onceThatClassIsGone() {
        classes = SampleClasses.ofAnotherBerth("berth.dev/pool");
        cluster.cached = Optional.of(claim("a1"));
        cluster.deletion = new Write.Done<>(claim("a1"));
        control.reconcile(IP);
        assertThat(held()).hasValue(Holding.State.CLAIMED);
        assertThat(control.classChanged("berth.dev/pool")).isEmpty();

        classes = ClassSet.empty();

        assertThat(control.classChanged("berth.dev/pool")).containsExactly(IP);
        control.reconcile(IP);
        assertThat(held()).isEmpty();
    }

    @Test
    void anAddressThatTheCacheHas_isNotLookedFor_forTheCacheHearsOfItsEnd() {
        ledger.observe(claim("a1"));
        cluster.cached = Optional.of(claim("a1"));
        cluster.liveClaim = new Read.Absent<>();

        control.made(claim("a1"));
        next.run();

        assertThat(held()).hasValue(Holding.State.CLAIMED);
        assertThat(delays).hasSize(1);
    }
}
