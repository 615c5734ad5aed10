package dev.berth.controller.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.address.AddressConditions.Report;
import java.time.Instant;
import java.util.stream.Stream;
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
                        "InUseOutsideOfPools",
                        "no pool has it any more, and it stays with Service prod/web"));
    }

    @Test
    void reservation_saysForWhomItIsKept() {
        assertThat(Report.of(ClaimSpec.of(null, null, new Owner(WEB.service(), null)), false))
                .contains(new Report("Reserved", "ForService", "it is kept for Service prod/web"));
        assertThat(Report.of(ClaimSpec.of(null, null), false))
                .contains(new Report("Reserved", "NoClaims", "it has no claims, and is kept from everyone"));
    }

    @Test
    void releasedAddress_isCooling_andSaysSinceWhen() {
        assertThat(Report.of(USED.leftBy(WEB, Instant.EPOCH), false))
                .contains(new Report(
                        "Cooling",
                        "Released",
                        "it was released at 1970-01-01T00:00:00Z, and rests for its pool's reuseAfter"));
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
}
