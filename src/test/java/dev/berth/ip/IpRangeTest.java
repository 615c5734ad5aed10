package dev.berth.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class IpRangeTest {
    private record Good(String rule, String text, String shown, String size) {}

    private static final List<Good> GOOD = List.of(
            new Good("a CIDR is its first to its last address", "192.0.2.0/28", "192.0.2.0-192.0.2.15", "16"),
            new Good("a range has both its ends", "192.0.2.10-192.0.2.20", "192.0.2.10-192.0.2.20", "11"),
            new Good("one address is a range", "192.0.2.7", "192.0.2.7", "1"),
            new Good("a /31 has two", "192.0.2.0/31", "192.0.2.0-192.0.2.1", "2"),
            new Good("a /32 has one", "192.0.2.1/32", "192.0.2.1", "1"),
            new Good("a /127 has two", "2001:db8::/127", "2001:db8::-2001:db8::1", "2"),
            new Good("a /128 has one", "2001:db8::1/128", "2001:db8::1", "1"),
            new Good(
                    "a /64 has 2^64",
                    "2001:db8::/64",
                    "2001:db8::-2001:db8::ffff:ffff:ffff:ffff",
                    BigInteger.TWO.pow(64).toString()),
            new Good(
                    "everything has 2^128",
                    "::/0",
                    "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                    BigInteger.TWO.pow(128).toString()),
            new Good(
                    "all of IPv4 has 2^32",
                    "0.0.0.0/0",
                    "0.0.0.0-255.255.255.255",
                    BigInteger.TWO.pow(32).toString()));

    private record Bad(String rule, String text, String says) {}

    private static final List<Bad> BAD = List.of(
            new Bad(
                    "reversed",
                    "192.0.2.20-192.0.2.10",
                    "192.0.2.20-192.0.2.10 ends before it starts; swap the bounds or write it as a CIDR"),
            new Bad(
                    "host bits",
                    "192.0.2.5/28",
                    "192.0.2.5/28 has host bits set; write 192.0.2.0/28 for the network, or 192.0.2.5 for the one address"),
            new Bad(
                    "host bits of IPv6",
                    "2001:db8::1/64",
                    "2001:db8::1/64 has host bits set; write 2001:db8::/64 for the network, or 2001:db8::1 for the one address"),
            new Bad(
                    "two families",
                    "192.0.2.1-2001:db8::1",
                    "192.0.2.1-2001:db8::1 mixes IPv4 and IPv6; split it into two ranges"),
            new Bad(
                    "IPv4-mapped",
                    "::ffff:192.0.2.1",
                    "::ffff:192.0.2.1 is an IPv4-mapped IPv6 address; write it as IPv4"),
            new Bad("a leading zero", "192.0.2.010", "\"192.0.2.010\" is not an IP address"),
            new Bad("a zone", "fe80::1%eth0", "\"fe80::1%eth0\" is not an IP address"),
            new Bad("a mask", "192.0.2.0/255.255.255.0", "\"192.0.2.0/255.255.255.0\" is not an IP address"),
            new Bad("a long prefix", "192.0.2.0/33", "\"192.0.2.0/33\" is not an IP address"),
            new Bad("three octets", "192.0.2", "\"192.0.2\" is not an IP address"),
            new Bad("a leading zero of the prefix", "2001:db8::/064", "\"2001:db8::/064\" is not an IP address"),
            new Bad("a name", "example.org", "\"example.org\" is not an IP address"),
            new Bad("nothing", "", "\"\" is not an IP address"),
            new Bad("a range without an end", "192.0.2.1-", "\"\" is not an IP address"),
            new Bad("a range of CIDRs", "192.0.2.0/28-192.0.2.16/28", "192.0.2.0/28 is not an address"));

    @Test
    void hexadecimalDigits_areReadInUpperCase_too() {
        assertThat(IpRange.parse("2001:DB8::A-2001:DB8::F")).isEqualTo(IpRange.parse("2001:db8::a-2001:db8::f"));
        assertThat(IpRange.parse("2001:DB8::/64")).isEqualTo(IpRange.parse("2001:db8::/64"));
    }

    @Test
    void whatIsWrittenRight_isRead() {
        for (Good row : GOOD) {
            IpRange range = IpRange.parse(row.text());
            assertThat(range).as(row.rule()).hasToString(row.shown());
            assertThat(range.size()).as(row.rule()).isEqualTo(new BigInteger(row.size()));
            assertThat(range.contains(range.lower()) && range.contains(range.upper()))
                    .as(row.rule())
                    .isTrue();
        }
    }

    @Test
    void whatIsWrittenWrong_isRefusedSayingWhatToWrite() {
        for (Bad row : BAD) {
            assertThatThrownBy(() -> IpRange.parse(row.text()))
                    .as(row.rule())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(row.says());
        }
    }

    @Test
    void theEndsOfANetwork_areOfIpv4TwoOfIpv6One_andNoneWhereAllAreHosts() {
        assertThat(IpRange.endsOfNetwork("192.0.2.0/30")).containsExactly(Ip.parse("192.0.2.0"), Ip.parse("192.0.2.3"));
        assertThat(IpRange.endsOfNetwork("192.0.2.0/31")).isEmpty();
        assertThat(IpRange.endsOfNetwork("192.0.2.0/32")).isEmpty();
        assertThat(IpRange.endsOfNetwork("192.0.2.0-192.0.2.3")).isEmpty();
        assertThat(IpRange.endsOfNetwork("2001:db8::/126")).containsExactly(Ip.parse("2001:db8::"));
        assertThat(IpRange.endsOfNetwork("2001:db8::/127")).isEmpty();
    }

    @Test
    void rangesOverlap_whenTheyHaveAnAddressInCommon() {
        IpRange range = IpRange.parse("192.0.2.10-192.0.2.20");

        assertThat(Stream.of("192.0.2.20-192.0.2.30", "192.0.2.0-192.0.2.10", "192.0.2.12", "0.0.0.0/0"))
                .allMatch(other -> range.overlaps(IpRange.parse(other))
                        && IpRange.parse(other).overlaps(range));
        assertThat(Stream.of("192.0.2.21", "192.0.2.0-192.0.2.9", "::/0", "::c000:20f"))
                .noneMatch(other -> range.overlaps(IpRange.parse(other))
                        || IpRange.parse(other).overlaps(range));
    }

    @Test
    void find_ofWhatIsARange_isIt_andOfAnythingElseAbsent() {
        assertThat(IpRange.find("192.0.2.0/30")).contains(IpRange.parse("192.0.2.0/30"));
        assertThat(IpRange.find("192.0.2.1/30")).isEmpty();
        assertThat(IpRange.find("-")).isEmpty();
        assertThat(IpRange.find("-192.0.2.1")).isEmpty();
    }
}
