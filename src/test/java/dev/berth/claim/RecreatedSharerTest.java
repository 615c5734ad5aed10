package dev.berth.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecreatedSharerTest {
    /** So the claims of an Address have no key that the API server could hold them to. */
    @Test
    void recreatedService_sharesTheAddressBesideItsPredecessor_untilThatIsReleased() {
        ServiceKey web = new ServiceKey("prod", "web");
        Owner before = new Owner(web, "u1");
        Owner after = new Owner(web, "u2");
        Sharing terms = new Sharing("k", "t", List.of(new Sharing.Port(web, "TCP", 80)));

        ClaimSpec shared =
                ClaimSpec.of("edge", "berth.dev/pool", before).shared(terms).joinedBy(after, terms);

        assertThat(shared.owners()).containsExactly(before, after);
    }
}
