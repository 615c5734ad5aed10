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

    private static final ServiceKey WEB = owner("web").service();
    private static final ServiceKey OTHER = owner("other").service();

    /** Two Services have it, one of which may ask to have it kept. */
    private static ClaimSpec ofTwo(boolean retain, ServiceKey... retaining) {
        return new ClaimSpec(
                "edge",
                null,
                List.of(owner("web"), owner("other")),
                null,
                null,
                retain,
                List.of(retaining),
                List.of(),
                null);
    }

    @Test
    void addressIsKept_asItsServiceAsks() {
        assertThat(ofTwo(false).retainedFor(WEB, true)).isEqualTo(ofTwo(true, WEB));
        assertThat(ofTwo(true, WEB).retainedFor(WEB, false)).isEqualTo(ofTwo(false));
        assertThat(ofTwo(true, WEB).retainedFor(WEB, null)).isEqualTo(ofTwo(false));
        assertThat(ofTwo(false).retainedFor(WEB, null)).isEqualTo(ofTwo(false));
    }

    @Test
    void addressIsKept_whileAnotherServiceAsksForIt() {
        assertThat(ofTwo(true, WEB, OTHER).retainedFor(WEB, false)).isEqualTo(ofTwo(true, OTHER));
        assertThat(ofTwo(true, OTHER).retainedFor(WEB, null)).isEqualTo(ofTwo(true, OTHER));
    }

    @Test
    void addressThatAPersonHasKept_isKept_unlessItsServiceAsksNotTo() {
        assertThat(ofTwo(true).retainedFor(WEB, null)).isEqualTo(ofTwo(true));
        assertThat(ofTwo(true).retainedFor(WEB, false)).isEqualTo(ofTwo(false));
    }

    @Test
    void whoAsksToHaveItKept_andIsNoOwner_doesNotCount() {
        assertThat(new ClaimSpec(
                                "edge",
                                null,
                                List.of(owner("other")),
                                null,
                                null,
                                true,
                                List.of(WEB, OTHER),
                                List.of(),
                                null)
                        .retaining())
                .containsExactly(OTHER);
    }

    @Test
    void claimOfAnotherKind_isOfNoService_andReserved() {
        ClaimSpec gateway = ClaimSpec.ofOtherKind("edge", "berth.dev/pool", "Gateway");
        assertThat(gateway.otherKind()).isEqualTo("Gateway");
        assertThat(gateway.owners()).isEmpty();
        assertThat(gateway.phase()).isEqualTo(ClaimSpec.Phase.RESERVED);
    }

    @Test
    void takenFrom_changesThePool_andNothingElse() {
        ClaimSpec spec = ofTwo(true, WEB);
        assertThat(spec.takenFrom("core").pool()).isEqualTo("core");
        assertThat(spec.takenFrom("core").takenFrom("edge")).isEqualTo(spec);
    }
}
