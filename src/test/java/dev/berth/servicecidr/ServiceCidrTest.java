package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.servicecidr.ReadyCondition.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Which ServiceCIDRs contain what, and which are ready. The tables have the cases of upstream's {@code
 * TestContainsPrefix} (17), {@code TestContainsAddress} (17) and {@code TestOverlapsPrefix} (18).
 */
class ServiceCidrTest {
    private static final ServiceCidr SMALL = SampleCidrs.cidr("small", "10.0.0.0/24", "2001:db8::/96");
    private static final ServiceCidr LARGE = SampleCidrs.cidr("large", "10.0.0.0/16", "2001:db8::/64");
    private static final ServiceCidr TWIN = SampleCidrs.cidr("twin", "10.0.0.0/24", "2001:db8::/96");
    private static final List<ServiceCidr> ONE = List.of(SMALL);
    private static final List<ServiceCidr> TWO = List.of(SMALL, LARGE);
    private static final List<ServiceCidr> THREE = List.of(SMALL, TWIN, LARGE);

    private record Case(String rule, List<ServiceCidr> cidrs, String asked, List<ServiceCidr> found) {
        Case(String rule, List<ServiceCidr> cidrs, String asked, ServiceCidr... found) {
            this(rule, cidrs, asked, List.of(found));
        }
    }

    private static final List<Case> CONTAINS_RANGE = List.of(
            new Case("IPv4: a part", ONE, "10.0.0.0/26", SMALL),
            new Case("IPv4: the same", ONE, "10.0.0.0/24", SMALL),
            new Case("IPv4: more", ONE, "10.0.0.0/16"),
            new Case("IPv4: elsewhere", ONE, "192.168.0.0/24"),
            new Case("IPv6: a part", ONE, "2001:db8::/112", SMALL),
            new Case("IPv6: the same", ONE, "2001:db8::/96", SMALL),
            new Case("IPv6: more", ONE, "2001:db8::/64"),
            new Case("IPv6: elsewhere", ONE, "2001:db2::/112"),
            new Case("IPv4 of two: a part of both", TWO, "10.0.0.0/24", SMALL, LARGE),
            new Case("IPv4 of two: a part of one", TWO, "10.0.0.0/18", LARGE),
            new Case("IPv4 of two: more", TWO, "10.0.0.0/8"),
            new Case("IPv4 of two: elsewhere", TWO, "192.168.0.0/24"),
            new Case("IPv6 of two: a part of both", TWO, "2001:db8::/96", SMALL, LARGE),
            new Case("IPv6 of two: a part of one", TWO, "2001:db8::/72", LARGE),
            new Case("IPv6 of two: more", TWO, "2001:db8::/52"),
            new Case("IPv6 of two: elsewhere", TWO, "2001:db2::/64"),
            new Case("of three: a part of all", THREE, "10.0.0.0/28", SMALL, TWIN, LARGE));

    @Test
    void aRange_isContainedByThoseThatHaveAllOfIt() {
        assertThat(CONTAINS_RANGE)
                .hasSize(17)
                .allSatisfy(row -> assertThat(row.cidrs())
                        .as(row.rule())
                        .filteredOn(cidr -> cidr.contains(ServiceRange.parse(row.asked())))
                        .isEqualTo(row.found()));
    }

    private static final List<Case> CONTAINS_ADDRESS = List.of(
            new Case("IPv4: one of it", ONE, "10.0.0.1", SMALL),
            new Case("IPv4: its broadcast", ONE, "10.0.0.255"),
            new Case("IPv4: its network's own", ONE, "10.0.0.0"),
            new Case("IPv4: elsewhere", ONE, "192.0.0.1"),
            new Case("IPv6: one of it", ONE, "2001:db8::2:3", SMALL),
            new Case("IPv6: its last", ONE, "2001:db8::ffff:ffff", SMALL),
            new Case("IPv6: its network's own", ONE, "2001:db8::"),
            new Case("IPv6: elsewhere", ONE, "2002:1:2:3::2"),
            new Case("IPv4 of two: one of both", TWO, "10.0.0.1", SMALL, LARGE),
            new Case("IPv4 of two: the broadcast of one", TWO, "10.0.0.255", LARGE),
            new Case("IPv4 of two: the network's own of both", TWO, "10.0.0.0"),
            new Case("IPv4 of two: elsewhere", TWO, "192.0.0.1"),
            new Case("IPv6 of two: one of both", TWO, "2001:db8::2:3", SMALL, LARGE),
            new Case("IPv6 of two: the last of one", TWO, "2001:db8::ffff:ffff", SMALL, LARGE),
            new Case("IPv6 of two: the network's own of both", TWO, "2001:db8::"),
            new Case("IPv6 of two: elsewhere", TWO, "2002:1:2:3::2"),
            new Case("of three: one of all", THREE, "10.0.0.2", SMALL, TWIN, LARGE));

    @Test
    void anAddress_isContainedByThoseThatCouldGiveIt() {
        assertThat(CONTAINS_ADDRESS)
                .hasSize(17)
                .allSatisfy(row -> assertThat(row.cidrs())
                        .as(row.rule())
                        .filteredOn(cidr -> cidr.contains(Ip.parse(row.asked())))
                        .isEqualTo(row.found()));
    }

    private static final List<Case> OVERLAPS = List.of(
            new Case("IPv4: a part", ONE, "10.0.0.0/26", SMALL),
            new Case("IPv4: the same", ONE, "10.0.0.0/24", SMALL),
            new Case("IPv4: more", ONE, "10.0.0.0/16", SMALL),
            new Case("IPv4: elsewhere", ONE, "192.168.0.0/24"),
            new Case("IPv6: a part", ONE, "2001:db8::/112", SMALL),
            new Case("IPv6: the same", ONE, "2001:db8::/96", SMALL),
            new Case("IPv6: more", ONE, "2001:db8::/64", SMALL),
            new Case("IPv6: elsewhere", ONE, "2001:db2::/112"),
            new Case("IPv4 of two: a part of both", TWO, "10.0.0.0/24", SMALL, LARGE),
            new Case("IPv4 of two: a part of one", TWO, "10.0.0.0/18", SMALL, LARGE),
            new Case("IPv4 of two: more", TWO, "10.0.0.0/8", SMALL, LARGE),
            new Case("IPv4 of two: elsewhere", TWO, "192.168.0.0/24"),
            new Case("IPv6 of two: a part of both", TWO, "2001:db8::/96", SMALL, LARGE),
            new Case("IPv6 of two: a part of one", TWO, "2001:db8::/72", SMALL, LARGE),
            new Case("IPv6 of two: more", TWO, "2001:db8::/52", SMALL, LARGE),
            new Case("IPv6 of two: elsewhere", TWO, "2001:db2::/64"),
            new Case("of three: a part of all", THREE, "10.0.0.0/28", SMALL, TWIN, LARGE),
            new Case("of three: more", THREE, "10.0.0.0/8", SMALL, TWIN, LARGE));

    @Test
    void aRange_overlapsThoseThatHaveAnyOfIt() {
        assertThat(OVERLAPS)
                .hasSize(18)
                .allSatisfy(row -> assertThat(row.cidrs())
                        .as(row.rule())
                        .filteredOn(cidr -> cidr.overlaps(ServiceRange.parse(row.asked())))
                        .isEqualTo(row.found()));
    }

    private record Ready(String rule, @Nullable Status status, boolean deleted, boolean ready) {}

    private static final List<Ready> READY = List.of(
            new Ready("found ready", Status.TRUE, false, true),
            new Ready("nobody has looked at it", null, false, true),
            new Ready("found not ready", Status.FALSE, false, false),
            new Ready("not known", Status.UNKNOWN, false, false),
            new Ready("found ready, then deleted", Status.TRUE, true, false),
            new Ready("deleted before anybody looked", null, true, false));

    @Test
    void itIsReady_unlessItsConditionSaysOtherwiseOrItIsBeingDeleted() {
        for (Ready row : READY) {
            Status status = row.status();
            ServiceCidr cidr = status == null ? SMALL : SampleCidrs.with(SMALL, new ReadyCondition(status, "", ""));
            assertThat((row.deleted() ? SampleCidrs.deleted(cidr, Sample.START) : cidr).isReady())
                    .as(row.rule())
                    .isEqualTo(row.ready());
        }
    }
}
