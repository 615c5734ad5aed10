package dev.berth.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class IpTest {
    private record Named(String rule, String address, String canonical, String objectName) {}

    private static final List<Named> NAMED = List.of(
            new Named("IPv4 is its own name", "192.0.2.1", "192.0.2.1", "192.0.2.1"),
            new Named(
                    "IPv6 is written out in full with - for :",
                    "2001:DB8:0:0::1",
                    "2001:db8::1",
                    "2001-0db8-0000-0000-0000-0000-0000-0001"),
            new Named("the unspecified address", "::", "::", "0000-0000-0000-0000-0000-0000-0000-0000"),
            new Named(
                    "the last one",
                    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                    "ffff-ffff-ffff-ffff-ffff-ffff-ffff-ffff"));

    @Test
    void objectName_leadsBackToTheAddress() {
        for (Named row : NAMED) {
            Ip ip = Ip.parse(row.address());
            assertThat(ip).as(row.rule()).hasToString(row.canonical());
            assertThat(ip.objectName()).as(row.rule()).isEqualTo(row.objectName());
            assertThat(Ip.ofObjectName(row.objectName())).as(row.rule()).isEqualTo(ip);
        }
    }

    @Test
    void objectName_thatIsNoAddress_isRefused() {
        for (String name : List.of("web", "2001-db8--1", "192-0-2-1", "0000-0000-0000-0000-0000-ffff-c000-0201")) {
            assertThatThrownBy(() -> Ip.ofObjectName(name)).as(name).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void order_isIpv4FirstThenByNumber() {
        assertThat(Stream.of("2001:db8::1", "::1", "10.0.0.9", "9.255.255.255", "10.0.0.10")
                        .map(Ip::parse)
                        .sorted()
                        .map(Ip::toString))
                .containsExactly("9.255.255.255", "10.0.0.9", "10.0.0.10", "::1", "2001:db8::1");
    }

    @Test
    void neighbours_areOneApart_overEveryCarry() {
        for (String[] pair : new String[][] {
            {"192.0.2.255", "192.0.3.0"},
            {"127.255.255.255", "128.0.0.0"},
            {"255.255.255.254", "255.255.255.255"},
            {"2001:db8::ffff", "2001:db8::1:0"},
            {"2001:db8::7fff:ffff:ffff:ffff", "2001:db8:0:0:8000::"},
            {"2001:db8::ffff:ffff:ffff:ffff", "2001:db8:0:1::"},
            {"7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "8000::"}
        }) {
            Ip lower = Ip.parse(pair[0]);
            Ip upper = Ip.parse(pair[1]);
            assertThat(lower.next()).isEqualTo(upper).hasToString(pair[1]);
            assertThat(upper.previous()).isEqualTo(lower).hasToString(pair[0]);
            assertThat(lower).isLessThan(upper);
            assertThat(lower.isJustBefore(upper)).isTrue();
        }
    }

    @Test
    void theLibrarysValue_isTheAddress() {
        for (String text : List.of("255.255.255.255", "0.0.0.0", "128.0.0.1", "::", "ffff::1")) {
            assertThat(Ip.parse(text).value()).hasToString(text);
        }
    }

    @Test
    void theJdksAddress_isTheAddress_withoutItsZone() throws UnknownHostException {
        for (String text : List.of("192.0.2.1", "255.255.255.255", "0.0.0.0", "2001:db8::1", "ffff::ffff")) {
            assertThat(Ip.of(InetAddress.ofLiteral(text))).isEqualTo(Ip.parse(text));
        }
        byte[] linkLocal = InetAddress.ofLiteral("fe80::a").getAddress();
        assertThat(Ip.of(Inet6Address.getByAddress(null, linkLocal, 7))).isEqualTo(Ip.parse("fe80::a"));
    }

    @Test
    void aSubnet_isNoAddress() {
        assertThatThrownBy(() -> Ip.parse("192.0.2.0/24")).hasMessage("192.0.2.0/24 is not an address");
    }

    @Test
    void find_ofWhatIsNoAddress_isAbsent() {
        assertThat(Ip.find("::ffff:192.0.2.1")).isEmpty();
        assertThat(Ip.find("192.0.2.1")).contains(Ip.parse("192.0.2.1"));
    }

    @Test
    void special_isWhatNoOtherHostCouldReach() {
        assertThat(Stream.of(
                        "127.0.0.1",
                        "0.0.0.0",
                        "169.254.0.1",
                        "224.0.0.1",
                        "255.255.255.255",
                        "::1",
                        "::",
                        "fe80::1",
                        "ff02::1"))
                .allMatch(text -> Ip.parse(text).isSpecial());
        assertThat(Stream.of("192.0.2.1", "10.0.0.255", "2001:db8::1", "fd00::1"))
                .noneMatch(text -> Ip.parse(text).isSpecial());
    }

    @Test
    void network_isTheCanonicalCidrOfThisLength() {
        assertThat(Ip.parse("192.0.2.77").network(24)).isEqualTo("192.0.2.0/24");
        assertThat(Ip.parse("2001:db8::77").network(64)).isEqualTo("2001:db8::/64");
    }

    @Test
    void hashOfAddresses_differsByBothHalves() {
        assertThat(Stream.of("::1", "::2", "0:0:0:1::1", "0:0:0:2::1")
                        .map(text -> Ip.parse(text).hashCode())
                        .distinct())
                .hasSize(4);
    }

    @Test
    void textThatIsNoAddress_isRefusedByName() {
        assertThatThrownBy(() -> Ip.parse("/24")).hasMessageContaining("/24");
        assertThatThrownBy(() -> IpRange.parse("/024")).hasMessageContaining("/024");
    }
}
