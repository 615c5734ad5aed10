package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * One range. Three tables have the cases of upstream's {@code Test_calculateRangeOffset} (12), {@code
 * Test_hostsPerNetwork} (11) and {@code Test_PrefixContainIP} (8); what is no canonical CIDR there is written
 * as one here.
 */
class ServiceRangeTest {
    private static final BigInteger MOST_THAT_UPSTREAM_COUNTS =
            BigInteger.TWO.pow(64).subtract(BigInteger.ONE);

    private record Offset(String rule, String cidr, int offset) {}

    private static final List<Offset> OFFSETS = List.of(
            new Offset("one IPv4 address has no bands", "192.168.1.1/32", 0),
            new Offset("one IPv6 address has no bands", "fd00::1/128", 0),
            new Offset("4 of IPv4 have no bands", "192.168.1.0/30", 0),
            new Offset("4 of IPv6 have no bands", "fd00::/126", 0),
            new Offset("16 of IPv4 have no bands", "192.168.1.0/28", 0),
            new Offset("32 of IPv4: the smallest band", "192.168.1.0/27", 16),
            new Offset("16 of IPv6 have no bands", "fd00::/124", 0),
            new Offset("64 of IPv6: the smallest band", "fd00::/122", 16),
            new Offset("1,024 of IPv4: a sixteenth", "192.168.0.0/22", 64),
            new Offset("1,024 of IPv6: a sixteenth", "fd00::/118", 64),
            new Offset("a large IPv4 range: the largest band", "192.0.0.0/8", 256),
            new Offset("a large IPv6 range: the largest band", "fd00::/12", 256));

    @Test
    void theStaticBand_isASixteenthOfTheRange_from16To256() {
        assertThat(OFFSETS)
                .hasSize(12)
                .allSatisfy(row -> assertThat(ServiceRange.parse(row.cidr()).offset())
                        .as(row.rule())
                        .isEqualTo(row.offset()));
    }

    private record Hosts(String rule, String cidr, String hosts) {}

    private static final List<Hosts> HOSTS = List.of(
            new Hosts("IPv4 loses two", "192.168.1.0/24", "254"),
            new Hosts("an IPv4 /32 has none", "192.168.1.0/32", "0"),
            new Hosts("an IPv4 /31 has none", "192.168.1.0/31", "0"),
            new Hosts("half of IPv4", "0.0.0.0/1", "2147483646"),
            new Hosts("all of IPv4", "0.0.0.0/0", "4294967294"),
            new Hosts("IPv6 loses one", "2001:db2::/112", "65535"),
            new Hosts("an IPv6 /128 has none", "2001:db8::/128", "0"),
            new Hosts("an IPv6 /127 has one", "2001:db8::/127", "1"),
            new Hosts("63 bits", "2001:db8::/65", "9223372036854775807"),
            new Hosts("64 bits", "2001:db8::/64", "18446744073709551615"),
            new Hosts("more than 64 bits, counted as 64", "::/1", "18446744073709551615"));

    @Test
    void theSize_leavesOutTheNetworksOwnAddressAndTheBroadcastOfIpv4() {
        assertThat(HOSTS)
                .hasSize(11)
                .allSatisfy(
                        row -> assertThat(ServiceRange.parse(row.cidr()).size().min(MOST_THAT_UPSTREAM_COUNTS))
                                .as(row.rule())
                                .isEqualTo(row.hosts()));
    }

    @Test
    void theSizeOfARangeLargerThanASlash64_hasNoLimit() {
        assertThat(ServiceRange.parse("fd00::/48").size())
                .isEqualTo(BigInteger.TWO.pow(80).subtract(BigInteger.ONE));
    }

    private record Contains(String rule, String cidr, String ip, boolean contains) {}

    private static final List<Contains> CONTAINS = List.of(
            new Contains("an IPv4 address of it", "192.168.0.0/24", "192.168.0.1", true),
            new Contains("IPv4: not its network's own", "192.168.0.0/24", "192.168.0.0", false),
            new Contains("IPv4: not its broadcast", "192.168.0.0/24", "192.168.0.255", false),
            new Contains("IPv4: not one of another network", "192.168.0.0/24", "192.168.1.2", false),
            new Contains("an IPv6 address of it", "2001:db2::/96", "2001:db2::1", true),
            new Contains("IPv6: not its network's own", "2001:db2::/96", "2001:db2::", false),
            new Contains("IPv6: its last one, too", "2001:db2::/96", "2001:db2::ffff:ffff", true),
            new Contains("IPv6: not one of another network", "2001:db2::/96", "2001:db2:1:2:3::1", false));

    @Test
    void aRange_containsWhatItCanGive() {
        assertThat(CONTAINS)
                .hasSize(8)
                .allSatisfy(row -> assertThat(ServiceRange.parse(row.cidr()).contains(Ip.parse(row.ip())))
                        .as(row.rule())
                        .isEqualTo(row.contains()));
    }

    @Test
    void aRange_containsNothingOfTheOtherFamily() {
        assertThat(ServiceRange.parse("0.0.0.0/0").contains(Ip.parse("::1"))).isFalse();
        assertThat(ServiceRange.parse("0.0.0.0/0").overlaps(ServiceRange.parse("::/0")))
                .isFalse();
    }

    private record Bands(
            String cidr, @Nullable String fixed, @Nullable String dynamic) {}

    private static final List<Bands> BANDS = List.of(
            new Bands("10.96.0.0/24", "10.96.0.1-10.96.0.16", "10.96.0.17-10.96.0.254"),
            new Bands("10.96.0.0/12", "10.96.0.1-10.96.1.0", "10.96.1.1-10.111.255.254"),
            new Bands("10.96.0.0/27", "10.96.0.1-10.96.0.16", "10.96.0.17-10.96.0.30"),
            new Bands("10.96.0.0/28", null, "10.96.0.1-10.96.0.14"),
            new Bands("10.96.0.0/30", null, "10.96.0.1-10.96.0.2"),
            new Bands("10.96.0.0/31", null, null),
            new Bands("10.96.0.0/32", null, null),
            new Bands("fd00::/112", "fd00::1-fd00::100", "fd00::101-fd00::ffff"),
            new Bands("fd00::/64", "fd00::1-fd00::100", "fd00::101-fd00::ffff:ffff:ffff:ffff"),
            new Bands("fd00::/127", null, "fd00::1"),
            new Bands("fd00::/128", null, null));

    @Test
    void theBands_areTheAddressesOfTheRange_theStaticOneFirst() {
        for (Bands row : BANDS) {
            ServiceRange range = ServiceRange.parse(row.cidr());
            assertThat(range.staticBand()).as(row.cidr()).isEqualTo(range(row.fixed()));
            assertThat(range.dynamicBand()).as(row.cidr()).isEqualTo(range(row.dynamic()));
        }
    }

    private static Optional<IpRange> range(@Nullable String text) {
        return Optional.ofNullable(text).map(IpRange::parse);
    }

    private record Use(String cidr, @Nullable UnusableRange unusable) {}

    private static final List<Use> USES = List.of(
            new Use("10.96.0.0/12", null),
            new Use("10.96.0.0/30", null),
            new Use("10.96.0.0/31", UnusableRange.NO_ADDRESS),
            new Use("10.96.0.0/32", UnusableRange.NO_ADDRESS),
            new Use("fd00::/63", UnusableRange.PREFIX_TOO_SHORT),
            new Use("fd00::/64", null),
            new Use("fd00::/126", null),
            new Use("fd00::/127", UnusableRange.ONE_ADDRESS),
            new Use("fd00::/128", UnusableRange.NO_ADDRESS));

    @Test
    void whatGivesAtMostOneAddress_saysWhy() {
        assertThat(USES)
                .allSatisfy(row -> assertThat(ServiceRange.parse(row.cidr()).unusable())
                        .as(row.cidr())
                        .isEqualTo(Optional.ofNullable(row.unusable())));
    }

    private record Bad(String text, String says) {}

    private static final List<Bad> BAD = List.of(
            new Bad("10.96.0.1", "10.96.0.1 is not a CIDR"),
            new Bad("", " is not a CIDR"),
            new Bad(
                    "10.96.0.1/24",
                    "10.96.0.1/24 has host bits set; write 10.96.0.0/24 for the network, or 10.96.0.1 for the one address"),
            new Bad("FD00::/64", "FD00::/64 is not in its canonical form; write fd00::/64"),
            new Bad("fd00:0::/64", "fd00:0::/64 is not in its canonical form; write fd00::/64"),
            new Bad("10.96.0.0/33", "\"10.96.0.0/33\" is not an IP address"),
            new Bad("10.96.0.0/024", "\"10.96.0.0/024\" is not an IP address"),
            new Bad("10.96.0.0-10.96.0.0/30", "10.96.0.0/30 is not an address"));

    @Test
    void whatIsNoCanonicalCidr_isRefusedSayingWhatToWrite() {
        for (Bad row : BAD) {
            assertThatThrownBy(() -> ServiceRange.parse(row.text()))
                    .as(row.text())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(row.says());
        }
    }

    @Test
    void ranges_areOrderedByFamilyThenAddressThenSize_andShownAsTheyWereRead() {
        List<String> ascending = List.of(
                "10.0.0.0/8",
                "10.0.0.0/24",
                "10.96.0.0/12",
                "fd00::/64",
                "fd00::/112",
                "fd00:0:0:1::/64",
                "fd00:1:0:0:1::/80");

        assertThat(ascending.reversed().stream().map(ServiceRange::parse).sorted())
                .map(ServiceRange::toString)
                .isEqualTo(ascending);
    }

    @Test
    void aRange_isEqualToOneOfTheSameAddressAndSize() {
        ServiceRange range = ServiceRange.parse("10.0.0.0/24");

        assertThat(range)
                .isEqualTo(ServiceRange.parse("10.0.0.0/24"))
                .hasSameHashCodeAs(ServiceRange.parse("10.0.0.0/24"));
        assertThat(range).isNotEqualTo(ServiceRange.parse("10.0.0.0/25"));
        assertThat(range).isNotEqualTo(ServiceRange.parse("10.0.1.0/24"));
        assertThat(range).isNotEqualTo(range.toString());
    }

    @Test
    void whatOthersWrote_isReadOrAbsent() {
        assertThat(ServiceRange.find("10.0.0.0/24")).contains(ServiceRange.parse("10.0.0.0/24"));
        assertThat(ServiceRange.find("10.0.0.1/24")).isEmpty();
        assertThat(ServiceRange.find("ten")).isEmpty();
    }

    @Test
    void theRangeAroundAnAddress_isTheBlockThatItIsIn() {
        assertThat(ServiceRange.around(Ip.parse("10.0.5.77"), 24)).isEqualTo(ServiceRange.parse("10.0.5.0/24"));
        assertThat(ServiceRange.around(Ip.parse("2001:db8::5"), 64)).isEqualTo(ServiceRange.parse("2001:db8::/64"));
    }

    @Test
    void allOfARange_hasTheAddressesThatAreExcluded() {
        assertThat(ServiceRange.parse("10.0.0.0/24").whole()).isEqualTo(IpRange.parse("10.0.0.0/24"));
    }

    @Test
    void aRangeGivesAddresses_unlessItHasNoneOrIsTooLarge() {
        assertThat(Stream.of("10.0.0.0/24", "10.0.0.0/30", "fd00::/64", "fd00::/127"))
                .allMatch(cidr -> ServiceRange.parse(cidr).gives());
        assertThat(Stream.of("10.0.0.0/31", "10.0.0.0/32", "fd00::/63", "fd00::/128"))
                .noneMatch(cidr -> ServiceRange.parse(cidr).gives());
    }
}
