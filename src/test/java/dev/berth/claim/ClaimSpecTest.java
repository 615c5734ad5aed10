package dev.berth.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimSpecTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Sharing TERMS = new Sharing("key", "terms", List.of());

    private static Owner owner(String name) {
        return new Owner(new ServiceKey("prod", name), "uid-" + name);
    }

    private static Owner reservation(String name) {
        return new Owner(new ServiceKey("prod", name), null);
    }

    private static ClaimSpec full(ClaimSpec spec) {
        return IntStream.range(0, 63)
                .mapToObj(i -> owner("other-" + i))
                .reduce(spec, (sofar, other) -> sofar.joinedBy(other, TERMS), (one, two) -> two);
    }

    private static ClaimSpec byHand(Owner... owners) {
        return SampleClaims.retained(ClaimSpec.of("edge", null, owners).shared(TERMS));
    }

    @Test
    void reservationByHand_makesNoRoom() {
        ClaimSpec full = full(byHand(reservation("web")));

        assertThat(full.isFullFor(owner("new").service())).isTrue();
    }

    @Test
    void reservationByHand_isOneNoMore_onceItsServiceWasThere() {
        ClaimSpec left =
                full(byHand(reservation("web"))).joinedBy(owner("web"), TERMS).leftBy(owner("web"), NOW);

        assertThat(left.departures())
                .containsExactly(new ClaimSpec.Departure(owner("web").service(), NOW));
        assertThat(left.isFullFor(owner("new").service())).isFalse();
        assertThat(left.joinedBy(owner("new"), TERMS).owners())
                .contains(owner("new"))
                .doesNotContain(reservation("web"));
    }
}
