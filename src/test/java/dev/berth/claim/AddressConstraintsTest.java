package dev.berth.claim;

import static dev.berth.claim.Sample.asking;
import static dev.berth.claim.Sample.claim;
import static dev.berth.claim.Sample.key;
import static dev.berth.claim.Sample.movingFamilies;
import static dev.berth.claim.Sample.request;
import static dev.berth.claim.Sample.sharing;
import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static dev.berth.pool.SamplePools.limited;
import static dev.berth.pool.SamplePools.pool;
import static dev.berth.pool.SamplePools.poolSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.ip.Ip;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolUse;
import dev.berth.pool.Quota;
import dev.berth.pool.SamplePools;
import dev.berth.testing.Answers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Addresses and pools asked for by name, shared ones, quotas, and the order in which addresses are used. */
class AddressConstraintsTest {
    private static final Ip FIRST = Ip.parse("192.0.2.0");
    private static final Ip SECOND = Ip.parse("192.0.2.1");

    private final Ledger ledger = new Ledger();
    private int revision = 100;

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    @BeforeEach
    void fourAddresses() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/30")));
    }

    private String answer(AddressRequest request) {
        return switch (ledger.choose(request)) {
            case Choice.Assigned assigned ->
                String.join(
                        " ",
                        assigned.picks().stream()
                                .map(pick -> (pick.joins() == null ? "" : "joins ") + pick.ip())
                                .toList());
            case Choice.Refused refused ->
                String.join(
                        "; ",
                        refused.refusals().stream()
                                .map(no -> no.pool() + " " + no.reason()
                                        + (no.detail().isEmpty() ? "" : ": " + no.detail()))
                                .toList());
        };
    }

    /** Chooses, holds, and has the claim made. */
    private void take(AddressRequest request) {
        Choice.Assigned assigned = (Choice.Assigned) ledger.take(request);
        for (Choice.Pick pick : assigned.picks()) {
            ledger.observe(claim(request, pick, ++revision));
        }
        ledger.stopWaiting(request.service());
    }

    private Ledger.Observation say(Ip ip, ClaimSpec spec) {
        return ledger.observe(new Claim(ip, "claim-" + ip, Integer.toString(++revision), spec));
    }

    private static AddressRequest of(String namespace, AddressRequest request) {
        return new AddressRequest(
                new ServiceKey(namespace, request.service().name()),
                request.uid(),
                request.loadBalancerClass(),
                request.families(),
                request.allOrNone(),
                request.requester(),
                request.constraints(),
                request.preferred(),
                request.turn());
    }

    private void use(PoolDeclaration... pools) {
        ledger.usePools(poolSet(pools));
    }

    // ---- addresses asked for

    @Test
    void anAddressAskedFor_isGivenIfItIsFree_andNoOther() {
        assertThat(answer(asking(request("a", 0, IPV4), "192.0.2.2"))).isEqualTo("192.0.2.2");
        take(asking(request("a", 0, IPV4), "192.0.2.2"));

        assertThat(answer(asking(request("b", 0, IPV4), "192.0.2.2")))
                .isEqualTo("edge IN_USE: 192.0.2.2 is used by Service prod/a");
    }

    @Test
    void anAddressOfAnotherNamespace_isInUse_withoutSayingWhose() {
        take(of("secret", asking(request("a", 0, IPV4), "192.0.2.2")));

        assertThat(answer(asking(request("b", 0, IPV4), "192.0.2.2")))
                .isEqualTo("edge IN_USE: 192.0.2.2 is used by a Service in another namespace");
    }

    @Test
    void anAddressThatIsReservedOrRests_isNotGivenToWhoNamesIt_evenWithTheSameKey() {
        AddressRequest former = sharing(request("a", 0, IPV4), "k", 80);
        ClaimSpec left = former.claimOf("edge").leftBy(former.owner(), Sample.START);
        say(FIRST, left);
        say(SECOND, SampleClaims.retained(left));
        AddressRequest other = sharing(request("b", 0, IPV4), "k", 443);

        assertThat(answer(asking(other, "192.0.2.0"))).isEqualTo("edge IN_USE: 192.0.2.0 was released recently");
        assertThat(answer(asking(other, "192.0.2.1"))).isEqualTo("edge IN_USE: 192.0.2.1 is reserved");
        assertThat(answer(other)).isEqualTo("192.0.2.2");
    }

    @Test
    void anAddressOfNoPool_isSaidOfEach() {
        use(pool("edge", "192.0.2.0/30"), pool("six", "2001:db8::/64"));

        assertThat(answer(asking(request("a", 0, IPV4), "203.0.113.1")))
                .isEqualTo("edge NOT_ITS_ADDRESS: it is outside of every AddressPool; six NO_SUCH_FAMILY");
    }

    @Test
    void anAddressOfAPoolThatItDoesNotAskFor_isSaid() {
        use(pool("edge", "192.0.2.0/30"), pool("other", "198.51.100.0/30"));
        AddressConstraints byPool =
                new AddressConstraints(List.of(Ip.parse("198.51.100.1")), List.of("edge"), null, false);

        assertThat(answer(movingFamilies(request("a", 0, IPV4), byPool)))
                .isEqualTo("edge NOT_ITS_ADDRESS: AddressPool \"other\" has it; other NOT_NAMED");
    }

    @Test
    void aPoolWithoutAutoAssign_givesAnAddressByItsName_andByThePools() {
        use(SamplePools.with(pool("vip", "192.0.2.0/30"), policy -> policy.withAutoAssign(false)));
        AddressConstraints byPool = new AddressConstraints(List.of(), List.of("other", "vip"), null, false);

        assertThat(answer(request("a", 0, IPV4))).isEqualTo("vip NOT_AUTO_ASSIGNED");
        assertThat(answer(asking(request("a", 0, IPV4), "192.0.2.3"))).isEqualTo("192.0.2.3");
        assertThat(answer(movingFamilies(request("a", 0, IPV4), byPool))).isEqualTo("192.0.2.0");
    }

    @Test
    void whoNamesPools_getsNothingOfOthers() {
        use(pool("edge", 0, 1, "192.0.2.0/30"), pool("vip", 0, 2, "198.51.100.0/30"));
        AddressConstraints byPool = new AddressConstraints(List.of(), List.of("vip"), null, false);

        assertThat(answer(movingFamilies(request("a", 0, IPV4), byPool))).isEqualTo("198.51.100.0");
        assertThat(answer(asking(movingFamilies(request("a", 0, IPV4), byPool), "192.0.2.1")))
                .isEqualTo("192.0.2.1");
    }

    @Test
    void whoNamesPoolsAndAnAddressOutsideOfThem_isRefused() {
        AddressConstraints both = new AddressConstraints(List.of(FIRST), List.of("vip"), null, false);

        assertThat(answer(movingFamilies(request("a", 0, IPV4), both))).isEqualTo("edge NOT_NAMED");
    }

    @Test
    void oneAddressAFamily_canBeAskedFor() {
        assertThatThrownBy(() -> new AddressConstraints(List.of(FIRST, SECOND), List.of(), null, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("192.0.2.1");
    }

    @Test
    void ofTwoFamilies_oneMayBeNamed() {
        use(pool("edge", "192.0.2.0/30", "2001:db8::/64"));

        assertThat(answer(asking(request("a", 0, true, IPV4, IPV6), "2001:db8::77")))
                .isEqualTo("192.0.2.0 2001:db8::77");
    }

    @Test
    void waiting_countsWhoLacksAnAddressOfThePool_forWhateverReason_once_untilItWaitsNoMore() {
        use(
                limited(pool("edge", "192.0.2.0/31", "2001:db8::/127"), new Quota(null, Map.of("dev", 0))),
                pool("other", "198.51.100.0"));
        take(asking(request("a", 0, IPV4), "192.0.2.0"));
        take(asking(request("b", 0, IPV4), "198.51.100.0"));

        ledger.await(asking(request("named", 1, IPV4), "192.0.2.0"));
        ledger.await(movingFamilies(
                of("dev", request("quota", 2, IPV4)), new AddressConstraints(List.of(), List.of("edge"), null, false)));
        assertThat(ledger.use("edge", IPV4).waiting()).isEqualTo(2);
        assertThat(ledger.use("other", IPV4).waiting()).isZero();

        take(request("c", 3, IPV4));
        ledger.await(request("any", 4, IPV4));
        assertThat(ledger.use("edge", IPV4).waiting()).isEqualTo(3);
        assertThat(ledger.use("edge", IPV6).waiting()).isZero();
        assertThat(ledger.use("other", IPV4).waiting()).isEqualTo(1);

        ledger.stopWaiting(key("named"));
        ledger.stopWaiting(new ServiceKey("dev", "quota"));
        assertThat(ledger.use("edge", IPV4).waiting()).isEqualTo(1);
        use(pool("other", "198.51.100.0"));
        assertThat(ledger.use("edge", IPV4).waiting()).isZero();
        assertThat(ledger.use("other", IPV4).waiting()).isEqualTo(1);
    }

    // ---- those who wait for one address

    @Test
    void whoWaitsForAnAddressInUse_blocksNobody() {
        take(asking(request("a", 0, IPV4), "192.0.2.0"));
        assertThat(ledger.await(asking(request("exact", 1, IPV4), "192.0.2.0"))).isEmpty();

        assertThat(answer(request("newcomer", 2, IPV4))).isEqualTo("192.0.2.1");
    }

    @Test
    void whoWaitsForAnAddress_isNotOvertakenWhenItIsFreed_neitherByNameNorByChance() {
        use(pool("edge", "192.0.2.0"));
        take(request("a", 0, IPV4));
        ledger.await(asking(request("exact", 1, IPV4), "192.0.2.0"));
        ledger.await(asking(request("later", 3, IPV4), "192.0.2.0"));

        assertThat(ledger.free(FIRST)).containsExactly(key("exact"), key("later"));
        assertThat(answer(request("newcomer", 2, IPV4))).isEqualTo("edge OTHERS_WAIT");
        assertThat(answer(asking(request("later", 3, IPV4), "192.0.2.0"))).isEqualTo("edge OTHERS_WAIT");
        assertThat(answer(asking(request("exact", 1, IPV4), "192.0.2.0"))).isEqualTo("192.0.2.0");
        assertThat(ledger.stopWaiting(key("exact"))).containsExactly(key("later"));
    }

    @Test
    void anAddressThatSomebodyWaitsFor_isGivenToOthersLast() {
        take(request("a", 0, IPV4));
        ledger.await(asking(request("exact", 9, IPV4), "192.0.2.0"));
        ledger.free(FIRST);

        assertThat(answer(request("earlier", 1, IPV4))).isEqualTo("192.0.2.1");
        use(pool("edge", "192.0.2.0"));
        assertThat(answer(request("earlier", 1, IPV4))).isEqualTo("192.0.2.0");
    }

    @Test
    void whoWaitsForAFreeAddress_hasItsTurnWhenThoseAheadOfItLeave() {
        use(pool("edge", "192.0.2.0/31"));
        take(request("x", 0, IPV4));
        take(request("y", 0, IPV4));
        ledger.await(request("ahead", 1, IPV4));
        assertThat(ledger.free(FIRST)).containsExactly(key("ahead"));
        assertThat(ledger.await(asking(request("exact", 2, IPV4), "192.0.2.0"))).isEmpty();

        assertThat(ledger.free(SECOND)).contains(key("exact"));
        assertThat(ledger.stopWaiting(key("ahead"))).contains(key("exact"));
    }

    @Test
    void whatIsSetAsideForOne_isNotCountedForThoseBehind_butTheNextIs() {
        use(pool("edge", "192.0.2.0/31"));
        take(request("x", 0, IPV4));
        take(request("y", 0, IPV4));
        ledger.await(asking(request("exact", 1, IPV4), "192.0.2.0"));
        ledger.await(request("second", 2, IPV4));
        ledger.await(request("third", 3, IPV4));

        assertThat(ledger.free(FIRST)).containsExactly(key("exact"));
        assertThat(ledger.free(SECOND)).contains(key("second")).doesNotContain(key("third"));
        assertThat(answer(request("second", 2, IPV4))).isEqualTo("192.0.2.1");
    }

    @Test
    void whoNeedsBothFamilies_setsNothingAsideWhileOneLacks() {
        use(pool("edge", "192.0.2.0", "2001:db8::1"));
        take(request("x", 0, IPV6));
        ledger.await(asking(request("both", 1, true, IPV4, IPV6), "192.0.2.0"));

        assertThat(answer(request("newcomer", 2, IPV4))).isEqualTo("192.0.2.0");
        assertThat(ledger.free(Ip.parse("2001:db8::1"))).containsExactly(key("both"));
        assertThat(answer(request("newcomer", 2, IPV4))).isEqualTo("edge OTHERS_WAIT");
    }

    @Test
    void whoNeedsBothFamilies_lookingOnWhileOneIsTaken_holdsUpNobodyForTheOther() {
        use(pool("edge", "192.0.2.0", "2001:db8::1"));
        take(request("x", 0, IPV4));
        take(request("y", 0, IPV6));
        ledger.await(request("four", 1, IPV4));
        ledger.await(request("both", 2, true, IPV4, IPV6));
        ledger.free(FIRST);
        ledger.free(Ip.parse("2001:db8::1"));
        ledger.await(request("both", 2, true, IPV4, IPV6));
        assertThat(answer(request("six", 3, IPV6))).isEqualTo("edge OTHERS_WAIT");
        ledger.await(request("six", 3, IPV6));

        assertThat(ledger.take(request("four", 1, IPV4))).isInstanceOf(Choice.Assigned.class);

        assertThat(ledger.stopWaiting(key("four"))).contains(key("six"));
        assertThat(answer(request("six", 3, IPV6))).isEqualTo("2001:db8::1");
    }

    @Test
    void whoCanShareOneFamily_waitsInTurnForTheOther() {
        use(pool("edge", "192.0.2.0", "2001:db8::1"));
        take(sharing(request("x", 0, IPV6), "k", 80));
        take(request("y", 0, IPV4));
        ledger.await(sharing(request("both", 1, true, IPV4, IPV6), "k", 443));

        assertThat(ledger.free(FIRST)).containsExactly(key("both"));
        assertThat(answer(request("newcomer", 2, IPV4))).isEqualTo("edge OTHERS_WAIT");
        assertThat(answer(sharing(request("both", 1, true, IPV4, IPV6), "k", 443)))
                .isEqualTo("192.0.2.0 joins 2001:db8::1");
    }

    // ---- sharing

    @Test
    void ofOneKey_differentPorts_shareOneAddress() {
        take(sharing(request("a", 0, IPV4), "k", 80));
        take(sharing(request("b", 0, IPV4), "k", 443));

        assertThat(ledger.use("edge", IPV4).allocated()).isEqualTo(1);
        assertThat(ledger.heldFor(key("a"))).isEqualTo(ledger.heldFor(key("b")));
        assertThat(ledger.heldFor(key("b")).getFirst().spec().sharing())
                .extracting(Sharing::ports)
                .hasToString("[TCP/80, TCP/443]");
    }

    @Test
    void onePortForTwo_takesAnotherAddress_orIsRefusedWhereTheAddressIsNamed() {
        take(sharing(request("a", 0, IPV4), "k", 80, 443));

        assertThat(answer(sharing(request("b", 0, IPV4), "k", 8080, 443))).isEqualTo("192.0.2.1");
        assertThat(answer(sharing(asking(request("b", 0, IPV4), "192.0.2.0"), "k", 443)))
                .isEqualTo("edge NOT_SHAREABLE: TCP/443 of 192.0.2.0 is used by Service prod/a");
    }

    @Test
    void aPortOfAnotherProtocol_isAnotherPort() {
        Sharing tcp = new Sharing("k", "VIP", List.of(new Sharing.Port(key("a"), "TCP", 53)));
        Sharing udp = new Sharing("k", "VIP", List.of(new Sharing.Port(key("b"), "UDP", 53)));

        assertThat(tcp.admits(udp)).isTrue();
        assertThat(tcp.admits(new Sharing("l", "VIP", List.of()))).isFalse();
        assertThat(tcp.admits(new Sharing("k", "Proxy", List.of()))).isFalse();
        assertThat(tcp.admits(new Sharing("k", "VIP", List.of(new Sharing.Port(key("b"), "TCP", 53)))))
                .isFalse();
        assertThat(tcp.admits(tcp)).isTrue();
    }

    @Test
    void otherTermsKeyOrClass_shareNothing() {
        take(sharing(request("a", 0, IPV4), "k", 80));
        AddressRequest b = request("b", 0, IPV4);
        Sharing terms = new Sharing("k", "Proxy", List.of());
        AddressRequest named =
                asking(movingFamilies(b, new AddressConstraints(List.of(), List.of(), terms, false)), "192.0.2.0");
        AddressRequest sameTerms = sharing(asking(b, "192.0.2.0"), "k", 81);
        AddressRequest ofOtherClass = new AddressRequest(
                b.service(),
                b.uid(),
                "x",
                b.families(),
                false,
                b.requester(),
                sameTerms.constraints(),
                List.of(),
                b.turn());

        assertThat(answer(named)).isEqualTo("edge NOT_SHAREABLE: 192.0.2.0 is shared by VIP, not Proxy");
        assertThat(answer(ofOtherClass)).isEqualTo("edge NOT_SHAREABLE: 192.0.2.0 belongs to class berth.dev/pool");
        assertThat(answer(sharing(b, "l", 81))).isEqualTo("192.0.2.1");
        assertThat(answer(sharing(asking(b, "192.0.2.0"), "l", 81)))
                .isEqualTo("edge IN_USE: 192.0.2.0 is used by Service prod/a");
        assertThat(answer(asking(b, "192.0.2.0"))).isEqualTo("edge IN_USE: 192.0.2.0 is used by Service prod/a");
    }

    @Test
    void anotherNamespace_neverJoins() {
        take(sharing(request("a", 0, IPV4), "k", 80));

        assertThat(answer(of("dev", sharing(request("b", 0, IPV4), "k", 443)))).isEqualTo("192.0.2.1");
        assertThat(answer(of("dev", sharing(asking(request("b", 0, IPV4), "192.0.2.0"), "k", 443))))
                .isEqualTo("edge IN_USE: 192.0.2.0 is used by a Service in another namespace");
    }

    @Test
    void aPoolThatTheJoinerMayNotUse_isNotJoined() {
        use(pool("edge", "192.0.2.0/31"), pool("vip", "198.51.100.0/31"));
        take(sharing(request("a", 0, IPV4), "k", 80));
        AddressRequest b = sharing(request("b", 0, IPV4), "k", 443);
        AddressConstraints constraints = new AddressConstraints(
                List.of(), List.of("vip"), b.constraints().sharing(), false);

        assertThat(answer(movingFamilies(b, constraints))).isEqualTo("198.51.100.0");
    }

    @Test
    void ofTwoAtOnce_theSecondWaitsForTheClaimOfTheFirst_setsNothingAside_andThenJoins() {
        use(pool("edge", "192.0.2.0/31"));
        AddressRequest a = sharing(request("a", 0, IPV4), "k", 80);
        AddressRequest b = sharing(request("b", 1, IPV4), "k", 443);
        Choice.Assigned first = (Choice.Assigned) ledger.take(a);

        assertThat(answer(b)).isEqualTo("edge SHARED_SOON");
        assertThat(answer(asking(b, "192.0.2.0"))).isEqualTo("edge SHARED_SOON");
        assertThat(ledger.await(b)).isEmpty();
        assertThat(answer(request("newcomer", 2, IPV4))).isEqualTo("192.0.2.1");

        assertThat(ledger.observe(claim(a, first.picks().getFirst(), 7)).due()).containsExactly(key("b"));
        assertThat(answer(b)).isEqualTo("joins 192.0.2.0");
    }

    @Test
    void whereTheFirstFails_theSecondTakesAnAddressOfItsOwn() {
        AddressRequest a = sharing(request("a", 0, IPV4), "k", 80);
        AddressRequest b = sharing(request("b", 1, IPV4), "k", 443);
        assertThat(ledger.take(a)).isInstanceOf(Choice.Assigned.class);
        ledger.await(b);

        assertThat(ledger.giveUp(FIRST, a.owner())).contains(key("b"));
        assertThat(answer(b)).isEqualTo("192.0.2.0");
    }

    /** Of both families it lacked IPv6 alone, as long as it could share. */
    @Test
    void addressThatGetsAnotherKey_isWaitedForAgain_byWhoCouldHaveSharedIt() {
        use(pool("edge", "192.0.2.0/32"));
        take(sharing(request("a", 0, IPV4), "k", 80));
        AddressRequest both = sharing(request("both", 1, true, IPV4, IPV6), "k", 443);
        ledger.await(both);
        assertThat(ledger.use("edge", IPV4).waiting()).isZero();

        AddressRequest otherKey = sharing(request("a", 0, IPV4), "l", 80);

        assertThat(say(FIRST, otherKey.claimOf("edge")).due()).containsExactly(key("both"));
        assertThat(ledger.use("edge", IPV4).waiting()).isEqualTo(1);
    }

    /** Alone, it may give the address another key; and it may have a port that it lacked. */
    @Test
    void whoStaysOnAnAddressThatAnotherLeaves_isDue() {
        use(pool("edge", "192.0.2.0/32"));
        AddressRequest leaves = sharing(request("leaves", 0, IPV4), "k", 80);
        take(leaves);
        take(sharing(request("content", 1, IPV4), "k", 443));
        take(sharing(request("waits", 2, IPV4), "k", 8443));
        ledger.await(sharing(request("waits", 2, IPV4), "l", 8443));
        ClaimSpec spec = ledger.holding(FIRST).orElseThrow().spec();

        assertThat(say(FIRST, spec.leftBy(leaves.owner(), Sample.START)).due())
                .containsExactly(key("content"), key("waits"));
    }

    /** It came back without the sharing key, and so could not have what is kept for it. */
    @Test
    void whoWaitsBesideItsReservation_isDue_whenTheLastThatSharedTheAddressLeaves() {
        use(pool("edge", "192.0.2.0/32"));
        AddressRequest last = sharing(request("last", 0, IPV4), "k", 80);
        AddressRequest former = sharing(request("former", 1, IPV4), "k", 443);
        take(last);
        take(former);
        ClaimSpec kept = SampleClaims.retained(
                        ledger.holding(FIRST).orElseThrow().spec())
                .leftBy(former.owner(), Sample.START);
        say(FIRST, kept);
        ledger.await(request("former", 2, IPV4));

        assertThat(say(FIRST, kept.leftBy(last.owner(), Sample.START)).due()).containsExactly(key("former"));
    }

    @Test
    void whoSharesAnAddress_isDue_whenAnotherGivesAPortBack_butNotWhoseOwnPortsChanged() {
        AddressRequest web = sharing(request("web", 0, IPV4), "k", 80);
        AddressRequest other = sharing(request("other", 1, IPV4), "k", 81);
        take(web);
        take(other);
        ClaimSpec both = ledger.holding(FIRST).orElseThrow().spec();

        ClaimSpec moved = both.joinedBy(
                other.owner(),
                Objects.requireNonNull(sharing(request("other", 1, IPV4), "k", 82)
                        .constraints()
                        .sharing()));
        assertThat(say(FIRST, moved).due()).containsExactly(key("web"));
    }

    @Test
    void ofTwoAddressesOfAKey_theLowerIsJoined_inWhateverOrderTheyCame() {
        take(sharing(asking(request("a", 0, IPV4), "192.0.2.3"), "k", 80));
        take(sharing(asking(request("b", 0, IPV4), "192.0.2.1"), "k", 80));

        assertThat(answer(sharing(request("c", 0, IPV4), "k", 443))).isEqualTo("joins 192.0.2.1");
    }

    @Test
    void whatCanBeJoined_isJoined_whileAnotherOfTheKeyIsJustBeingClaimed() {
        assertThat(ledger.take(sharing(request("a", 0, IPV4), "k", 80))).isInstanceOf(Choice.Assigned.class);
        take(sharing(asking(request("b", 0, IPV4), "192.0.2.1"), "k", 80));

        assertThat(answer(sharing(request("c", 0, IPV4), "k", 443))).isEqualTo("joins 192.0.2.1");
    }

    @Test
    void whoComesWhenAsManyShareAnAddressAsCan_getsAnother_whichTheNextShareToo() {
        for (int i = 0; i < 64; i++) {
            take(sharing(request("s" + i, 0, IPV4), "k", 1000 + i));
        }
        assertThat(ledger.holding(FIRST).orElseThrow().owners()).hasSize(64);

        assertThat(answer(sharing(asking(request("named", 0, IPV4), FIRST.toString()), "k", 80)))
                .isEqualTo("edge NOT_SHAREABLE: " + FIRST + " is already shared by the maximum number of Services");
        take(sharing(request("late", 0, IPV4), "k", 80));
        assertThat(ledger.heldFor(key("late")).getFirst().ip()).isEqualTo(Ip.parse("192.0.2.1"));
        assertThat(answer(sharing(request("later", 0, IPV4), "k", 81))).isEqualTo("joins 192.0.2.1");
    }

    @Test
    void namesThatAreGone_makeRoomForThoseWhoShare_theEarliestFirst() {
        ClaimSpec spec =
                SampleClaims.retained(sharing(request("a", 0, IPV4), "k", 1).claimOf("edge"));
        for (int i = 0; i < 100; i++) {
            AddressRequest next = sharing(request("s" + i, 0, IPV4), "k", 1000 + i);
            spec = spec.joinedBy(
                    next.owner(), Objects.requireNonNull(next.constraints().sharing()));
            spec = spec.leftBy(next.owner(), Sample.START);
        }

        assertThat(spec.isFullFor(key("another"))).isFalse();
        assertThat(spec.owners())
                .hasSize(64)
                .contains(request("a", 0, IPV4).owner(), new Owner(key("s99"), null))
                .doesNotContain(new Owner(key("s0"), null));
    }

    @Test
    void reservationsMadeByHand_makeNoRoom_howeverOldTheyAre() {
        ClaimSpec spec = SampleClaims.retained(
                        sharing(request("a", 0, IPV4), "k", 1).claimOf("edge"))
                .joinedBy(new Owner(key("by-hand"), null), new Sharing("k", "", List.of()));
        for (int i = 0; i < 100; i++) {
            AddressRequest next = sharing(request("s" + i, 0, IPV4), "k", 1000 + i);
            spec = spec.joinedBy(
                    next.owner(), Objects.requireNonNull(next.constraints().sharing()));
            spec = spec.leftBy(next.owner(), Sample.START.plusSeconds(i));
        }

        assertThat(spec.owners())
                .hasSize(64)
                .contains(new Owner(key("by-hand"), null), new Owner(key("s99"), null))
                .doesNotContain(new Owner(key("s37"), null));
    }

    @Test
    void addressWhoseNamesAreAllReservedByHand_isFull_butForThoseServices() {
        Owner[] byHand = IntStream.range(0, 64)
                .mapToObj(i -> new Owner(key("s" + i), null))
                .toArray(Owner[]::new);
        ClaimSpec spec = ClaimSpec.of("edge", "x", byHand);

        assertThat(spec.isFullFor(key("another"))).isTrue();
        assertThat(spec.isFullFor(key("s5"))).isFalse();
    }

    @Test
    void whoComesBack_isNoMoreAmongTheNamesThatAreGone() {
        AddressRequest a = sharing(request("a", 0, IPV4), "k", 1);
        AddressRequest b = sharing(request("b", 0, IPV4), "k", 2);
        Sharing shared = Objects.requireNonNull(b.constraints().sharing());
        ClaimSpec left = SampleClaims.retained(a.claimOf("edge"))
                .joinedBy(b.owner(), shared)
                .leftBy(b.owner(), Sample.START);

        assertThat(left.joinedBy(b.owner(), shared).owners()).containsExactly(a.owner(), b.owner());
    }

    @Test
    void theLastThatLeaves_startsTheRest_theOthersDoNot() {
        AddressRequest a = sharing(request("a", 0, IPV4), "k", 80);
        AddressRequest b = sharing(request("b", 0, IPV4), "k", 443);
        take(a);
        take(b);
        ClaimSpec both = ledger.holding(FIRST).orElseThrow().spec();

        ClaimSpec one = both.leftBy(a.owner(), Sample.START);
        assertThat(one.phase()).isEqualTo(ClaimSpec.Phase.BOUND);
        assertThat(one.owners()).containsExactly(b.owner());
        assertThat(one.releasedAt()).isNull();
        assertThat(one.sharing()).extracting(Sharing::ports).hasToString("[TCP/443]");

        ClaimSpec none = one.leftBy(b.owner(), Sample.START);
        assertThat(none.phase()).isEqualTo(ClaimSpec.Phase.COOLING);
        assertThat(none.owners()).containsExactly(new Owner(key("b"), null));
        assertThat(none.releasedAt()).isEqualTo(Sample.START);
    }

    @Test
    void retain_keepsAShareForTheOneThatLeft() {
        AddressRequest a = sharing(request("a", 0, IPV4), "k", 80);
        AddressRequest b = sharing(request("b", 0, IPV4), "k", 443);
        ClaimSpec both = SampleClaims.retained(a.claimOf("edge")
                .joinedBy(
                        b.owner(),
                        java.util.Objects.requireNonNull(b.constraints().sharing())));

        ClaimSpec one = both.leftBy(a.owner(), Sample.START);
        assertThat(one.owners()).containsExactly(b.owner(), new Owner(key("a"), null));
        assertThat(one.phase()).isEqualTo(ClaimSpec.Phase.BOUND);
        assertThat(one.leftBy(b.owner(), Sample.START).phase()).isEqualTo(ClaimSpec.Phase.RESERVED);
    }

    @Test
    void aPortThatIsGivenUp_orAnOwnerThatLeaves_wakesThoseWhoWaitToShare() {
        use(pool("edge", "192.0.2.0"));
        AddressRequest a = sharing(request("a", 0, IPV4), "k", 80, 443);
        take(a);
        AddressRequest b = sharing(request("b", 0, IPV4), "k", 443);
        ledger.await(b);

        ClaimSpec fewer = a.claimOf("edge")
                .shared(sharing(request("a", 0, IPV4), "k", 80).constraints().sharing());
        assertThat(say(FIRST, fewer).due()).containsExactly(key("b"));
        assertThat(answer(b)).isEqualTo("joins 192.0.2.0");
        assertThat(say(FIRST, fewer).due()).isEmpty();
    }

    @Test
    void joining_changesThePortsOfTheJoinerOnly() {
        Sharing a = new Sharing("k", "VIP", List.of(new Sharing.Port(key("a"), "TCP", 1)));
        Sharing before = new Sharing("k", "VIP", List.of(new Sharing.Port(key("b"), "TCP", 2)));
        Sharing after = new Sharing("k", "VIP", List.of(new Sharing.Port(key("b"), "TCP", 3)));

        assertThat(a.with(before).with(after).ports()).hasToString("[TCP/1, TCP/3]");
        assertThat(a.with(before).without(key("a")).ports()).hasToString("[TCP/2]");
    }

    // ---- quota

    @Test
    void quota_isByNamespaceAndFamily_withExceptions() {
        use(limited(pool("edge", "192.0.2.0/29", "2001:db8::/64"), new Quota(1, Map.of("dev", 2, "none", 0))));
        take(request("a", 0, IPV4));
        take(of("dev", request("a", 0, IPV4)));

        assertThat(answer(request("b", 0, IPV4))).isEqualTo("edge OVER_QUOTA: namespace prod has 1 of 1");
        assertThat(answer(asking(request("b", 0, IPV4), "192.0.2.5")))
                .isEqualTo("edge OVER_QUOTA: namespace prod has 1 of 1");
        assertThat(answer(request("b", 0, IPV6))).isEqualTo("2001:db8::");
        assertThat(answer(of("dev", request("b", 0, IPV4)))).isEqualTo("192.0.2.2");
        assertThat(answer(of("none", request("b", 0, IPV4)))).isEqualTo("edge OVER_QUOTA: namespace none has 0 of 0");
    }

    @Test
    void quota_countsASharedAddressOnce_andReservedAndCoolingOnes() {
        use(limited(pool("edge", "192.0.2.0/29"), new Quota(3, Map.of())));
        take(sharing(request("a", 0, IPV4), "k", 80));
        take(sharing(request("b", 0, IPV4), "k", 443));
        say(Ip.parse("192.0.2.6"), ClaimSpec.of(null, null, new Owner(key("kept"), null)));
        assertThat(answer(request("c", 0, IPV4))).isEqualTo("192.0.2.1");

        Owner gone = request("gone", 0, IPV4).owner();
        say(Ip.parse("192.0.2.7"), ClaimSpec.of(null, null, gone).leftBy(gone, Sample.START));

        assertThat(answer(request("c", 0, IPV4))).isEqualTo("edge OVER_QUOTA: namespace prod has 3 of 3");
        assertThat(answer(sharing(request("c", 0, IPV4), "k", 8080))).isEqualTo("joins 192.0.2.0");
    }

    @Test
    void whoWaitsForQuota_isWokenWhenItsNamespaceFreesOne_andOvertakenByNobody() {
        use(limited(pool("edge", "192.0.2.0/30"), new Quota(2, Map.of("dev", 4))));
        take(request("a", 0, IPV4));
        take(request("b", 0, IPV4));
        ledger.await(request("waits", 5, IPV4));
        assertThat(answer(of("dev", request("d", 9, IPV4)))).isEqualTo("192.0.2.2");
        take(of("dev", request("d", 9, IPV4)));
        assertThat(ledger.free(Ip.parse("192.0.2.2"))).isEmpty();

        assertThat(ledger.free(FIRST)).containsExactly(key("waits"));
        assertThat(answer(request("newcomer", 6, IPV4))).isEqualTo("edge OTHERS_WAIT");
        assertThat(answer(asking(request("newcomer", 6, IPV4), "192.0.2.3"))).isEqualTo("edge OTHERS_WAIT");
        assertThat(answer(request("earlier", 4, IPV4))).isEqualTo("192.0.2.0");
        assertThat(answer(request("waits", 5, IPV4))).isEqualTo("192.0.2.0");
    }

    /** It says how many its namespace has. */
    @Test
    void whoWaitsForAQuotaThatIsExceeded_looksAgain_whenOneMoreOrOneLessIsHeld() {
        use(limited(pool("edge", "192.0.2.0/29"), new Quota(1, Map.of())));
        take(request("a", 0, IPV4));
        take(of("dev", request("d", 0, IPV4)));
        ledger.await(request("waits", 5, IPV4));
        assertThat(answer(request("waits", 5, IPV4))).isEqualTo("edge OVER_QUOTA: namespace prod has 1 of 1");

        ClaimSpec late = request("late", 0, IPV4).claimOf("edge");
        assertThat(say(Ip.parse("192.0.2.4"), late).due()).containsExactly(key("waits"));
        assertThat(answer(request("waits", 5, IPV4))).isEqualTo("edge OVER_QUOTA: namespace prod has 2 of 1");
        assertThat(say(Ip.parse("192.0.2.4"), late).due()).as("nothing new").isEmpty();

        assertThat(ledger.free(SECOND)).as("of another namespace").isEmpty();
        assertThat(ledger.free(Ip.parse("192.0.2.4"))).containsExactly(key("waits"));
        assertThat(answer(request("waits", 5, IPV4))).isEqualTo("edge OVER_QUOTA: namespace prod has 1 of 1");
        assertThat(ledger.free(FIRST)).containsExactly(key("waits"));
    }

    @Test
    void whoWaitsForAQuotaThatIsExceeded_looksAgain_whenAnAddressOfItIsTakenAwayByHand() {
        use(limited(pool("edge", "192.0.2.0/29"), new Quota(1, Map.of())));
        take(request("a", 0, IPV4));
        say(SECOND, request("late", 0, IPV4).claimOf("edge"));
        ledger.await(request("waits", 5, IPV4));

        ClaimSpec another = of("dev", request("d", 0, IPV4)).claimOf("edge");

        assertThat(say(SECOND, another).due()).containsExactly(key("waits"));
        assertThat(answer(request("waits", 5, IPV4))).isEqualTo("edge OVER_QUOTA: namespace prod has 1 of 1");
    }

    @Test
    void whoWaitedForQuota_isNotOvertakenByAnotherNamespaceThatWaitsForThePool() {
        use(limited(pool("edge", "192.0.2.0"), new Quota(1, Map.of())));
        take(request("a", 0, IPV4));
        ledger.await(request("waits", 5, IPV4));
        ledger.await(of("dev", request("d", 9, IPV4)));

        assertThat(ledger.free(FIRST)).containsExactly(key("waits"));
        assertThat(answer(of("dev", request("d", 9, IPV4)))).isEqualTo("edge OTHERS_WAIT");
        assertThat(ledger.stopWaiting(key("waits"))).containsExactly(new ServiceKey("dev", "d"));
    }

    @Test
    void whereSeveralLeaveAtOnce_forTheirQuotaIsUsedUp_theNextHasItsTurn_andTheySayWhy() {
        use(limited(pool("edge", "192.0.2.0-192.0.2.2"), new Quota(null, Map.of("dev", 1))));
        List.of("x", "y", "z").forEach(name -> take(request(name, 0, IPV4)));
        AddressRequest first = of("dev", request("a", 1, IPV4));
        ledger.await(first);
        ledger.await(of("dev", request("b", 2, IPV4)));
        ledger.await(of("dev", request("c", 3, IPV4)));
        ledger.await(request("d", 4, IPV4));
        List.of("192.0.2.0", "192.0.2.1", "192.0.2.2").forEach(ip -> ledger.free(Ip.parse(ip)));

        assertThat(ledger.take(first)).isInstanceOf(Choice.Assigned.class);

        assertThat(ledger.stopWaiting(first.service()))
                .containsExactly(key("d"), new ServiceKey("dev", "b"), new ServiceKey("dev", "c"));
    }

    @Test
    void twoChoicesAtOnce_doNotExceedTheQuota() {
        use(limited(pool("edge", "192.0.2.0/30"), new Quota(1, Map.of())));
        AddressRequest one = asking(request("a", 0, IPV4), "192.0.2.1");
        AddressRequest two = asking(request("b", 0, IPV4), "192.0.2.2");
        assertThat(List.of(ledger.choose(one), ledger.choose(two))).allMatch(Choice.Assigned.class::isInstance);

        assertThat(ledger.take(one)).isInstanceOf(Choice.Assigned.class);
        assertThat(ledger.take(two)).isInstanceOf(Choice.Refused.class);
        assertThat(ledger.heldFor(key("b"))).isEmpty();
    }

    @Test
    void aChoiceFromAPoolThatWasEdited_isNotHeld() {
        assertThat(answer(request("a", 0, IPV4))).isEqualTo("192.0.2.0");
        use(pool("edge", "192.0.2.1"));

        take(request("a", 0, IPV4));

        assertThat(ledger.holding(FIRST)).isEmpty();
        assertThat(ledger.holding(Ip.parse("192.0.2.1"))).isPresent();
    }

    @Test
    void askedForAgain_butOverQuota_isNotHeld() {
        use(limited(pool("edge", "192.0.2.0/30"), new Quota(0, Map.of())));

        ledger.holdAgain(Sample.preferring(request("a", 0, IPV4), "192.0.2.0"));

        assertThat(ledger.holdings()).isEmpty();
    }

    // ---- which is next

    private void takeAndFree(String... ips) {
        for (String ip : ips) {
            take(asking(request("s" + ip, 0, IPV4), ip));
        }
        for (String ip : ips) {
            ledger.free(Ip.parse(ip));
        }
    }

    private static PoolDeclaration leastRecentlyUsed(PoolDeclaration pool) {
        return SamplePools.with(pool, policy -> policy.withStrategy(PoolPolicy.Strategy.LEAST_RECENTLY_USED));
    }

    @Test
    @Answers("metallb/metallb#778")
    void leastRecentlyUsed_givesWhatWasNeverUsed_thenWhatWasReleasedFirst() {
        use(leastRecentlyUsed(pool("edge", "192.0.2.0/30", "2001:db8::1")));
        takeAndFree("192.0.2.2", "192.0.2.0");
        assertThat(answer(request("a", 0, IPV4))).isEqualTo("192.0.2.1");

        takeAndFree("192.0.2.1", "192.0.2.3");
        assertThat(answer(request("a", 0, IPV4))).isEqualTo("192.0.2.2");
        take(request("a", 0, IPV4));
        assertThat(answer(request("b", 0, IPV4))).isEqualTo("192.0.2.0");
        assertThat(answer(request("b", 0, IPV6))).isEqualTo("2001:db8::1");
    }

    @Test
    void leastRecentlyUsed_remembersOverAnEditOfRanges_andForgetsAtARebuild() {
        use(leastRecentlyUsed(pool("edge", "192.0.2.0/30")));
        takeAndFree("192.0.2.1", "192.0.2.0");

        use(leastRecentlyUsed(pool("edge", "192.0.2.0/31")));
        assertThat(answer(request("a", 0, IPV4))).isEqualTo("192.0.2.1");
        use(leastRecentlyUsed(pool("other", "192.0.2.0/31")));
        assertThat(answer(request("a", 0, IPV4))).isEqualTo("192.0.2.0");

        use(leastRecentlyUsed(pool("edge", "192.0.2.0/31")));
        takeAndFree("192.0.2.1", "192.0.2.0");
        ledger.rebuild(List.of());
        assertThat(answer(request("a", 0, IPV4))).isEqualTo("192.0.2.0");
    }

    @Test
    void leastRecentlyUsed_leavesOutWhatIsHeldAlready_whenThePoolBecomesSo() {
        take(request("a", 0, IPV4));
        use(leastRecentlyUsed(pool("edge", "192.0.2.0/30")));

        assertThat(answer(request("b", 0, IPV4))).isEqualTo("192.0.2.1");
        ledger.free(FIRST);
        assertThat(answer(request("b", 0, IPV4))).isEqualTo("192.0.2.1");
    }

    @Test
    void lowestFree_givesTheLowest() {
        takeAndFree("192.0.2.0", "192.0.2.1");

        assertThat(answer(request("a", 0, IPV4))).isEqualTo("192.0.2.0");
    }

    // ---- rest and reservation

    @Test
    void whatRestsOrIsKept_isCountedSo_andGivenToNobodyElse() {
        Owner owner = request("a", 0, IPV4).owner();
        say(FIRST, ClaimSpec.of("edge", "berth.dev/pool", owner).leftBy(owner, Sample.START));
        say(SECOND, ClaimSpec.of(null, null, new Owner(key("kept"), null)));
        say(Ip.parse("192.0.2.2"), ClaimSpec.of(null, null));

        assertThat(ledger.use("edge", IPV4))
                .extracting(PoolUse::allocated, PoolUse::cooling, PoolUse::reserved, PoolUse::available)
                .hasToString("[0, 1, 2, 1]");
        assertThat(answer(request("b", 0, IPV4))).isEqualTo("192.0.2.3");
        assertThat(ledger.stranded()).isEmpty();
        assertThat(ledger.heldFor(key("a")).getFirst().isReservedFor(key("a"))).isTrue();
        assertThat(ledger.heldFor(key("a")).getFirst().holderNamed(key("a"))).isEmpty();
    }

    @Test
    void oneThatComesBack_isBoundAgain() {
        Owner owner = request("a", 0, IPV4).owner();
        ClaimSpec cooling = ClaimSpec.of("edge", "x", owner).leftBy(owner, Sample.START);
        Owner again = new Owner(key("a"), "new");

        ClaimSpec taken = cooling.takenFor("y", old -> again);

        assertThat(taken).isEqualTo(ClaimSpec.of("edge", "y", again));
        assertThat(taken.phase()).isEqualTo(ClaimSpec.Phase.BOUND);
    }

    @Test
    void rest_endsAfterThePoolsTime_andAtOnceWhereNoPoolHasTheAddress() {
        use(SamplePools.with(pool("edge", "192.0.2.0"), policy -> policy.withReuseAfter(Duration.ofSeconds(30))));
        var pool = ledger.pools().named("edge");
        Owner owner = request("a", 0, IPV4).owner();
        ClaimSpec cooling = ClaimSpec.of("edge", "x", owner).leftBy(owner, Sample.START);

        assertThat(Cooling.left(cooling, pool, Sample.START.plusSeconds(10))).isEqualTo(Duration.ofSeconds(20));
        assertThat(Cooling.left(cooling, pool, Sample.START.plusSeconds(31))).isZero();
        assertThat(Cooling.left(cooling, java.util.Optional.empty(), Sample.START))
                .isZero();
        assertThat(Cooling.left(ClaimSpec.of("edge", "x", owner), pool, Sample.START))
                .isZero();
    }

    @Test
    void whatNoPoolHasAnyMore_isStranded_whileAServiceHoldsIt() {
        take(request("a", 0, IPV4));
        take(request("b", 0, IPV4));
        say(Ip.parse("192.0.2.2"), ClaimSpec.of(null, null));
        use(pool("edge", "192.0.2.3"));

        assertThat(ledger.stranded()).containsExactly(FIRST, SECOND);
    }
}
