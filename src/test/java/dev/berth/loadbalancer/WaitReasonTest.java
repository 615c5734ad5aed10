package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.IpFamily;
import dev.berth.address.Refusal;
import dev.berth.address.RefusalReason;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaitReasonTest {
    /** What is said of all pools together, or of none. */
    private static final List<RefusalReason> OF_NO_POOL =
            List.of(RefusalReason.NO_SUCH_FAMILY, RefusalReason.NOT_ITS_ADDRESS, RefusalReason.SHARED_SOON);

    private static Refusal refusal(String pool, IpFamily family, RefusalReason rule) {
        return new Refusal(pool, family, rule, "", BigInteger.ZERO, BigInteger.valueOf(14));
    }

    @Test
    void noPool_saysToCreateOne() {
        assertThat(WaitReason.of(List.of())).isEqualTo(new WaitReason("NoPool", "there is no AddressPool; create one"));
    }

    @Test
    void familyThatNoPoolHas_isNamed() {
        assertThat(WaitReason.of(List.of(refusal("edge", IpFamily.IPV6, RefusalReason.NO_SUCH_FAMILY))))
                .isEqualTo(new WaitReason(
                        "NoPoolForFamily", "no AddressPool has IPv6 addresses (of 1); add a range of IPv6 to one"));
    }

    @Test
    void fullPool_comesFirst_withItsNumbers() {
        WaitReason reason = WaitReason.of(List.of(
                refusal("a", IpFamily.IPV4, RefusalReason.NOT_IN_CLASS),
                refusal("b", IpFamily.IPV4, RefusalReason.FULL)));

        assertThat(reason.reason()).isEqualTo("PoolExhausted");
        assertThat(reason.message())
                .isEqualTo(
                        "no free IPv4 address: AddressPool \"b\" (0 of 14 free); AddressPool \"a\" is not among the pools of its class; add a range or release a Service");
    }

    @Test
    void everyRule_hasItsClause() {
        for (RefusalReason rule : RefusalReason.values()) {
            if (!OF_NO_POOL.contains(rule)) {
                assertThat(WaitReason.of(List.of(refusal("edge", IpFamily.IPV4, rule)))
                                .message())
                        .as(rule.name())
                        .contains("AddressPool \"edge\" ");
            }
        }
    }

    @Test
    void everyPool_isNamed_upToAHundred_thoseThatSayMostFirst() {
        WaitReason reason = WaitReason.of(IntStream.range(0, 103)
                .mapToObj(i -> refusal("p" + i, IpFamily.IPV4, i == 102 ? RefusalReason.FULL : RefusalReason.SUSPENDED))
                .toList());

        assertThat(reason.reason()).isEqualTo("PoolExhausted");
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

        assertThat(WaitReason.of(List.of(refusal)).message())
                .contains("AddressPool \"edge\" (2 of 14 free, for others who have waited longer)");
    }
}
