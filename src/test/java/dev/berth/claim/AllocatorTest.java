package dev.berth.claim;

import static dev.berth.claim.Sample.ofClass;
import static dev.berth.claim.Sample.preferring;
import static dev.berth.claim.Sample.request;
import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static dev.berth.pool.SamplePools.pool;
import static dev.berth.pool.SamplePools.poolSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.SamplePools;
import dev.berth.pool.Selector;
import dev.berth.testing.Answers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AllocatorTest {
    private final Ledger ledger = new Ledger();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private List<String> picks(AddressRequest request) {
        return ledger.choose(request) instanceof Choice.Assigned assigned
                ? assigned.picks().stream().map(pick -> pick.ip().toString()).toList()
                : List.of();
    }

    private List<String> rules(AddressRequest request) {
        return ledger.choose(request) instanceof Choice.Refused refused
                ? refused.refusals().stream()
                        .map(refusal -> refusal.pool() + " " + refusal.reason())
                        .toList()
                : List.of();
    }

    private static PoolDeclaration closed(PoolDeclaration open, boolean autoAssign, boolean suspended) {
        return SamplePools.with(
                open, policy -> policy.withAutoAssign(autoAssign).withSuspended(suspended));
    }

    @Test
    void theFirstPool_isByPriorityThenName() {
        ledger.usePools(
                poolSet(pool("a", 0, 20, "192.0.2.1"), pool("z", 0, 10, "192.0.2.3"), pool("y", 0, 10, "192.0.2.2")));

        assertThat(picks(request("s", 0, IPV4))).containsExactly("192.0.2.2");
    }

    @Test
    void aPoolWithoutAutoAssign_givesToItsClassOnly() {
        ledger.usePools(poolSet(closed(pool("vip", "192.0.2.1"), false, false)));

        assertThat(rules(request("s", 0, IPV4))).containsExactly("vip NOT_AUTO_ASSIGNED");
        assertThat(picks(ofClass(request("s", 0, IPV4), "vip"))).containsExactly("192.0.2.1");
        assertThat(rules(ofClass(request("s", 0, IPV4), "other"))).containsExactly("vip NOT_IN_CLASS");
    }

    @Test
    void aSuspendedPool_givesNothingNew() {
        ledger.usePools(poolSet(closed(pool("edge", "192.0.2.1"), true, true)));

        assertThat(rules(preferring(request("s", 0, IPV4), "192.0.2.1"))).containsExactly("edge SUSPENDED");
    }

    @Test
    void anAddressAskedForAgain_comesFirst_unlessItIsTaken() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0/29")));
        assertThat(picks(preferring(request("s", 0, IPV4), "192.0.2.5"))).containsExactly("192.0.2.5");

        ledger.observe(Sample.claim("192.0.2.5", "other", 1));

        assertThat(picks(preferring(request("s", 0, IPV4), "192.0.2.5"))).containsExactly("192.0.2.0");
    }

    private static PoolDeclaration ofTeam(String team, PoolDeclaration pool) {
        Selector ofIts = new Selector(List.of(new Selector.Requirement("team", Selector.Operator.IN, List.of(team))));
        return SamplePools.with(pool, policy -> policy.withSelectors(ofIts, Selector.EVERYTHING));
    }

    @Test
    @Answers({"metallb/metallb#1422", "metallb/metallb#383", "metallb/metallb#1602"})
    void aNamespace_getsAddressesOfItsOwnPoolsWithoutAsking_andNoneOfOthers_notEvenByAsking() {
        ledger.usePools(poolSet(
                ofTeam("red", pool("red", 0, 1, "10.0.1.10")), ofTeam("blue", pool("blue", 0, 2, "10.0.2.10"))));
        AddressRequest blue = Sample.ofNamespace(request("s", 0, IPV4), Map.of("team", "blue"));

        assertThat(picks(blue)).containsExactly("10.0.2.10");
        assertThat(rules(Sample.asking(blue, "10.0.1.10")))
                .containsExactly("red NAMESPACE_NOT_SELECTED", "blue NOT_ITS_ADDRESS");
        assertThat(rules(Sample.movingFamilies(blue, new AddressConstraints(List.of(), List.of("red"), null, false))))
                .containsExactly("red NAMESPACE_NOT_SELECTED", "blue NOT_NAMED");
    }

    @Test
    void dualStack_isInTheServicesOrder() {
        ledger.usePools(poolSet(pool("edge", "192.0.2.0", "2001:db8::1")));

        assertThat(picks(request("s", 0, true, IPV6, IPV4))).containsExactly("2001:db8::1", "192.0.2.0");
    }

    @Test
    void refusals_nameEveryPoolAndTheFirstRule() {
        ledger.usePools(poolSet(
                pool("a", 0, 1, "2001:db8::1"),
                closed(pool("b", 0, 2, "192.0.2.1"), true, true),
                pool("c", 0, 3, "192.0.2.2")));
        ledger.observe(Sample.claim("192.0.2.2", "other", 1));

        assertThat(rules(request("s", 0, IPV4))).containsExactly("a NO_SUCH_FAMILY", "b SUSPENDED", "c FULL");
    }
}
