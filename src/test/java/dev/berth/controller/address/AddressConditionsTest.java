package dev.berth.controller.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcement;
import dev.berth.announce.Protocol;
import dev.berth.api.v1alpha1.Address;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.address.AddressConditions.Report;
import dev.berth.ip.Ip;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AddressConditionsTest {
    private static final Owner WEB = new Owner(new ServiceKey("prod", "web"), "u1");
    private static final ClaimSpec USED = ClaimSpec.of("edge", "berth.dev/pool", WEB);

    @Test
    void addressThatAServiceHas_hasNoCondition() {
        assertThat(Report.of(USED, false)).isEmpty();
    }

    @Test
    void addressThatNoPoolHasAnyMore_isStranded_andItsServiceIsNamed() {
        assertThat(Report.of(USED, true))
                .contains(new Report(
                        "Stranded",
                        Reason.NotInAnyPool,
                        "the address is no longer in any pool; kept by Service prod/web"));
    }

    @Test
    void reservation_saysForWhomItIsKept() {
        assertThat(Report.of(ClaimSpec.of(null, null, new Owner(WEB.service(), null)), false))
                .contains(new Report("Reserved", Reason.ForService, "reserved for Service prod/web"));
        assertThat(Report.of(ClaimSpec.of(null, null), false))
                .contains(new Report(
                        "Reserved", Reason.NoClaims, "reserved without a claim; not allocated to any Service"));
    }

    @Test
    void releasedAddress_isCooling_andSaysSinceWhen() {
        assertThat(Report.of(USED.leftBy(WEB, Instant.EPOCH), false))
                .contains(new Report(
                        "Cooling",
                        Reason.Released,
                        "released at 1970-01-01T00:00:00Z; not reused until the pool's reuseAfter has passed"));
    }

    private static ClaimSpec claimedBy(ServiceKey... services) {
        return new ClaimSpec(
                "edge",
                "berth.dev/pool",
                Stream.of(services)
                        .map(service -> new Owner(service, "u-" + service.name()))
                        .toList(),
                null,
                null,
                false);
    }

    @Test
    void addressThatSeveralShare_showsTheOthers_besideTheFirst() {
        assertThat(AddressConditions.sharedWith(
                        claimedBy(WEB.service(), new ServiceKey("prod", "dns"), new ServiceKey("prod", "mail"))))
                .contains("dns,mail");
        assertThat(AddressConditions.sharedWith(claimedBy(WEB.service(), new ServiceKey("test", "web"))))
                .as("as a person may have reserved it")
                .contains("test/web");
    }

    @Test
    void addressOfOneService_needsNoStatusToShowIt() {
        assertThat(AddressConditions.sharedWith(USED)).isEmpty();
        assertThat(AddressConditions.sharedWith(claimedBy())).isEmpty();
    }

    private static Announcement by(String... nodes) {
        return new Announcement(
                Ip.parse("192.0.2.1"),
                Protocol.BGP,
                List.of(nodes),
                List.of(),
                List.of(),
                new TreeMap<>(),
                nodes.length);
    }

    private static String since(Announcement now, Address.@Nullable Announcement before) {
        return String.valueOf(AddressConditions.shown(now, before, Instant.parse("2026-01-02T00:00:00.5Z"))
                .since());
    }

    private static Address.Announcement before(String by) {
        return new Address.Announcement(by, "2026-01-01T00:00:00Z", "Announced", "");
    }

    @Test
    void announcement_isSinceAnotherNodeHasIt_orSeveral_orNobody() {
        assertThat(since(by("a"), null)).isEqualTo("2026-01-02T00:00:00Z");
        assertThat(since(by("a"), before("b"))).isEqualTo("2026-01-02T00:00:00Z");
        assertThat(since(by("a"), before("2 nodes"))).isEqualTo("2026-01-02T00:00:00Z");
        assertThat(since(by("a", "b"), before("nobody"))).isEqualTo("2026-01-02T00:00:00Z");
        assertThat(since(by("a"), before("a"))).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(since(by("a", "b"), before("3 nodes"))).isEqualTo("2026-01-01T00:00:00Z");
    }
}
