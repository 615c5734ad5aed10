package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.pool.Requester;
import dev.berth.reason.Reason;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaitReasonTest {
    /** What is said of all pools together, or of none. */
    private static final List<RefusalReason> OF_NO_POOL =
            List.of(RefusalReason.NO_SUCH_FAMILY, RefusalReason.NOT_ITS_ADDRESS, RefusalReason.SHARED_SOON);

    private static Refusal refusal(String pool, IpFamily family, RefusalReason rule) {
        return new Refusal(pool, family, rule, "", BigInteger.ZERO, BigInteger.valueOf(14));
    }

    private static AddressRequest asksFor(List<String> classPools, AddressConstraints constraints) {
        return asksFor(classPools, constraints, false);
    }

    private static AddressRequest asksFor(List<String> classPools, AddressConstraints constraints, boolean allOrNone) {
        return new AddressRequest(
                new ServiceKey("prod", "web"),
                "u1",
                "x/y",
                List.of(IpFamily.IPV4, IpFamily.IPV6),
                allOrNone,
                new Requester(classPools, Map.of(), Map.of()),
                constraints,
                List.of(),
                QueuePosition.FIRST);
    }

    private static AddressConstraints pools(String... names) {
        return new AddressConstraints(List.of(), List.of(names), null, false);
    }

    private static WaitReason of(List<Refusal> refusals) {
        return WaitReason.of(asksFor(List.of(), AddressConstraints.NONE), refusals);
    }

    @Test
    void poolThatDoesNotExist_isNamed_alsoWhereTheAddressIsTaken() {
        AddressConstraints constraints =
                new AddressConstraints(List.of(Ip.parse("192.0.2.7")), List.of("exmaple", "edge"), null, false);

        WaitReason why = WaitReason.of(
                asksFor(List.of(), constraints), List.of(refusal("edge", IpFamily.IPV4, RefusalReason.IN_USE)));

        assertThat(why.reason()).isEqualTo(Reason.AddressNotAvailable);
        assertThat(why.message()).startsWith("requested AddressPool \"exmaple\" does not exist; AddressPool \"edge\"");
    }

    @Test
    void poolThatItAsksFor_andThatDoesNotExist_isTheReason_andNoOtherIsNamed() {
        assertThat(WaitReason.of(
                        asksFor(List.of(), pools("exmaple")),
                        List.of(
                                refusal("edge", IpFamily.IPV4, RefusalReason.NOT_NAMED),
                                refusal("full", IpFamily.IPV4, RefusalReason.NOT_NAMED))))
                .isEqualTo(new WaitReason(
                        Reason.PoolNotFound,
                        "requested AddressPool \"exmaple\" does not exist (see docs/annotations.md)"));
    }

    @Test
    void poolThatItsClassNames_andThatDoesNotExist_isTheReason() {
        assertThat(WaitReason.of(asksFor(List.of("exmaple"), AddressConstraints.NONE), List.of()))
                .isEqualTo(new WaitReason(
                        Reason.PoolNotFound, "AddressPool \"exmaple\" of its LoadBalancerClass does not exist"));
    }

    @Test
    void poolsThatItAsksFor_areSaid_theOnesThatDoNotExistFirst_andAllOthersAreCounted() {
        assertThat(WaitReason.of(
                        asksFor(List.of(), pools("asleep", "exmaple")),
                        List.of(
                                refusal("asleep", IpFamily.IPV4, RefusalReason.SUSPENDED),
                                refusal("edge", IpFamily.IPV4, RefusalReason.NOT_NAMED),
                                refusal("sleeps-too", IpFamily.IPV4, RefusalReason.SUSPENDED))))
                .isEqualTo(new WaitReason(
                        Reason.NotAllowedByPools,
                        "no AddressPool allows an IPv4 address for this Service: requested AddressPool"
                                + " \"exmaple\" does not exist; AddressPool \"asleep\" is suspended; 2 other pools are not"
                                + " requested (see docs/annotations.md)"));
    }

    @Test
    void poolThatItAsksFor_withoutAddressesOfTheFamily_isSaid() {
        assertThat(WaitReason.of(
                        asksFor(List.of(), pools("four", "full")),
                        List.of(
                                refusal("four", IpFamily.IPV6, RefusalReason.NO_SUCH_FAMILY),
                                refusal("full", IpFamily.IPV6, RefusalReason.FULL),
                                refusal("six", IpFamily.IPV6, RefusalReason.NOT_NAMED))))
                .isEqualTo(new WaitReason(
                        Reason.PoolExhausted,
                        "no free IPv6 address: AddressPool \"full\" (0 of 14 free); AddressPool \"four\" has no IPv6"
                                + " addresses; 1 other pool is not requested; add a range or release a"
                                + " Service (see docs/annotations.md)"));
        assertThat(WaitReason.of(
                        asksFor(List.of(), pools("four")),
                        List.of(
                                refusal("four", IpFamily.IPV6, RefusalReason.NO_SUCH_FAMILY),
                                refusal("six", IpFamily.IPV6, RefusalReason.NOT_NAMED))))
                .isEqualTo(new WaitReason(
                        Reason.NoPoolForFamily,
                        "no AddressPool that it requests has IPv6 addresses (of 1); 1 other pool is not requested;"
                                + " add a range of IPv6 to one (see docs/annotations.md)"));
    }

    @Test
    void addressThatNoPoolHas_isNamed_andWhy_alsoBesidePoolsOfAnotherFamily() {
        AddressConstraints constraints = new AddressConstraints(List.of(Ip.parse("192.0.2.5")), List.of(), null, false);
        Refusal notIts = new Refusal(
                "edge",
                IpFamily.IPV4,
                RefusalReason.NOT_ITS_ADDRESS,
                "AddressPool \"edge\" excludes it",
                BigInteger.ONE,
                BigInteger.ONE);

        assertThat(WaitReason.of(
                        asksFor(List.of(), constraints),
                        List.of(notIts, refusal("six", IpFamily.IPV4, RefusalReason.NO_SUCH_FAMILY))))
                .isEqualTo(new WaitReason(
                        Reason.AddressNotAvailable,
                        "no AddressPool has 192.0.2.5: AddressPool \"edge\" excludes it (see docs/annotations.md)"));
    }

    @Test
    void noPool_saysToCreateOne() {
        assertThat(of(List.of())).isEqualTo(new WaitReason(Reason.NoPool, "there is no AddressPool; create one"));
    }

    @Test
    void familyThatNoPoolHas_isNamed() {
        assertThat(of(List.of(refusal("edge", IpFamily.IPV6, RefusalReason.NO_SUCH_FAMILY))))
                .isEqualTo(new WaitReason(
                        Reason.NoPoolForFamily,
                        "no AddressPool has IPv6 addresses (of 1); add a range of IPv6 to one"));
    }

    @Test
    void familyThatNoPoolHas_comesLast_ifTheServiceCanDoWithoutIt_andFirst_ifItCannot() {
        List<Refusal> refusals = List.of(
                refusal("edge", IpFamily.IPV4, RefusalReason.FULL),
                refusal("edge", IpFamily.IPV6, RefusalReason.NO_SUCH_FAMILY));
        String full = "no free IPv4 address: AddressPool \"edge\" (0 of 14 free); add a range or release a Service";
        String missing = "no AddressPool has IPv6 addresses (of 1); add a range of IPv6 to one";

        assertThat(of(refusals)).isEqualTo(new WaitReason(Reason.PoolExhausted, full + "; " + missing));
        assertThat(WaitReason.of(asksFor(List.of(), AddressConstraints.NONE, true), refusals))
                .isEqualTo(new WaitReason(Reason.NoPoolForFamily, missing + "; " + full));
    }

    @Test
    void whatKeepsItFromBothFamilies_isSaidOnce_ifItIsTheSame_andByFamily_ifNot() {
        assertThat(of(List.of(
                        refusal("edge", IpFamily.IPV4, RefusalReason.SUSPENDED),
                        refusal("edge", IpFamily.IPV6, RefusalReason.SUSPENDED))))
                .isEqualTo(new WaitReason(
                        Reason.NotAllowedByPools,
                        "no AddressPool allows an IPv4 or IPv6 address for this Service: AddressPool \"edge\" is"
                                + " suspended"));
        assertThat(WaitReason.of(
                        asksFor(List.of(), pools("exmaple", "edge")),
                        List.of(
                                refusal("edge", IpFamily.IPV4, RefusalReason.SUSPENDED),
                                refusal("other", IpFamily.IPV4, RefusalReason.NOT_NAMED),
                                new Refusal(
                                        "edge", IpFamily.IPV6, RefusalReason.FULL, "", BigInteger.ZERO, BigInteger.TEN),
                                refusal("other", IpFamily.IPV6, RefusalReason.NOT_NAMED))))
                .isEqualTo(new WaitReason(
                        Reason.PoolExhausted,
                        "no free IPv6 address: requested AddressPool \"exmaple\" does not exist; AddressPool \"edge\" (0 of 10 free);"
                                + " add a range or release a Service; no AddressPool allows an IPv4 address for this"
                                + " Service: AddressPool \"edge\" is suspended; 1 other pool is not requested (see"
                                + " docs/annotations.md)"));
    }

    @Test
    void addressThatAPoolHas_andDoesNotGive_isNamed_withThePage() {
        AddressConstraints constraints = new AddressConstraints(List.of(Ip.parse("192.0.2.7")), List.of(), null, false);
        Refusal elsewhere = refusal("other", IpFamily.IPV4, RefusalReason.NOT_ITS_ADDRESS);

        assertThat(WaitReason.of(
                        asksFor(List.of(), constraints),
                        List.of(elsewhere, refusal("edge", IpFamily.IPV4, RefusalReason.SUSPENDED))))
                .isEqualTo(new WaitReason(
                        Reason.NotAllowedByPools,
                        "no AddressPool allows 192.0.2.7 for this Service: AddressPool \"edge\" is suspended"
                                + " (see docs/annotations.md)"));
        assertThat(WaitReason.of(
                        asksFor(List.of(), constraints),
                        List.of(elsewhere, refusal("edge", IpFamily.IPV4, RefusalReason.OVER_QUOTA))))
                .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.QuotaExceeded))
                .satisfies(why -> assertThat(why.message())
                        .startsWith("no AddressPool allows 192.0.2.7 for this Service: AddressPool \"edge\" (quota: ")
                        .endsWith("; release a Service or raise the quota (see docs/annotations.md)"));
        assertThat(WaitReason.of(
                        asksFor(List.of(), constraints),
                        List.of(elsewhere, refusal("edge", IpFamily.IPV4, RefusalReason.OTHERS_WAIT))))
                .isEqualTo(new WaitReason(
                        Reason.AddressNotAvailable,
                        "no AddressPool allows 192.0.2.7 for this Service: AddressPool \"edge\" (0 of 14 free,"
                                + " reserved for Services that have waited longer) (see docs/annotations.md)"));
    }

    @Test
    void fullPool_comesFirst_withItsNumbers() {
        WaitReason reason = of(List.of(
                refusal("a", IpFamily.IPV4, RefusalReason.NOT_IN_CLASS),
                refusal("b", IpFamily.IPV4, RefusalReason.FULL)));

        assertThat(reason.reason()).isEqualTo(Reason.PoolExhausted);
        assertThat(reason.message())
                .isEqualTo("no free IPv4 address: AddressPool \"b\" (0 of 14 free); AddressPool \"a\" is not allowed by"
                        + " the Service's class; add a range or release a Service");
    }

    @Test
    void poolWithTheExhaustedQuota_comesBeforeThoseThatSayLess_andAfterFullOnes() {
        assertThat(of(List.of(
                        refusal("a", IpFamily.IPV4, RefusalReason.SUSPENDED),
                        refusal("b", IpFamily.IPV4, RefusalReason.NOT_IN_CLASS),
                        refusal("q", IpFamily.IPV4, RefusalReason.OVER_QUOTA))))
                .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.QuotaExceeded))
                .satisfies(why -> assertThat(why.message())
                        .startsWith("no IPv4 address: AddressPool \"q\" (quota: ")
                        .contains("; AddressPool \"a\" is suspended; AddressPool \"b\" "));
        assertThat(of(List.of(
                                refusal("q", IpFamily.IPV4, RefusalReason.OVER_QUOTA),
                                refusal("f", IpFamily.IPV4, RefusalReason.FULL)))
                        .message())
                .startsWith("no free IPv4 address: AddressPool \"f\" (0 of 14 free); AddressPool \"q\" (quota: ");
    }

    @Test
    void whateverKeepsItFromThePoolsThatItAsksFor_thePageOfTheAnnotationIsNamed() {
        for (RefusalReason rule : RefusalReason.values()) {
            Refusal refusal = refusal("edge", IpFamily.IPV4, rule);
            assertThat(WaitReason.of(asksFor(List.of(), pools("edge")), List.of(refusal))
                            .message())
                    .as(rule.name())
                    .containsOnlyOnce(" (see docs/annotations.md)");
        }
        assertThat(of(List.of(refusal("edge", IpFamily.IPV4, RefusalReason.FULL)))
                        .message())
                .doesNotContain("docs/annotations.md");
    }

    @Test
    void everyRule_hasItsClause() {
        for (RefusalReason rule : RefusalReason.values()) {
            if (!OF_NO_POOL.contains(rule)) {
                assertThat(of(List.of(refusal("edge", IpFamily.IPV4, rule))).message())
                        .as(rule.name())
                        .contains("AddressPool \"edge\" ");
            }
        }
    }

    @Test
    void everyPool_isNamed_upToAHundred_thoseThatSayMostFirst() {
        WaitReason reason = of(IntStream.range(0, 103)
                .mapToObj(i -> refusal("p" + i, IpFamily.IPV4, i == 102 ? RefusalReason.FULL : RefusalReason.SUSPENDED))
                .toList());

        assertThat(reason.reason()).isEqualTo(Reason.PoolExhausted);
        assertThat(reason.message())
                .startsWith(
                        "no free IPv4 address: AddressPool \"p102\" (0 of 14 free); AddressPool \"p0\" is suspended;")
                .contains("\"p98\"")
                .doesNotContain("\"p99\"")
                .contains("and 3 more pools");
    }

    @Test
    void whatIsFreeForOthers_isCounted() {
        Refusal refusal = new Refusal(
                "edge", IpFamily.IPV4, RefusalReason.OTHERS_WAIT, "", BigInteger.TWO, BigInteger.valueOf(14));

        assertThat(of(List.of(refusal)).message())
                .contains("AddressPool \"edge\" (2 of 14 free, reserved for Services that have waited longer)");
    }
}
