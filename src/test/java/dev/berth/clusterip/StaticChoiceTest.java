package dev.berth.clusterip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.ServiceKey;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StaticChoiceTest {
    private static final ServiceKey WEB = new ServiceKey("shop", "web");
    private static final ServiceKey DNS = new ServiceKey("shop", "dns");
    private static final List<ServiceCidr> DUAL = List.of(SampleCidrs.ready("kubernetes", "10.0.0.0/27", "fd00::/112"));

    private static List<Ip> ips(String... texts) {
        return Stream.of(texts).map(Ip::parse).toList();
    }

    private static StaticRequest request(@Nullable String policy, List<String> families, String... named) {
        return StaticRequest.of(WEB, families, policy, ips(named), DUAL);
    }

    private static StaticChoice choose(StaticRequest request, ClusterIps taken, String... tried) {
        return StaticChoice.of(request, new ClusterIpAllocator(DUAL, taken), ips(tried));
    }

    private static StaticChoice.Chosen chosen(String... texts) {
        return new StaticChoice.Chosen(ips(texts), List.of());
    }

    private record Row(
            String rule,
            @Nullable String policy,
            List<String> ipFamilies,
            List<String> named,
            List<IpFamily> families) {}

    private static final List<IpFamily> V4 = List.of(IpFamily.IPV4);
    private static final List<IpFamily> V6 = List.of(IpFamily.IPV6);
    private static final List<IpFamily> V4_V6 = List.of(IpFamily.IPV4, IpFamily.IPV6);
    private static final List<IpFamily> V6_V4 = List.of(IpFamily.IPV6, IpFamily.IPV4);

    private static final List<Row> FAMILIES = List.of(
            new Row("nothing said: the cluster's first", null, List.of(), List.of(), V4),
            new Row("single stack: the cluster's first", "SingleStack", List.of(), List.of(), V4),
            new Row("the one named", null, List.of("IPv6"), List.of(), V6),
            new Row("that of the address", null, List.of(), List.of("fd00::9"), V6),
            new Row("those of the addresses", null, List.of(), List.of("fd00::9", "10.0.0.9"), V6_V4),
            new Row("both named", null, List.of("IPv6", "IPv4"), List.of("10.0.0.9"), V6_V4),
            new Row("dual stack required", "RequireDualStack", List.of(), List.of(), V4_V6),
            new Row("dual stack preferred, and the cluster's", "PreferDualStack", List.of("IPv6"), List.of(), V6_V4),
            new Row("dual stack, by an address", "RequireDualStack", List.of(), List.of("fd00::9"), V6_V4));

    @Test
    void familiesAreThoseOfTheManifest_elseOfTheAddresses_elseTheClustersFirst() {
        assertThat(FAMILIES)
                .allSatisfy(row -> assertThat(request(
                                        row.policy(),
                                        row.ipFamilies(),
                                        row.named().toArray(String[]::new))
                                .families())
                        .as(row.rule())
                        .isEqualTo(row.families()));
    }

    @Test
    void dualStackPreferred_isOneFamily_whereTheClusterHasButOne() {
        List<ServiceCidr> single = List.of(
                SampleCidrs.ready("another", "fd00::/112"), SampleCidrs.ready(Retirement.OF_API_SERVER, "10.0.0.0/24"));

        assertThat(StaticRequest.of(WEB, List.of(), "PreferDualStack", List.of(), single)
                        .families())
                .isEqualTo(V4);
        assertThat(StaticRequest.of(WEB, List.of(), "RequireDualStack", List.of(), single)
                        .families())
                .isEqualTo(V4_V6);
    }

    @Test
    void whatDoesNotGoTogether_isRefusedNamingIt() {
        assertThatThrownBy(() -> request(null, List.of("IPv4"), "fd00::9"))
                .hasMessage("fd00::9 is no address of the Service's families [IPv4]");
        assertThatThrownBy(() -> request(null, List.of(), "10.0.0.9", "10.0.0.8"))
                .hasMessage("two IPv4 addresses are named, 10.0.0.9 and 10.0.0.8; leave one out");
        assertThatThrownBy(() -> StaticRequest.of(WEB, List.of(), null, List.of(), List.of()))
                .hasMessageEndingWith("name the family in spec.ipFamilies");
        assertThat(request(null, List.of(), "10.0.0.9", "10.0.0.9").named()).isEqualTo(ips("10.0.0.9"));
    }

    @Test
    void anyAddress_isTheLowestFreeStaticOne_ofEachFamily() {
        ClusterIps taken = Sample.index("10.0.0.1", "10.0.0.2");

        assertThat(choose(request("RequireDualStack", List.of()), taken)).isEqualTo(chosen("10.0.0.3", "fd00::1"));
    }

    @Test
    void whatTheApiServerRefused_isNotTriedAgain_untilNoneIsLeft() {
        StaticRequest request = request(null, List.of());
        String[] all =
                Stream.iterate(1, i -> i + 1).limit(16).map(i -> "10.0.0." + i).toArray(String[]::new);

        assertThat(choose(request, new ClusterIps(), "10.0.0.1", "10.0.0.3")).isEqualTo(chosen("10.0.0.2"));
        assertThat(choose(request, Sample.index("10.0.0.2"), "10.0.0.1", "10.0.0.3"))
                .isEqualTo(chosen("10.0.0.4"));
        assertThat(choose(request, new ClusterIps(), all))
                .isEqualTo(new StaticChoice.None("no ServiceCIDR has a free static IPv4 address;"
                        + " make another ServiceCIDR, or name an address of a dynamic band"));
    }

    @Test
    void whereTheDynamicBandIsFullToo_nobodyIsToldToNameAnAddressOfIt() {
        String[] all =
                Stream.iterate(1, i -> i + 1).limit(30).map(i -> "10.0.0." + i).toArray(String[]::new);

        assertThat(choose(request(null, List.of()), Sample.index(all)))
                .isEqualTo(new StaticChoice.None(
                        "no ServiceCIDR has a free static IPv4 address; make another ServiceCIDR"));
    }

    @Test
    void addressThatIsNamed_isChosen_ofWhicheverBand_andTriedAgain() {
        assertThat(choose(request(null, List.of(), "10.0.0.25"), new ClusterIps(), "10.0.0.25"))
                .isEqualTo(chosen("10.0.0.25"));
    }

    @Test
    void addressThatIsNamed_andNobodyCanHave_isRefusedNamingWhy() {
        ClusterIps taken = Sample.index(List.of(
                Sample.ip(Ip.parse("10.0.0.5"), DNS), Sample.reserved("10.0.0.6", DNS), Sample.foreign("10.0.0.7")));

        assertThat(choose(request(null, List.of(), "10.0.0.5"), taken))
                .isEqualTo(
                        new StaticChoice.None("10.0.0.5 is taken by Service shop/dns; name another address, or none"));
        assertThat(choose(request(null, List.of(), "10.0.0.6"), taken))
                .isEqualTo(new StaticChoice.None("10.0.0.6 is kept for Service shop/dns by a ServiceCIDRPolicy;"
                        + " name another address, or none"));
        assertThat(choose(request(null, List.of(), "10.0.0.7"), taken))
                .isEqualTo(new StaticChoice.None(
                        "10.0.0.7 is taken by hosts.example.org host; name another address, or none"));
        assertThat(choose(request(null, List.of(), "10.1.0.1"), taken))
                .isEqualTo(new StaticChoice.None(
                        "10.1.0.1 is in no ServiceCIDR that gives addresses; choose one of 10.0.0.0/27"));
    }

    @Test
    void whatIsKeptForTheService_isTaken_beforeAnyOther_namedOrNot() {
        ClusterIp kept = Sample.reserved("10.0.0.9", WEB);
        ClusterIps taken = Sample.index(List.of(Sample.reserved("10.0.0.2", DNS), kept));
        StaticChoice handOver = new StaticChoice.Chosen(ips("10.0.0.9"), List.of(kept));

        assertThat(choose(request(null, List.of()), taken)).isEqualTo(handOver);
        assertThat(choose(request(null, List.of(), "10.0.0.9"), taken)).isEqualTo(handOver);
        assertThat(choose(request(null, List.of(), "10.0.0.1"), taken)).isEqualTo(chosen("10.0.0.1"));
        assertThat(choose(request(null, List.of("IPv6")), taken)).isEqualTo(chosen("fd00::1"));
    }

    @Test
    void whatIsKeptInARangeThatGivesNothing_isLeft() {
        ClusterIps taken = Sample.index(List.of(Sample.reserved("10.8.0.9", WEB)));

        assertThat(choose(request(null, List.of()), taken)).isEqualTo(chosen("10.0.0.1"));
    }
}
