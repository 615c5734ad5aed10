package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NeighbourTest {
    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1", "2001:db8::1", "fe80::1%eth1"})
    void whatIsWritten_isFoundAgain(String text) {
        assertThat(Neighbour.find(text)).map(Neighbour::toString).contains(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "eth1", "%eth1"})
    void whatIsNone_isNotFound(String text) {
        assertThat(Neighbour.find(text)).isEmpty();
    }

    @Test
    void linkLocalAddressesOfTwoInterfaces_areTwoNeighbours() {
        assertThat(new Neighbour(Ip.parse("fe80::1"), "eth1")).isNotEqualTo(new Neighbour(Ip.parse("fe80::1"), "eth2"));
    }
}
