package dev.berth.claim;

import static dev.berth.claim.Sample.asking;
import static dev.berth.claim.Sample.claim;
import static dev.berth.claim.Sample.key;
import static dev.berth.claim.Sample.request;
import static dev.berth.claim.Sample.sharing;
import static dev.berth.pool.SamplePools.limited;
import static dev.berth.pool.SamplePools.pool;
import static dev.berth.pool.SamplePools.poolSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.PoolUse;
import dev.berth.pool.Quota;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What Services of other controllers publish, before and when it becomes ours. */
class LedgerAdoptionTest {
    private static final Ip FIRST = Ip.parse("192.0.2.0");
    private static final Ip SECOND = Ip.parse("192.0.2.1");

    private final Ledger ledger = new Ledger();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private Choice chosen(AddressRequest request) {
        return ledger.take(request);
    }

    private static List<Ip> ips(Choice choice) {
        return choice instanceof Choice.Assigned assigned
                ? assigned.picks().stream().map(Choice.Pick::ip).toList()
                : List.of();
    }

    private static AddressRequest adoption(String name, String... ips) {
        return asking(request(name, 0, IpFamily.IPV4), ips);
    }

    @Test
    void whatAForeignServicePublishes_isGivenToNobody_alsoByAPoolThatComesLater() {
        ledger.withhold(key("foreign"), List.of(FIRST));

        assertThat(ledger.usePools(poolSet(pool("edge", "192.0.2.0/31")))).containsExactly(key("foreign"));

        assertThat(ips(chosen(request("new", 1, IpFamily.IPV4)))).containsExactly(SECOND);
        assertThat(ips(chosen(adoption("thief", "192.0.2.0")))).isEmpty();
        assertThat(ledger.heldFor(key("foreign"))).isEmpty();
    }

    @Test
    void itsOwnService_adoptsIt_howeverLongOthersWait() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.withhold(key("foreign"), List.of(FIRST));
        ledger.await(request("waiting", 1, IpFamily.IPV4));

        assertThat(ips(ledger.adopt(adoption("foreign", "192.0.2.0")))).containsExactly(FIRST);

        assertThat(ledger.heldFor(key("foreign"))).extracting(Holding::ip).containsExactly(FIRST);
        assertThat(ledger.withhold(key("foreign"), List.of())).isEmpty();
        assertThat(ledger.heldFor(key("foreign"))).hasSize(1);
    }

    @Test
    void whatCannotBeAdopted_staysWithheld_untilItIsPublishedNoMore() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0"), new Quota(null, Map.of("prod", 0)))));
        ledger.withhold(key("foreign"), List.of(FIRST));

        assertThat(ledger.adopt(adoption("foreign", "192.0.2.0"))).isInstanceOf(Choice.Refused.class);
        assertThat(ledger.holding(FIRST)).isPresent();

        ledger.withhold(key("other"), List.of(FIRST));
        ledger.withhold(key("foreign"), List.of());
        assertThat(ledger.holding(FIRST)).isPresent();
        ledger.withhold(key("other"), List.of());
        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void oneWhoWaits_isServed_whenItIsPublishedNoMore() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.withhold(key("foreign"), List.of(FIRST));
        ledger.await(request("waiting", 1, IpFamily.IPV4));

        assertThat(ledger.withhold(key("foreign"), List.of())).containsExactly(key("waiting"));
    }

    @Test
    void aClaim_beatsAStatus() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.withhold(key("foreign"), List.of(FIRST));

        ledger.observe(claim("192.0.2.0", "owner", 1));

        assertThat(ledger.adopt(adoption("foreign", "192.0.2.0"))).isInstanceOf(Choice.Refused.class);
        ledger.withhold(key("foreign"), List.of());
        assertThat(ledger.heldFor(key("owner"))).hasSize(1);
    }

    @Test
    void thoseWhoShare_adoptTheSameAddress_theSecondOnceTheFirstHasClaimedIt() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/31")));
        AddressRequest first = sharing(adoption("a", "192.0.2.0"), "dns", 53);
        AddressRequest second = sharing(adoption("b", "192.0.2.0"), "dns", 80);
        ledger.withhold(key("a"), List.of(FIRST));
        ledger.withhold(key("b"), List.of(FIRST));

        Choice taken = ledger.adopt(first);
        assertThat(((Choice.Refused) ledger.adopt(second)).refusals())
                .extracting(Refusal::reason)
                .containsExactly(RefusalReason.SHARED_SOON);
        ledger.observe(claim(first, ((Choice.Assigned) taken).picks().getFirst(), 1));

        assertThat(((Choice.Assigned) ledger.adopt(second)).picks().getFirst().joins())
                .isNotNull();
    }

    @Test
    void whoWaitsToShareAnAddress_looksAgain_whenItIsGivenUp_thoughAnotherServicePublishesIt() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/31")));
        AddressRequest first = sharing(request("a", 0, IpFamily.IPV4), "dns", 53);
        AddressRequest second = sharing(request("b", 1, IpFamily.IPV4), "dns", 80);
        assertThat(ips(ledger.take(first))).containsExactly(FIRST);
        assertThat(ips(ledger.take(second))).isEmpty();
        ledger.await(second);
        ledger.withhold(key("foreign"), List.of(FIRST));

        assertThat(ledger.giveUp(FIRST, first.owner())).containsExactly(key("b"));
        assertThat(ips(chosen(second))).containsExactly(SECOND);
    }

    @Test
    void whatIsWithheld_countsAsReserved() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/31")));
        ledger.withhold(key("foreign"), List.of(FIRST));

        PoolUse use = ledger.use("edge", IpFamily.IPV4);

        assertThat(use.reserved()).isEqualTo(BigInteger.ONE);
        assertThat(use.available()).isEqualTo(BigInteger.ONE);
    }

    @Test
    void addressThatAServiceNamesTwice_isFreeOnceItNamesItNoMore() {
        ledger.withhold(key("foreign"), List.of(FIRST, FIRST));
        ledger.withhold(key("foreign"), List.of(FIRST));
        assertThat(ledger.holding(FIRST)).isPresent();

        ledger.withhold(key("foreign"), List.of());

        assertThat(ledger.holding(FIRST)).isEmpty();
    }

    @Test
    void whatIsWithheld_isFreeOnceItIsWithheldAgainAfterARebuild_andNamedNoMore() {
        ledger.withhold(key("foreign"), List.of(FIRST));
        ledger.rebuild(List.of());
        ledger.withhold(key("foreign"), List.of(FIRST));

        ledger.withhold(key("foreign"), List.of());

        assertThat(ledger.holding(FIRST)).isEmpty();
    }
}
