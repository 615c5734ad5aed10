package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The parameters of a class with provider {@code bgp}. */
class BgpParametersTest {
    @Test
    void withoutParameters_everyPeerIsTold_andNothingIsAnnouncedWithoutEndpoints() {
        assertThat(BgpParameters.of(Map.of())).isEqualTo(BgpParameters.DEFAULT);
    }

    @Test
    void communities_areTakenInTheirOrder_standardLargeAndByName() {
        assertThat(BgpParameters.of(Map.of("communities", "64512:100, 4200000000:1:4294967295,no-export"))
                        .communities())
                .containsExactly(
                        new Community(List.of(64512L, 100L)),
                        new Community(List.of(4_200_000_000L, 1L, 4_294_967_295L)),
                        new Community(List.of(65535L, 65281L)));
    }

    @Test
    void localPref_isAny32BitNumber() {
        assertThat(BgpParameters.of(Map.of("localPref", "4294967295")).localPref())
                .isEqualTo(Optional.of(4_294_967_295L));
    }

    @Test
    void aggregationLength_isOfEachFamily_andTheNetworkIsThatOfTheAddress() {
        BgpParameters parameters = BgpParameters.of(Map.of("aggregationLength", "28", "aggregationLengthV6", "120"));
        assertThat(parameters.prefix(Ip.parse("203.0.113.30"))).hasToString("203.0.113.16/28");
        assertThat(parameters.prefix(Ip.parse("2001:db8::1ff"))).hasToString("2001:db8::100/120");
        assertThat(BgpParameters.DEFAULT.prefix(Ip.parse("203.0.113.30"))).hasToString("203.0.113.30/32");
        assertThat(BgpParameters.DEFAULT.prefix(Ip.parse("2001:db8::1ff"))).hasToString("2001:db8::1ff/128");
    }

    record Fault(String sentence, Map<String, String> parameters, String message) {
        @Override
        public String toString() {
            return sentence;
        }
    }

    static Stream<Fault> faults() {
        String community =
                "is not a community; write them separated by commas, like 64512:100, 64512:1:100 or no-export";
        return Stream.of(
                new Fault(
                        "a network that IPv4 does not have",
                        Map.of("aggregationLength", "33"),
                        "parameter \"aggregationLength\" is \"33\"; it must be a number from 1 to 32"),
                new Fault(
                        "a parameter of provider l2",
                        Map.of("interfaces", "eth0", "communities", "64512:1"),
                        "parameter \"interfaces\" is unknown; provider \"bgp\" knows aggregationLength,"
                                + " aggregationLengthV6, communities, localPref, peerSelector, peers, withoutEndpoints"),
                new Fault(
                        "a community of four bytes in two parts",
                        Map.of("communities", "65536:1"),
                        "parameter \"communities\" is \"65536:1\", and \"65536:1\" " + community),
                new Fault(
                        "a large community of the autonomous system that is nobody's",
                        Map.of("communities", "64512:1,4294967295:0:0"),
                        "parameter \"communities\" is \"64512:1,4294967295:0:0\", and \"4294967295:0:0\" " + community),
                new Fault(
                        "an empty community",
                        Map.of("communities", ""),
                        "parameter \"communities\" is \"\", and \"\" " + community),
                new Fault(
                        "a LOCAL_PREF of more than 32 bits",
                        Map.of("localPref", "4294967296"),
                        "parameter \"localPref\" is \"4294967296\"; it must be a number from 0 to 4294967295"),
                new Fault(
                        "a name that no object can have",
                        Map.of("peers", "router-a,Router"),
                        "parameter \"peers\" is \"router-a,Router\", and \"Router\" is not a name of a BGPPeer; write names"
                                + " separated by commas"),
                new Fault(
                        "a selector without a value",
                        Map.of("peerSelector", "rack"),
                        "parameter \"peerSelector\" is \"rack\", and \"rack\" is not a label; write labels separated by"
                                + " commas, like rack=a,site=west"),
                new Fault(
                        "a word that there is not",
                        Map.of("withoutEndpoints", "Never"),
                        "parameter \"withoutEndpoints\" is \"Never\"; it must be Withhold or Announce"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whatCannotBeRead_isNamed_withWhatItHasToBe(Fault fault) {
        assertThatThrownBy(() -> BgpParameters.of(fault.parameters()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(fault.message());
    }
}
