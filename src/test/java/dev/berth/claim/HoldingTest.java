package dev.berth.claim;

import static dev.berth.claim.Sample.claim;
import static dev.berth.claim.Sample.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import org.junit.jupiter.api.Test;

class HoldingTest {
    private static final Ip IP = Ip.parse("192.0.2.0");
    private static final Owner OWNER = new Owner(key("a"), "uid-a");
    private static final Owner RESERVATION = new Owner(key("a"), null);

    private static Holding held(Holding.State state, Owner... owners) {
        return new Holding(IP, state, ClaimSpec.of("edge", "berth.dev/pool", owners), null);
    }

    @Test
    void holderOfAName_isTheServiceThatHasIt_notOneThatItIsReservedFor() {
        Holding shared = held(Holding.State.HELD, new Owner(key("b"), "uid-b"), OWNER);
        assertThat(shared.holderNamed(key("a"))).contains(OWNER);
        assertThat(shared.holderNamed(key("c"))).isEmpty();
        assertThat(held(Holding.State.HELD, RESERVATION).holderNamed(key("a"))).isEmpty();
    }

    @Test
    void predecessor_isAServiceOfTheSameName_withAnotherUid() {
        Holding held = held(Holding.State.HELD, OWNER);
        assertThat(held.predecessorOf(key("a"), "uid-new")).contains(OWNER);
        assertThat(held.predecessorOf(key("a"), "uid-a")).isEmpty();
        assertThat(held.predecessorOf(key("b"), "uid-new")).isEmpty();
        assertThat(held(Holding.State.HELD, RESERVATION).predecessorOf(key("a"), "uid-new"))
                .isEmpty();
    }

    @Test
    void itIsReservedForAName_ifItIsKeptForWhicheverServiceBearsIt() {
        assertThat(held(Holding.State.HELD, RESERVATION).isReservedFor(key("a")))
                .isTrue();
        assertThat(held(Holding.State.HELD, RESERVATION).isReservedFor(key("b")))
                .isFalse();
        assertThat(held(Holding.State.HELD, OWNER).isReservedFor(key("a"))).isFalse();
    }

    @Test
    void whatIsJustWithheld_isNeitherClaimedNorOwned() {
        assertThat(held(Holding.State.HELD).isClaimedOrOwned()).isFalse();
        assertThat(held(Holding.State.HELD, OWNER).isClaimedOrOwned()).isTrue();
        assertThat(new Holding(IP, Holding.State.CLAIMED, ClaimSpec.of(null, null), claim("192.0.2.0", "a", 1))
                        .isClaimedOrOwned())
                .isTrue();
    }

    @Test
    void contentIsTheSame_ifStateAndSpecAre() {
        Holding held = held(Holding.State.HELD, OWNER);
        assertThat(held.sameContent(held(Holding.State.HELD, OWNER))).isTrue();
        assertThat(held.sameContent(held(Holding.State.UNSURE, OWNER))).isFalse();
        assertThat(held.sameContent(held(Holding.State.HELD, RESERVATION))).isFalse();
    }
}
