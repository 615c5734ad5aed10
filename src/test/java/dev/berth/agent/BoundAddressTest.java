package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import org.junit.jupiter.api.Test;

/** When neighbours are told again where an address is. */
class BoundAddressTest {
    private static final String HARDWARE = "02:00:00:00:00:01";

    private final BoundAddress bound = new BoundAddress(Ip.parse("192.0.2.1"), "br0", 7, HARDWARE, 0);

    private void tellAll() {
        while (bound.tellings.next() != Long.MAX_VALUE) {
            bound.tellings.announced();
        }
    }

    @Test
    void interfaceThatGetsAnotherHardwareAddress_isToldToNeighbours_andOneThatGetsAnotherNameIsNot() {
        tellAll();
        assertThat(bound.isMoved("br0", HARDWARE, 60_000)).isFalse();
        assertThat(bound.isMoved("lan", HARDWARE, 60_000)).isFalse();
        assertThat(bound.link()).isEqualTo("lan");
        assertThat(bound.tellings.next()).isEqualTo(Long.MAX_VALUE);

        assertThat(bound.isMoved("lan", "02:00:00:00:00:02", 61_000)).isTrue();
        assertThat(bound.tellings.next()).isEqualTo(61_000);
    }

    @Test
    void addressOfAnEarlierProcess_isNotMoved_whenItsHardwareAddressIsLearnt() {
        BoundAddress left = new BoundAddress(Ip.parse("192.0.2.1"), "", 7, "", 0);
        assertThat(left.isMoved("br0", HARDWARE, 60_000)).isFalse();
        assertThat(left.isMoved("br0", "02:00:00:00:00:02", 61_000)).isTrue();
    }

    /** The agent of this node stood still, another node had the address, and this one never missed it. */
    @Test
    void addressThatAnotherNodeHasClaimed_isToldToNeighboursAgain_onceASecondAtMost() {
        tellAll();
        assertThat(bound.isContested(60_000)).isTrue();
        assertThat(bound.tellings.next()).isEqualTo(60_000);
        assertThat(bound.isContested(60_999)).isFalse();
        assertThat(bound.isContested(61_000)).isTrue();

        bound.ends = 62_000;
        assertThat(bound.isContested(64_000)).isFalse();
    }
}
