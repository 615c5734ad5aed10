package dev.berth.claim;

import static dev.berth.claim.Sample.claim;
import static dev.berth.claim.Sample.key;
import static dev.berth.claim.Sample.labelled;
import static dev.berth.claim.Sample.preferring;
import static dev.berth.claim.Sample.request;
import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static dev.berth.pool.SamplePools.limited;
import static dev.berth.pool.SamplePools.pool;
import static dev.berth.pool.SamplePools.poolSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.pool.Quota;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.pool.SamplePools;
import dev.berth.pool.Selector;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final Ip FIRST = Ip.parse("192.0.2.0");

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final Ledger ledger = new Ledger();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    @BeforeEach
    void twoAddresses() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/31")));
    }

    private Choice.Assigned assigned(AddressRequest request) {
        return (Choice.Assigned) ledger.choose(request);
    }

    private static Ledger.Leaving leaving(Owner owner) {
        return new Ledger.Leaving(owner, NOW);
    }

    private void take(AddressRequest request) {
        assertThat(ledger.take(request)).isInstanceOf(Choice.Assigned.class);
    }

    @Test
    void take_ofWhatWasTakenSince_choosesAgain() {
        List<Choice.Pick> first = assigned(request("a", 0, IPV4)).picks();
        assertThat(assigned(request("b", 0, IPV4)).picks()).isEqualTo(first);

        assertThat(ledger.take(request("a", 0, IPV4)))
                .isInstanceOfSatisfying(
                        Choice.Assigned.class,
                        choice -> assertThat(choice.picks()).isEqualTo(first));
        assertThat(ledger.take(request("b", 0, IPV4)))
                .isInstanceOfSatisfying(
                        Choice.Assigned.class,
                        choice -> assertThat(choice.picks()).doesNotContainAnyElementsOf(first));
        assertThat(ledger.take(request("c", 0, IPV4))).isInstanceOf(Choice.Refused.class);
        assertThat(ledger.heldFor(key("b"))).hasSize(1);
        assertThat(ledger.heldFor(key("c"))).isEmpty();
    }

    private void threeWaitForTwoThatOthersHave() {
        ledger.observe(claim("192.0.2.0", "x", 1));
        ledger.observe(claim("192.0.2.1", "y", 2));
        ledger.await(request("first", 0, IPV4));
        ledger.await(request("second", 1, IPV4));
        ledger.await(request("third", 2, IPV4));
    }

    @Test
    void serviceThatSaysThatAddressesAreFreeForOthers_looksAgain_onceNoneIs() {
        threeWaitForTwoThatOthersHave();
        assertThat(ledger.free(claim("192.0.2.0", "x", 1))).containsExactly(key("first"));
        assertThat(ledger.take(request("second", 1, IPV4)))
                .isInstanceOfSatisfying(
                        Choice.Refused.class,
                        refused -> assertThat(refused.refusals())
                                .extracting(Refusal::reason)
                                .containsExactly(RefusalReason.OTHERS_WAIT));

        take(request("first", 0, IPV4));

        assertThat(ledger.stopWaiting(key("first"))).containsExactly(key("second"));
        assertThat(ledger.stopWaiting(key("first"))).isEmpty();
    }

    @Test
    void serviceThatSaysThatAddressesAreFreeForOthers_doesNotLookAgain_whileOneIs_orWhenItWaitsNoLonger() {
        threeWaitForTwoThatOthersHave();
        ledger.free(claim("192.0.2.0", "x", 1));
        ledger.free(claim("192.0.2.1", "y", 2));
        ledger.take(request("third", 2, IPV4));

        take(request("first", 0, IPV4));
        assertThat(ledger.stopWaiting(key("first"))).doesNotContain(key("third"));

        ledger.stopWaiting(key("third"));
        take(request("second", 1, IPV4));
        assertThat(ledger.stopWaiting(key("second"))).isEmpty();
    }

    /** One that needs both families, and lacks IPv6 alone; another takes what there is of IPv4. */
    private void assertLooksAgain(AddressRequest both, AddressRequest taker) {
        assertThat(ledger.take(both))
                .isInstanceOfSatisfying(
                        Choice.Refused.class,
                        refused -> assertThat(refused.refusals())
                                .extracting(Refusal::family)
                                .containsOnly(IPV6));
        ledger.await(both);

        take(taker);

        assertThat(ledger.stopWaiting(taker.service())).containsExactly(both.service());
        assertThat(ledger.take(both))
                .isInstanceOfSatisfying(
                        Choice.Refused.class,
                        refused -> assertThat(refused.refusals())
                                .extracting(Refusal::family)
                                .contains(IPV4, IPV6));
        assertThat(ledger.stopWaiting(taker.service())).isEmpty();
    }

    @Test
    void serviceThatLacksOneOfTwoFamilies_looksAgain_onceNoAddressIsLeftOfTheOther() {
        ledger.observe(claim("192.0.2.0", "x", 1));

        assertLooksAgain(request("both", 1, true, IPV4, IPV6), request("first", 0, IPV4));
    }

    @Test
    void serviceThatLacksOneOfTwoFamilies_looksAgain_onceTheAddressThatItNamesIsTaken() {
        assertLooksAgain(
                Sample.asking(request("both", 1, true, IPV4, IPV6), "192.0.2.1"),
                Sample.asking(request("first", 0, IPV4), "192.0.2.1"));
    }

    @Test
    void serviceThatLacksOneOfTwoFamilies_looksAgain_onceItsQuotaIsUsedUp() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0/29"), new Quota(2, Map.of()))));
        AddressRequest both = request("both", 2, true, IPV4, IPV6);
        ledger.take(both);
        ledger.await(both);

        take(request("first", 0, IPV4));
        assertThat(ledger.stopWaiting(key("first"))).isEmpty();

        assertLooksAgain(both, request("second", 1, IPV4));
    }

    @Test
    void serviceThatNamesAnAddress_forWhichOthersWaitWhoNameNone_looksAgain_onceTheyDoNot() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.observe(claim("192.0.2.0", "x", 1));
        ledger.await(request("ahead", 0, IPV4));
        ledger.free(claim("192.0.2.0", "x", 1));
        AddressRequest both = Sample.asking(request("both", 1, true, IPV4, IPV6), "192.0.2.0");
        assertThat(reasons(ledger.take(both))).contains(RefusalReason.OTHERS_WAIT);
        ledger.await(both);

        assertThat(ledger.stopWaiting(key("ahead"))).containsExactly(key("both"));
    }

    private static List<RefusalReason> reasons(Choice choice) {
        return ((Choice.Refused) choice)
                .refusals().stream().map(Refusal::reason).toList();
    }

    @Test
    void serviceThatLacksOneOfTwoFamilies_looksAgain_onceTheAddressOfTheOtherThatWasKeptForItIsDeleted() {
        Claim kept = new Claim(FIRST, "claim-kept", "1", ClaimSpec.of("edge", null, new Owner(key("both"), null)));
        ledger.observe(kept);
        ledger.observe(claim("192.0.2.1", "x", 2));
        AddressRequest lacking = request("both", 1, true, IPV6);
        ledger.take(lacking);
        ledger.await(lacking);

        assertThat(ledger.free(kept)).containsExactly(key("both"));
    }

    @Test
    void serviceThatWaitsForAnExhaustedPool_looksAgain_onceTheQuotaOfItsNamespaceIsUsedUp() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0"), new Quota(1, Map.of()))));
        Owner others = new Owner(new ServiceKey("dev", "x"), "uid-x");
        ClaimSpec ofOthers = ClaimSpec.of("edge", "berth.dev/pool", others);
        ledger.observe(new Claim(FIRST, "claim-x", "1", ofOthers));
        AddressRequest waits = request("waits", 1, IPV4);
        assertThat(reasons(ledger.take(waits))).containsExactly(RefusalReason.FULL);
        ledger.await(waits);

        Ledger.Observation seen = ledger.observe(new Claim(
                FIRST, "claim-x", "2", ClaimSpec.of("edge", "berth.dev/pool", new Owner(key("other"), "uid-other"))));

        assertThat(seen.due()).contains(key("waits"));
        assertThat(reasons(ledger.take(waits))).containsExactly(RefusalReason.OVER_QUOTA);
    }

    /** It said that the address is reserved. */
    @Test
    void serviceThatWaitsForAnAddressByItsName_looksAgain_onceOneGetsItForWhomItWasWithheld() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.withhold(key("web"), List.of(FIRST));
        AddressRequest named = Sample.asking(request("named", 1, IPV4), "192.0.2.0");
        ledger.take(named);
        ledger.await(named);

        Owner web = new Owner(key("web"), "uid-web");
        assertThat(ledger.observe(new Claim(FIRST, "claim-x", "1", ClaimSpec.of("edge", "berth.dev/pool", web)))
                        .due())
                .contains(key("named"));
    }

    /** It said that the address was released recently. */
    @Test
    void serviceThatWaitsForAnAddressByItsName_looksAgain_onceAPersonReservesIt() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ClaimSpec released = ClaimSpec.of("edge", "berth.dev/pool", new Owner(key("web"), "uid-web"))
                .leftBy(new Owner(key("web"), "uid-web"), Sample.START);
        ledger.observe(new Claim(FIRST, "claim-x", "1", released));
        AddressRequest named = Sample.asking(request("named", 1, IPV4), "192.0.2.0");
        ledger.take(named);
        ledger.await(named);

        assertThat(ledger.observe(new Claim(FIRST, "claim-x", "2", SampleClaims.retained(released)))
                        .due())
                .contains(key("named"));
    }

    @Test
    void serviceThatWaitsForAnAddressByItsName_looksAgain_onceItIsClaimedForAnotherKind() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.observe(new Claim(FIRST, "claim-x", "1", ClaimSpec.of("edge", null)));
        AddressRequest named = Sample.asking(request("named", 1, IPV4), "192.0.2.0");
        ledger.take(named);
        ledger.await(named);

        assertThat(ledger.observe(new Claim(FIRST, "claim-x", "2", ClaimSpec.ofOtherKind("edge", null, "Gateway")))
                        .due())
                .contains(key("named"));
    }

    /** It may have to take it back. */
    @Test
    void serviceThatPublishesAnAddressOfNobody_looksAgain_onceTheAddressIsAnothers() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.withhold(key("forged"), List.of(FIRST));
        Owner web = new Owner(key("web"), "uid-web");

        Claim claim = new Claim(FIRST, "claim-x", "1", ClaimSpec.of("edge", "berth.dev/pool", web));

        assertThat(ledger.observe(claim).due()).contains(key("forged"));
        assertThat(ledger.observe(claim).due()).isEmpty();
    }

    @Test
    void whatIsHeldWithoutAnAddressForOneServiceAlone_isFree_onceNobodyMakesOne_butNotWhatItShares() {
        Owner web = new Owner(key("web"), "uid-web");
        Owner other = new Owner(key("other"), "uid-other");
        ledger.holdAgain(List.of(FIRST), web);
        Claim shared =
                new Claim(Ip.parse("192.0.2.1"), "claim-x", "1", ClaimSpec.of("edge", "berth.dev/pool", other, web));
        ledger.observe(shared);
        ledger.gone(shared);
        ledger.vanished(shared, null);

        ledger.freeUnclaimed(key("web"));

        assertThat(ledger.holding(FIRST)).isEmpty();
        assertThat(ledger.holding(shared.ip()).orElseThrow().owners()).contains(other);
    }

    /** It says that its pool does not select it, and not how much of that is free. */
    @Test
    void serviceThatJoinsTheQueue_doesNotLookAgain_forANumberThatItDoesNotSay() {
        AddressRequest foreign = Sample.asking(request("foreign", 1, IPV4), "203.0.113.9");
        Choice.Refused refused = (Choice.Refused) ledger.take(foreign);
        take(request("taker", 0, IPV4));

        assertThat(ledger.await(foreign, refused.refusals())).isEmpty();
    }

    /** What happens between the answer and the queue is told to nobody who does not wait yet. */
    @Test
    void serviceThatJoinsTheQueue_looksAgain_ifItWouldBeAnsweredAnythingElseByNow() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        Owner web = new Owner(key("web"), "uid-web");
        ledger.observe(new Claim(FIRST, "claim-x", "1", ClaimSpec.of("edge", "berth.dev/pool", web)));
        AddressRequest named = Sample.asking(request("named", 1, IPV4), "192.0.2.0");
        Choice.Refused refused = (Choice.Refused) ledger.take(named);

        assertThat(ledger.await(named, refused.refusals())).isEmpty();
        ledger.stopWaiting(key("named"));
        ledger.observe(new Claim(
                FIRST, "claim-x", "2", ClaimSpec.of("edge", "berth.dev/pool", new Owner(key("other"), "uid-other"))));
        assertThat(ledger.await(named, refused.refusals())).containsExactly(key("named"));
    }

    /** A person may have edited it, or a write of an operator that has ended may land late. */
    @Test
    void addressWhosePoolIsAnother_isNews_forWhomHasIt() {
        Owner web = new Owner(key("web"), "uid-web");
        ledger.observe(new Claim(FIRST, "claim-x", "1", ClaimSpec.of("edge", "berth.dev/pool", web)));

        assertThat(ledger.observe(new Claim(FIRST, "claim-x", "2", ClaimSpec.of("core", "berth.dev/pool", web)))
                        .concerned())
                .containsExactly(key("web"));
    }

    @Test
    void serviceThatWaitsForItsQuota_looksAgain_onceTheAddressThatItNamesIsTaken() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0/31"), new Quota(1, Map.of()))));
        ledger.observe(claim("192.0.2.1", "x", 1));
        AddressRequest named = Sample.asking(request("named", 1, IPV4), "192.0.2.0");
        assertThat(reasons(ledger.take(named))).containsExactly(RefusalReason.OVER_QUOTA);
        ledger.await(named);

        assertThat(ledger.observe(new Claim(FIRST, "claim-y", "2", ofNamespaceDev()))
                        .due())
                .containsExactly(key("named"));
        assertThat(reasons(ledger.take(named))).containsExactly(RefusalReason.IN_USE);
    }

    @Test
    void allThatWaitForTheirQuota_lookAgain_onceItIsFree_andNothingIsLeftOfThePool() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0"), new Quota(1, Map.of()))));
        ledger.observe(claim("192.0.2.0", "x", 1));
        List<AddressRequest> waiting = List.of(request("a", 1, IPV4), request("b", 2, IPV4));
        for (AddressRequest waits : waiting) {
            assertThat(reasons(ledger.take(waits))).containsExactly(RefusalReason.OVER_QUOTA);
            ledger.await(waits);
        }

        assertThat(ledger.observe(new Claim(FIRST, "claim-192.0.2.0", "3", ofNamespaceDev()))
                        .due())
                .containsExactlyInAnyOrder(key("a"), key("b"));
        for (AddressRequest waits : waiting) {
            assertThat(reasons(ledger.take(waits))).containsExactly(RefusalReason.FULL);
        }
    }

    private static ClaimSpec ofNamespaceDev() {
        return ClaimSpec.of("edge", "berth.dev/pool", new Owner(new ServiceKey("dev", "y"), "uid-y"));
    }

    @Test
    void serviceThatLacksOneOfTwoFamilies_andSaysThatTheOtherIsForOthers_looksAgain_onceTheyAreGone() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0"), pool("six", "2001:db8::")));
        ledger.observe(claim("192.0.2.0", "x", 1));
        AddressRequest first = request("first", 0, IPV6);
        AddressRequest both = request("both", 1, true, IPV4, IPV6);
        Claim six = claim("2001:db8::", "y", 2);
        ledger.observe(six);
        ledger.await(first);
        ledger.free(six);
        assertThat(reasons(ledger.take(both))).contains(RefusalReason.OTHERS_WAIT);
        ledger.await(both);

        assertThat(ledger.stopWaiting(key("first"))).containsExactly(key("both"));
        assertThat(reasons(ledger.take(both))).doesNotContain(RefusalReason.OTHERS_WAIT);
    }

    @Test
    void serviceThatSaysThatOneFamilyIsForOthers_looksAgain_onceTheyAreGone_alsoIfTheOtherFamilyIsForOthersJustThen() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0"), pool("six", "2001:db8::")));
        Claim four = claim("192.0.2.0", "x", 1);
        ledger.observe(four);
        Claim six = claim("2001:db8::", "y", 2);
        ledger.observe(six);
        ledger.await(request("first", 0, IPV6));
        ledger.free(six);
        AddressRequest both = request("both", 1, true, IPV4, IPV6);
        ledger.take(both);
        ledger.await(both);
        ledger.await(request("other", 0, IPV4));
        ledger.free(four);

        assertThat(ledger.stopWaiting(key("first"))).contains(key("both"));
    }

    @Test
    void serviceThatSaysThatAnAddressIsForOneThatNamesIt_looksAgain_onceThatOneIsGone() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0"), pool("six", "2001:db8::")));
        ledger.observe(claim("192.0.2.0", "x", 1));
        Claim six = claim("2001:db8::", "y", 2);
        ledger.observe(six);
        ledger.await(Sample.asking(request("first", 0, IPV6), "2001:db8::"));
        ledger.free(six);
        AddressRequest both = request("both", 1, true, IPV4, IPV6);
        assertThat(reasons(ledger.take(both))).contains(RefusalReason.OTHERS_WAIT);
        ledger.await(both);

        assertThat(ledger.stopWaiting(key("first"))).containsExactly(key("both"));
    }

    @Test
    void serviceThatIsBehindOthersForItsQuota_doesNotLookAgain_whileTheyWait() {
        ledger.usePools(
                poolSet(pool("edge", "192.0.2.0"), limited(pool("six", "2001:db8::/126"), new Quota(1, Map.of()))));
        ledger.observe(claim("192.0.2.0", "x", 1));
        ledger.await(request("first", 0, IPV6));
        AddressRequest both = request("both", 1, true, IPV4, IPV6);
        assertThat(reasons(ledger.take(both))).contains(RefusalReason.OTHERS_WAIT);

        assertThat(ledger.await(both)).isEmpty();
    }

    @Test
    void addressThatIsObservedAgain_makesNobodyDue() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0"), new Quota(1, Map.of())), pool("six", "2001:db8::")));
        Claim claimed = claim("192.0.2.0", "x", 1);
        ledger.observe(claimed);
        ledger.observe(claim("2001:db8::", "y", 2));
        AddressRequest named = Sample.asking(request("named", 1, IPV4, IPV6), "2001:db8::");
        for (AddressRequest waits : List.of(named, request("any", 2, IPV4))) {
            ledger.take(waits);
            ledger.await(waits);
        }

        assertThat(ledger.observe(new Claim(FIRST, claimed.uid(), "9", claimed.spec()))
                        .due())
                .isEmpty();
    }

    @Test
    void serviceThatSaysThatAFamilyIsForOthers_looksAgain_thoughTheyWentBeforeItWaited() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0"), pool("six", "2001:db8::")));
        ledger.observe(claim("192.0.2.0", "x", 1));
        AddressRequest both = request("both", 1, true, IPV4, IPV6);
        ledger.await(request("first", 0, IPV6));
        ledger.take(both);

        assertThat(ledger.stopWaiting(key("first"))).containsExactly(key("both"));
    }

    @Test
    void observe_ofAnOlderObject_saysNothing() {
        ledger.observe(claim("192.0.2.0", "a", 7));

        assertThat(ledger.observe(claim("192.0.2.0", "b", 5)).owners()).isEmpty();
        assertThat(ledger.heldFor(key("a"))).hasSize(1);
        assertThat(ledger.heldFor(key("b"))).isEmpty();
    }

    @Test
    void observe_ofAnObjectThatIsGone_saysNothing() {
        ledger.gone(claim("192.0.2.0", "a", 7));

        assertThat(ledger.observe(claim("192.0.2.0", "a", 7)).owners()).isEmpty();
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void observe_ofWhatWasReadBeforeItWasReleased_saysNothing() {
        Claim read = claim("192.0.2.0", "a", 7);
        ledger.observe(read);
        ledger.free(read);

        assertThat(ledger.observe(read).owners()).isEmpty();
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void observe_ofAnObjectBeforeOneThatIsGone_saysNothing() {
        Claim before = new Claim(FIRST, "u1", "7", ClaimSpec.of("edge", null, new Owner(key("a"), "uid-a")));
        Claim after = new Claim(FIRST, "u2", "9", ClaimSpec.of("edge", null, new Owner(key("b"), "uid-b")));
        ledger.observe(after);
        ledger.free(after);

        assertThat(ledger.observe(before).owners()).isEmpty();
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void free_ofAnObjectThatIsForAnotherSince_keepsItTheirs() {
        Claim before = new Claim(FIRST, "u1", "7", ClaimSpec.of("edge", null, new Owner(key("a"), "uid-a")));
        ledger.observe(new Claim(FIRST, "u1", "9", ClaimSpec.of("edge", null, new Owner(key("b"), "uid-b"))));

        assertThat(ledger.free(before)).containsExactly(key("b"));
        assertThat(ledger.holding(FIRST).map(Holding::state)).contains(Holding.State.HELD);
        assertThat(ledger.heldFor(key("b"))).hasSize(1);
    }

    @Test
    void vanished_staysTheirsWhoNeedItStill() {
        Owner a = new Owner(key("a"), "uid-a");
        Owner b = new Owner(key("b"), "uid-b");
        Claim shared = new Claim(FIRST, "u1", "7", ClaimSpec.of("edge", null, a, b));
        ledger.observe(shared);

        assertThat(ledger.vanished(shared, leaving(a))).containsExactly(key("b"));
        assertThat(ledger.holding(FIRST).map(Holding::owners)).contains(List.of(b));
        assertThat(ledger.holding(FIRST).map(Holding::state)).contains(Holding.State.HELD);

        Claim again = new Claim(FIRST, "u2", "9", ClaimSpec.of("edge", null, b));
        ledger.observe(again);
        ledger.vanished(again, leaving(b));
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void vanished_ofAnOwnerThatLeaves_doesNotKeepIt_whoeverSawFirstThatTheObjectIsGone() {
        Owner a = new Owner(key("a"), "uid-a");
        Owner b = new Owner(key("b"), "uid-b");
        Claim shared = new Claim(FIRST, "u1", "7", ClaimSpec.of("edge", null, a, b));
        ledger.observe(shared);
        assertThat(ledger.vanished(shared, null)).containsExactly(key("a"), key("b"));

        assertThat(ledger.vanished(shared, leaving(a))).containsExactly(key("b"));
        assertThat(ledger.holding(FIRST).map(Holding::owners)).contains(List.of(b));

        ledger.vanished(shared, leaving(b));
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void leave_takesItFromNobodyElse() {
        Owner a = new Owner(key("a"), "uid-a");
        Owner b = new Owner(key("b"), "uid-b");
        Claim shared = new Claim(FIRST, "u1", "7", ClaimSpec.of("edge", null, a, b));
        ledger.observe(shared);
        ledger.doubt(shared);

        assertThat(ledger.leave(FIRST, leaving(a))).containsExactly(key("b"));
        assertThat(ledger.holding(FIRST).map(Holding::owners)).contains(List.of(b));

        ledger.leave(FIRST, leaving(b));
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void leaveAndNotMade_takeNothingFromAnObjectThatIsKnownByNow() {
        Owner a = new Owner(key("a"), "uid-a");
        ledger.observe(new Claim(FIRST, "u1", "7", ClaimSpec.of("edge", null, a)));

        ledger.leave(FIRST, leaving(a));
        ledger.notMade(FIRST);

        assertThat(ledger.holding(FIRST).map(Holding::state)).contains(Holding.State.CLAIMED);
    }

    @Test
    void lost_takesNothingFromAnObjectThatIsHeardOfMeanwhile() {
        take(request("a", 0, IPV4));
        Holding known = ledger.holding(FIRST).orElseThrow();
        ledger.observe(new Claim(FIRST, "u1", "7", known.spec()));

        ledger.lost(known);

        assertThat(ledger.holding(FIRST).map(Holding::state)).contains(Holding.State.CLAIMED);
    }

    @Test
    void notMade_keepsWhatWasInDoubtForItsOwner() {
        take(request("a", 0, IPV4));
        ledger.doubt(FIRST);

        ledger.notMade(FIRST);

        assertThat(ledger.holding(FIRST).map(Holding::state)).contains(Holding.State.HELD);
    }

    @Test
    void vanished_freesWhatWasReservedOnly() {
        Claim reserved = new Claim(FIRST, "u1", "7", ClaimSpec.of(null, null, new Owner(key("a"), null)));
        ledger.observe(reserved);

        ledger.vanished(reserved, null);

        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void lost_freesWhatNobodyNeedsAnyMore() {
        Claim bound = claim("192.0.2.0", "a", 7);
        ClaimSpec cooling = leaving(request("a", 0, IPV4).owner()).from(bound.spec());
        ledger.observe(new Claim(FIRST, bound.uid(), "8", cooling));

        ledger.lost(ledger.holding(FIRST).orElseThrow());

        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void doubt_keepsItHeld_andLostKeepsItTheirs() {
        take(request("a", 0, IPV4));
        ledger.doubt(FIRST);
        assertThat(ledger.holding(FIRST).map(Holding::state)).contains(Holding.State.UNSURE);

        ledger.observe(claim("192.0.2.0", "a", 7));
        ledger.lost(ledger.holding(FIRST).orElseThrow());
        assertThat(ledger.holding(FIRST).map(Holding::state)).contains(Holding.State.HELD);
        assertThat(assigned(request("b", 0, IPV4)).picks().getFirst().ip()).hasToString("192.0.2.1");
    }

    @Test
    void giveUp_ofWhatAnotherClaimedMeanwhile_leavesItToThem() {
        take(request("a", 0, IPV4));
        ledger.observe(claim("192.0.2.0", "b", 7));

        assertThat(ledger.giveUp(FIRST, request("a", 0, IPV4).owner())).isEmpty();
        assertThat(ledger.heldFor(key("b"))).hasSize(1);
    }

    @Test
    void free_makesDueExactlyWhoIsInTurn_inTheOrderOfWaiting() {
        ledger.rebuild(List.of(claim("192.0.2.0", "a", 1), claim("192.0.2.1", "b", 2)));
        ledger.await(request("late", 20, IPV4));
        ledger.await(request("early", 10, IPV4));

        assertThat(ledger.waiting()).containsExactly(key("early"), key("late"));
        assertThat(ledger.free(FIRST)).containsExactly(key("early"));
        assertThat(ledger.free(Ip.parse("192.0.2.1"))).containsExactly(key("late"));
    }

    @Test
    void aNewcomer_doesNotOvertake() {
        ledger.rebuild(List.of(claim("192.0.2.0", "a", 1), claim("192.0.2.1", "b", 2)));
        ledger.await(request("early", 10, IPV4));
        ledger.free(FIRST);

        assertThat(ledger.choose(request("newcomer", 30, IPV4)))
                .isInstanceOfSatisfying(
                        Choice.Refused.class,
                        refused -> assertThat(refused.refusals().getFirst().reason())
                                .isEqualTo(RefusalReason.OTHERS_WAIT));
        take(request("early", 10, IPV4));
    }

    @Test
    void whoCannotUseWhatWasFreed_blocksNobody() {
        Selector teamB = new Selector(List.of(new Selector.Requirement("team", Selector.Operator.IN, List.of("b"))));
        ledger.usePools(poolSet(
                pool("edge", "192.0.2.0"),
                SamplePools.with(
                        pool("b", 0, 1, "198.51.100.0"), policy -> policy.withSelectors(Selector.EVERYTHING, teamB))));
        ledger.rebuild(List.of(claim("192.0.2.0", "x", 1), claim("198.51.100.0", "y", 2)));
        ledger.await(request("noTeam", 10, IPV4));
        ledger.await(labelled(request("teamB", 20, IPV4), Map.of("team", "b")));

        assertThat(ledger.free(Ip.parse("198.51.100.0"))).containsExactly(key("teamB"));
        take(labelled(request("teamB", 20, IPV4), Map.of("team", "b")));
    }

    @Test
    void oneWhoWaitedForTwoPools_takesOfOne_andTheNextIsDueForTheOther() {
        ledger.usePools(poolSet(pool("p", "192.0.2.0"), pool("q", "198.51.100.0")));
        ledger.rebuild(List.of(claim("192.0.2.0", "x", 1), claim("198.51.100.0", "y", 2)));
        ledger.await(request("first", 10, IPV4));
        ledger.await(request("second", 20, IPV4));
        assertThat(ledger.free(FIRST)).containsExactly(key("first"));
        assertThat(ledger.free(Ip.parse("198.51.100.0"))).containsExactly(key("first"));

        take(request("first", 10, IPV4));

        assertThat(ledger.stopWaiting(key("first"))).containsExactly(key("second"));
    }

    @Test
    void oneThatFallsBackInTheQueue_letsTheNextTakeItsTurn() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.rebuild(List.of(claim("192.0.2.0", "x", 1)));
        ledger.await(request("a", 10, IPV4));
        ledger.await(request("b", 20, IPV4));
        assertThat(ledger.free(FIRST)).containsExactly(key("a"));

        // Another of the same name, younger than b.
        assertThat(ledger.await(request("a", 30, IPV4))).containsExactly(key("b"));
        take(request("b", 20, IPV4));
    }

    @Test
    void oneThatNeedsBothFamilies_andWaitsBehindOthersForOne_blocksNobodyInTheOther() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0"), pool("six", "2001:db8::")));
        ledger.rebuild(List.of(claim("2001:db8::", "x", 1)));
        ledger.await(request("ahead", 10, IPV6));
        ledger.free(Ip.parse("2001:db8::"));

        ledger.await(request("both", 20, true, IPV4, IPV6));
        take(request("ahead", 10, IPV6));

        take(request("four", 30, IPV4));
    }

    @Test
    void holdAgain_comesBeforeAllWhoWait_ifAPoolStillAllowsIt() {
        ledger.await(request("early", 0, IPV4));

        ledger.holdAgain(preferring(request("former", 50, IPV4), "192.0.2.0"));
        ledger.holdAgain(preferring(request("stranger", 50, IPV4), "203.0.113.1"));

        assertThat(ledger.holding(FIRST).orElseThrow().isFor(key("former"), "uid-former"))
                .isTrue();
        assertThat(ledger.heldFor(key("stranger"))).isEmpty();
    }

    @Test
    void usePools_keepsHoldings_countsAgain_andMakesDueWhoWaits_andWhoseAddressIsOfAnotherPoolNow() {
        ledger.rebuild(List.of(claim("192.0.2.0", "a", 1), claim("192.0.2.1", "b", 2)));
        ledger.await(request("c", 1, IPV4));

        assertThat(ledger.usePools(poolSet(pool("other", "192.0.2.1-192.0.2.4"))))
                .containsExactly(key("c"), key("b"));
        assertThat(ledger.use("other", IPV4).allocated()).isEqualTo(1);
        assertThat(ledger.use("other", IPV4).waiting()).isEqualTo(1);
        assertThat(ledger.use("edge", IPV4).capacity()).isZero();
        assertThat(ledger.holdings()).hasSize(2);
    }

    @Test
    void requireDualStack_withOnlyIpv4Free_isRefusedNamingIpv6_andPreferTakesWhatThereIs() {
        assertThat(ledger.choose(request("a", 0, true, IPV4, IPV6)))
                .isInstanceOfSatisfying(
                        Choice.Refused.class,
                        refused -> assertThat(refused.refusals())
                                .extracting(Refusal::family, Refusal::reason)
                                .containsExactly(
                                        org.assertj.core.groups.Tuple.tuple(IPV6, RefusalReason.NO_SUCH_FAMILY)));
        assertThat(assigned(request("a", 0, IPV4, IPV6)).picks()).hasSize(1);
    }

    @Test
    void addressThatIsGone_isKnownToBe_andSoIsOneBeforeIt_butNotALaterOne() {
        Claim claim = claim("192.0.2.0", "a", 2);
        assertThat(ledger.isGone(claim)).isFalse();

        ledger.gone(claim);

        assertThat(ledger.isGone(claim)).isTrue();
        assertThat(ledger.isGone(new Claim(FIRST, "before", "1", claim.spec()))).isTrue();
        assertThat(ledger.isGone(new Claim(FIRST, "after", "3", claim.spec()))).isFalse();
        ledger.gone(new Claim(FIRST, "before", "1", claim.spec()));
        assertThat(ledger.isGone(claim)).isTrue();
    }

    @Test
    void addressThatVanished_isNotNotedAgain_byAReadThatWasUnderWay() {
        Claim claim = claim("192.0.2.0", "a", 1);
        ledger.observe(claim);
        ledger.vanished(claim, leaving(claim.owners().getFirst()));

        assertThat(ledger.observe(claim).owners()).isEmpty();
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void whatAServicePublishesAndDoesNotHold_isWithheldForIt_untilItPublishesItNoMore() {
        assertThat(ledger.withholdsFor(key("a"))).isFalse();
        ledger.withhold(key("a"), List.of(FIRST, FIRST.next()));
        assertThat(ledger.withholdsFor(key("a"))).isTrue();
        assertThat(ledger.withholdsFor(key("b"))).isFalse();

        AddressRequest waits = request("b", 0, IPV4);
        ledger.await(waits);
        assertThat(ledger.withholdOnly(key("a"), List.of(FIRST, FIRST.next()))).isEmpty();
        assertThat(ledger.withholdOnly(key("a"), List.of(FIRST.next()))).containsExactly(key("b"));
        assertThat(ledger.holding(FIRST)).isEmpty();
        assertThat(ledger.holding(FIRST.next())).isPresent();
    }

    @Test
    void addressOfAServiceThatNoPoolHas_isStranded_andItsPoolIsListed() {
        Claim stranded = claim("203.0.113.0", "a", 1);
        ledger.observe(stranded);
        ledger.observe(claim("192.0.2.0", "b", 2));

        assertThat(ledger.isStranded(Holding.of(stranded))).isTrue();
        assertThat(ledger.isStranded(Holding.of(claim("192.0.2.0", "b", 2)))).isFalse();
        assertThat(ledger.isStranded(Holding.of(claim("203.0.113.1", "c", 3)))).isFalse();
        assertThat(ledger.strandedPools()).containsExactly("edge");
        ledger.free(stranded);
        assertThat(ledger.strandedPools()).isEmpty();
    }

    @Test
    void rebuild_forgetsWhatWasHeldAndWithheld() {
        ledger.observe(claim("192.0.2.0", "a", 1));
        ledger.withhold(key("b"), List.of(FIRST.next()));

        ledger.rebuild(List.of());

        assertThat(ledger.holdings()).isEmpty();
        assertThat(ledger.withholdsFor(key("b"))).isFalse();
        assertThat(ledger.heldFor(key("a"))).isEmpty();
        take(request("c", 0, IPV4));
        take(request("d", 0, IPV4));
    }

    @Test
    void rebuild_hasThoseWhoWait_waitForWhatIsTakenNow() {
        ledger.observe(claim("192.0.2.0", "x", 1));
        ledger.observe(claim("192.0.2.1", "y", 2));
        ledger.await(request("a", 0, IPV4));

        ledger.rebuild(List.of(claim("192.0.2.1", "y", 3)));
        ledger.observe(claim("192.0.2.0", "x", 4));

        assertThat(ledger.free(claim("192.0.2.0", "x", 4))).containsExactly(key("a"));
    }

    @Test
    void copy_holdsTheSame_withTheSameWhoWait_andWhatIsAssumedOfItChangesNothingElse() {
        ledger.observe(claim("192.0.2.0", "x", 1));
        ledger.withhold(key("b"), List.of(FIRST.next()));
        ledger.await(request("a", 0, IPV4));

        Ledger copy = ledger.copy(poolSet(pool("edge", "192.0.2.0/30")));

        copy.checkInvariants();
        assertThat(copy.waiting()).containsExactly(key("a"));
        assertThat(copy.withholdsFor(key("b"))).isTrue();
        assertThat(copy.holdings()).containsExactlyInAnyOrderElementsOf(ledger.holdings());
        Choice.Assigned chosen = (Choice.Assigned) copy.choose(request("a", 0, IPV4));
        copy.assume(chosen);
        assertThat(copy.heldFor(key("a")))
                .singleElement()
                .satisfies(holding -> assertThat(holding.state()).isEqualTo(Holding.State.CLAIMED));
        assertThat(ledger.heldFor(key("a"))).isEmpty();
    }

    @Test
    void copy_inWhichOneJoinsASharedAddress_hasBothOnIt() {
        AddressRequest first = Sample.sharing(request("a", 0, IPV4), "dns", 53);
        Choice.Assigned alone = (Choice.Assigned) ledger.take(first);
        ledger.observe(claim(first, alone.picks().getFirst(), 1));
        Ledger copy = ledger.copy(poolSet(pool("edge", "192.0.2.0/32")));
        AddressRequest second = Sample.sharing(request("b", 0, IPV4), "dns", 54);

        copy.assume((Choice.Assigned) copy.choose(second));

        assertThat(copy.holding(FIRST).orElseThrow().owners()).containsExactly(first.owner(), second.owner());
        copy.checkInvariants();
    }
}
