package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.provider.IpMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AddressAnnotationsTest {
    private static SampleService web() {
        return SampleService.named(new ServiceKey("prod", "web"), "u1");
    }

    private static SampleService dual() {
        return web().families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6);
    }

    private static AddressConstraints constraints(SampleService service) {
        AddressAnnotations asked = AddressAnnotations.of(service.build(), IpMode.VIP, List.of());
        assertThat(asked.fault()).isEmpty();
        return asked.constraints();
    }

    private static String fault(SampleService service) {
        AddressAnnotations asked = AddressAnnotations.of(service.build(), IpMode.VIP, List.of());
        assertThat(asked.constraints()).isEqualTo(AddressConstraints.NONE);
        WaitReason why = asked.fault().orElseThrow();
        assertThat(why.message()).endsWith(WellKnownNames.ANNOTATIONS_PAGE);
        return why.reason() + ": " + why.message().replace(WellKnownNames.ANNOTATIONS_PAGE, "");
    }

    private static Sharing sharing(SampleService service, IpMode ipMode) {
        return Objects.requireNonNull(AddressAnnotations.of(service.build(), ipMode, List.of())
                .constraints()
                .sharing());
    }

    @Test
    void whoSaysNothing_asksForNothing() {
        assertThat(constraints(web())).isEqualTo(AddressConstraints.NONE);
        assertThat(constraints(
                        web().annotation(WellKnownNames.ADDRESSES, " ").annotation(WellKnownNames.SHARING_KEY, "")))
                .isEqualTo(AddressConstraints.NONE);
        assertThat(AddressAnnotations.of(web().build(), IpMode.VIP, List.of()).retain())
                .isNull();
    }

    @Test
    void addresses_areReadFromTheAnnotation_orTheField() {
        assertThat(constraints(dual().annotation(WellKnownNames.ADDRESSES, "192.0.2.1, 2001:DB8::1,"))
                        .addresses())
                .containsExactly(Ip.parse("192.0.2.1"), Ip.parse("2001:db8::1"));
        assertThat(constraints(web().loadBalancerIp("192.0.2.1")).addresses()).containsExactly(Ip.parse("192.0.2.1"));
    }

    @Test
    void both_mustSayTheSame() {
        SampleService same =
                dual().annotation(WellKnownNames.ADDRESSES, "2001:db8::1").loadBalancerIp("2001:DB8:0::1");

        assertThat(constraints(same).addresses()).containsExactly(Ip.parse("2001:db8::1"));
        assertThat(fault(web().annotation(WellKnownNames.ADDRESSES, "192.0.2.1").loadBalancerIp("192.0.2.2")))
                .isEqualTo("AddressesDiffer: annotation berth.dev/addresses and spec.loadBalancerIP request different"
                        + " addresses; remove one of them");
    }

    @Test
    void annotationAndField_ofDifferentFamilies_areOneRequest() {
        assertThat(constraints(dual().annotation(WellKnownNames.ADDRESSES, "2001:db8::1")
                                .loadBalancerIp("192.0.2.1"))
                        .addresses())
                .containsExactlyInAnyOrder(Ip.parse("192.0.2.1"), Ip.parse("2001:db8::1"));
        assertThat(constraints(dual().annotation(WellKnownNames.ADDRESSES, "2001:db8::1, 192.0.2.1")
                                .loadBalancerIp("192.0.2.1"))
                        .addresses())
                .containsExactlyInAnyOrder(Ip.parse("192.0.2.1"), Ip.parse("2001:db8::1"));
    }

    @Test
    void whatIsNoAddress_isSaidWithWhereItStands() {
        assertThat(fault(web().annotation(WellKnownNames.ADDRESSES, "192.0.2.0/24")))
                .isEqualTo("InvalidAddresses: annotation berth.dev/addresses: 192.0.2.0/24 is not an address");
        assertThat(fault(web().loadBalancerIp("web.example.org")))
                .isEqualTo("InvalidAddresses: spec.loadBalancerIP: \"web.example.org\" is not an IP address");
    }

    @Test
    void oneAddressAFamily_canBeAskedFor() {
        assertThat(fault(dual().annotation(WellKnownNames.ADDRESSES, "192.0.2.1,2001:db8::1,192.0.2.2")))
                .isEqualTo("InvalidAddresses: 192.0.2.1 and 192.0.2.2 requested; at most one address per family is"
                        + " allowed");
        assertThat(constraints(web().annotation(WellKnownNames.ADDRESSES, "192.0.2.1,192.0.2.1"))
                        .addresses())
                .hasSize(1);
    }

    @Test
    void anAddressOfAFamilyThatIsNotWanted_isRefused() {
        assertThat(fault(web().annotation(WellKnownNames.ADDRESSES, "2001:db8::1")))
                .isEqualTo("AddressOfOtherFamily: 2001:db8::1 requested, but the Service's ipFamilyPolicy and"
                        + " ipFamilies do not include IPv6");
    }

    @Test
    void pools_areAListWithoutRepetition() {
        assertThat(constraints(web().annotation(WellKnownNames.ADDRESS_POOL, "a, b,,a"))
                        .pools())
                .containsExactly("a", "b");
    }

    @Test
    void retain_isTrueOrFalse() {
        assertThat(constraints(web().annotation(WellKnownNames.RETAIN, "true")).retain())
                .isTrue();
        assertThat(AddressAnnotations.of(
                                web().annotation(WellKnownNames.RETAIN, "false").build(), IpMode.VIP, List.of())
                        .retain())
                .isFalse();
        assertThat(fault(web().annotation(WellKnownNames.RETAIN, "yes")))
                .isEqualTo("InvalidRetain: annotation berth.dev/retain: \"yes\" is neither true nor false");
    }

    @Test
    void sharing_isByKeyAndPorts() {
        Sharing sharing = sharing(web().annotation(WellKnownNames.SHARING_KEY, "k"), IpMode.VIP);

        assertThat(sharing.key()).isEqualTo("k");
        assertThat(sharing.ports()).containsExactly(new Sharing.Port(new ServiceKey("prod", "web"), "TCP", 80));
        assertThat(constraints(web().annotation(WellKnownNames.SHARING_KEY, "k".repeat(253)))
                        .sharing())
                .isNotNull();
        assertThat(fault(web().annotation(WellKnownNames.SHARING_KEY, "k".repeat(254))))
                .isEqualTo("InvalidSharingKey: annotation berth.dev/sharing-key is longer than 253 characters");
    }

    @Test
    void terms_areModeAndPolicy_andTheSelectorWhereNodesMatter() {
        SampleService cluster = web().annotation(WellKnownNames.SHARING_KEY, "k");

        assertThat(sharing(cluster, IpMode.VIP).terms()).isEqualTo("ipMode VIP, externalTrafficPolicy Cluster");
        SampleService local = cluster.localTraffic(Map.of("b", "2", "a", "1"));
        assertThat(sharing(local, IpMode.VIP).terms())
                .isEqualTo("ipMode VIP, externalTrafficPolicy Local, selector {a=1, b=2}");
        assertThat(sharing(local, IpMode.PROXY).terms()).isEqualTo("ipMode Proxy, externalTrafficPolicy Local");
    }

    @Test
    void whatIsGivenUp_hasToBeAddresses() {
        assertThat(constraints(web().annotation(WellKnownNames.REPLACE_ADDRESS, "192.0.2.7, 2001:db8::7")))
                .isEqualTo(AddressConstraints.NONE);
        assertThat(fault(web().annotation(WellKnownNames.REPLACE_ADDRESS, "true")))
                .isEqualTo("InvalidReplaceAddress: annotation berth.dev/replace-address: \"true\" is not an IP address;"
                        + " list the addresses to give up");
    }
}
