package dev.berth.claim;

import static dev.berth.claim.Sample.asking;
import static dev.berth.claim.Sample.claim;
import static dev.berth.claim.Sample.key;
import static dev.berth.claim.Sample.request;
import static dev.berth.claim.Sample.sharing;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who waits looks again, once it would be answered anything else. */
class TurnsTest {
    private static final Ip FIRST = Ip.parse("192.0.2.0");

    private final Ledger ledger = new Ledger();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private void waits(AddressRequest request) {
        ledger.take(request);
        ledger.await(request);
    }

    private List<RefusalReason> reasons(AddressRequest request) {
        return ((Choice.Refused) ledger.choose(request))
                .refusals().stream().map(Refusal::reason).toList();
    }

    private static Claim claimOfDev(String ip, String pool, String service, String revision) {
        return new Claim(
                Ip.parse(ip),
                "claim-" + service,
                revision,
                ClaimSpec.of(pool, "berth.dev/pool", new Owner(new ServiceKey("dev", service), "uid-" + service)));
    }

    @Test
    void serviceThatLacksBothFamilies_looksAgain_onceThoseBeforeItHaveTakenWhatWasFreedOfOne() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0/31"), new Quota(2, Map.of()))));
        Claim one = claimOfDev("192.0.2.0", "edge", "x", "1");
        Claim two = claimOfDev("192.0.2.1", "edge", "y", "2");
        ledger.observe(one);
        ledger.observe(two);
        ledger.await(request("first", 0, IPV4));
        ledger.await(request("second", 1, IPV4));
        AddressRequest both = request("both", 2, true, IPV4, IPV6);
        waits(both);
        assertThat(reasons(both)).contains(RefusalReason.FULL);
        ledger.free(one);
        ledger.free(two);

        ledger.take(request("first", 0, IPV4));
        ledger.stopWaiting(key("first"));
        ledger.take(request("second", 1, IPV4));

        assertThat(ledger.stopWaiting(key("second"))).contains(key("both"));
        assertThat(reasons(both)).contains(RefusalReason.OVER_QUOTA);
    }

    /** It was queued for the pool again when an Address was observed that it waits for as well. */
    @Test
    void serviceThatSaysThatItsQuotaIsUsedUp_looksAgain_onceTheQuotaIsFree_andThePoolExhausted() {
        ledger.usePools(poolSet(
                pool("edge", "192.0.2.0"), limited(pool("six", "2001:db8::"), new Quota(null, Map.of("prod", 1)))));
        Claim four = claim("192.0.2.0", "x", 1);
        Claim six = claim("2001:db8::", "y", 2);
        ledger.observe(four);
        ledger.observe(six);
        ledger.await(request("first", 1, IPV6));
        AddressRequest named = asking(request("named", 2, IPV4, IPV6), "192.0.2.0");
        waits(named);
        assertThat(reasons(named)).contains(RefusalReason.OVER_QUOTA);
        ledger.free(six);

        List<ServiceKey> due = new ArrayList<>(ledger.observe(four).due());
        due.addAll(ledger.observe(claimOfDev("2001:db8::", "six", "z", "9")).due());

        assertThat(due).contains(key("named"));
        assertThat(reasons(named)).contains(RefusalReason.FULL);
    }

    @Test
    void serviceThatIsToShareAnAddress_looksAgain_onceSuchAnAddressIsFirstSeen() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ledger.observe(claim("192.0.2.0", "x", 1));
        ledger.await(request("ahead", 0, IPV4));
        AddressRequest shares = sharing(request("shares", 1, IPV4), "dns", 53);
        waits(shares);
        ledger.free(claim("192.0.2.0", "x", 1));

        ClaimSpec shared = sharing(request("other", 1, IPV4), "dns", 80).claimOf("edge");

        assertThat(ledger.observe(new Claim(FIRST, "claim-other", "5", shared)).due())
                .contains(key("shares"));
        assertThat(ledger.choose(shares)).isInstanceOf(Choice.Assigned.class);
    }

    @Test
    void serviceThatIsToShareAnAddress_looksAgain_onceTheAddressIsOfItsClass() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        ClaimSpec ofItsClass = sharing(request("other", 1, IPV4), "dns", 80).claimOf("edge");
        ledger.observe(new Claim(FIRST, "claim-other", "5", ofItsClass.takenFor("berth.dev/former", owner -> owner)));
        AddressRequest shares = sharing(request("shares", 1, IPV4), "dns", 53);
        waits(shares);
        assertThat(reasons(shares)).containsExactly(RefusalReason.FULL);

        assertThat(ledger.observe(new Claim(FIRST, "claim-other", "6", ofItsClass))
                        .due())
                .contains(key("shares"));
        assertThat(ledger.choose(shares)).isInstanceOf(Choice.Assigned.class);
    }

    @Test
    void serviceThatNamesAnAddress_looksAgain_onceItIsWithheld() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0/31"), new Quota(1, Map.of()))));
        ledger.observe(claim("192.0.2.1", "x", 1));
        AddressRequest named = asking(request("named", 1, IPV4), "192.0.2.0");
        waits(named);
        assertThat(reasons(named)).containsExactly(RefusalReason.OVER_QUOTA);

        assertThat(ledger.withhold(key("forged"), List.of(FIRST))).contains(key("named"));
        assertThat(reasons(named)).doesNotContain(RefusalReason.OVER_QUOTA);
    }

    /** The address that it was to share is free before it waits. */
    @Test
    void serviceThatLacksOneFamily_looksAgain_onceTheOtherIsExhausted_thoughItWasToShareAnAddressOfThat() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0")));
        AddressRequest other = sharing(request("other", 0, IPV4), "dns", 80);
        Claim shared = new Claim(FIRST, "claim-other", "5", other.claimOf("edge"));
        ledger.observe(shared);
        AddressRequest both = sharing(request("both", 1, true, IPV4, IPV6), "dns", 53);
        Choice.Refused refused = (Choice.Refused) ledger.take(both);
        ledger.free(shared);
        ledger.await(both, refused.refusals());

        ledger.take(request("taker", 0, IPV4));

        assertThat(ledger.stopWaiting(key("taker"))).contains(key("both"));
        assertThat(reasons(both)).contains(RefusalReason.FULL);
    }

    /** Its Address has vanished, which a person had given to Services of two namespaces. */
    @Test
    void serviceThatSaysThatItsQuotaIsUsedUp_looksAgain_onceOneOfItsNamespaceLeavesWhatAnotherKeeps() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0/30"), new Quota(1, Map.of()))));
        Owner ofProd = new Owner(key("a"), "uid-a");
        Owner ofDev = new Owner(new ServiceKey("dev", "b"), "uid-b");
        Sharing share =
                Sample.sharing(request("a", 0, IPV4), "dns", 80).constraints().sharing();
        Claim shared = new Claim(
                FIRST,
                "claim-shared",
                "5",
                ClaimSpec.of("edge", "berth.dev/pool", ofProd).joinedBy(ofDev, Objects.requireNonNull(share)));
        ledger.observe(shared);
        AddressRequest waits = request("waits", 1, IPV4);
        waits(waits);
        assertThat(reasons(waits)).containsExactly(RefusalReason.OVER_QUOTA);

        assertThat(ledger.vanished(shared, new Ledger.Leaving(ofProd, Sample.START)))
                .contains(key("waits"));
        assertThat(ledger.choose(waits)).isInstanceOf(Choice.Assigned.class);
    }

    /** It publishes the address that it names. */
    @Test
    void serviceThatWaitsForWhatIsWithheldForIt_doesNotMakeItselfDue() {
        ledger.usePools(poolSet(limited(pool("edge", "192.0.2.0/31"), new Quota(1, Map.of()))));
        ledger.observe(claim("192.0.2.1", "x", 1));
        AddressRequest named = asking(request("named", 1, IPV4), "192.0.2.0");
        ledger.withhold(key("named"), List.of(FIRST));
        waits(named);

        ledger.holdAgain(named);

        assertThat(ledger.await(named)).isEmpty();
        assertThat(ledger.holding(FIRST)).isPresent();
    }
}
