package dev.berth.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecreatedSharerTest {
    /** The API server holds the claims of an Address to it. */
    @Test
    void recreatedService_takesThePlaceOfItsPredecessor_soThatNoNameIsTwice() {
        ServiceKey web = new ServiceKey("prod", "web");
        Owner before = new Owner(web, "u1");
        Owner after = new Owner(web, "u2");
        Sharing terms = new Sharing("k", "t", List.of(new Sharing.Port(web, "TCP", 80)));

        ClaimSpec shared =
                ClaimSpec.of("edge", "berth.dev/pool", before).shared(terms).joinedBy(after, terms);

        assertThat(shared.owners()).containsExactly(after);
    }

    @Test
    void serviceThatLeavesBesideOneOfItsName_leavesNoReservationForTheName() {
        ServiceKey web = new ServiceKey("prod", "web");
        Owner before = new Owner(web, "u1");
        Owner after = new Owner(web, "u2");
        ClaimSpec both = SampleClaims.retained(ClaimSpec.of("edge", "berth.dev/pool", before, after));

        assertThat(both.leftBy(before, Instant.EPOCH).owners()).containsExactly(after);
    }
}
