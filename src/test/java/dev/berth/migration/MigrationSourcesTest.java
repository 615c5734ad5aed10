package dev.berth.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.AddressAnnotations;
import dev.berth.loadbalancer.ForeignAnnotations;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MigrationSourcesTest {
    private static SampleService service(String... annotations) {
        SampleService service = SampleService.named(new ServiceKey("prod", "web"), "u1")
                .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6);
        for (int i = 0; i < annotations.length; i += 2) {
            service.annotation(annotations[i], annotations[i + 1]);
        }
        return service;
    }

    private static AddressAnnotations asked(String peers, SampleService service) {
        return AddressAnnotations.of(
                service.build(), IpMode.VIP, MigrationSources.parse(peers).sources());
    }

    private static List<Ip> ips(String... ips) {
        return List.of(ips).stream().map(Ip::parse).toList();
    }

    private record Row(
            String peers,
            SampleService service,
            List<Ip> addresses,
            List<String> pools,
            @Nullable String key) {}

    private static final List<Row> UNDERSTOOD = List.of(
            new Row(
                    "metallb",
                    service("metallb.io/loadBalancerIPs", "192.0.2.7, 2001:db8::7", "metallb.io/address-pool", "edge"),
                    ips("192.0.2.7", "2001:db8::7"),
                    List.of("edge"),
                    null),
            new Row(
                    "metallb",
                    service(
                            "metallb.universe.tf/loadBalancerIPs",
                            "192.0.2.7",
                            "metallb.universe.tf/address-pool",
                            "edge",
                            "metallb.universe.tf/allow-shared-ip",
                            "dns"),
                    ips("192.0.2.7"),
                    List.of("edge"),
                    "dns"),
            // The new name wins over the old one, as it does there.
            new Row(
                    "metallb",
                    service("metallb.universe.tf/allow-shared-ip", "old", "metallb.io/allow-shared-ip", "new"),
                    List.of(),
                    List.of(),
                    "new"),
            new Row(
                    "cilium",
                    service("lbipam.cilium.io/ips", "192.0.2.7", "lbipam.cilium.io/sharing-key", "dns"),
                    ips("192.0.2.7"),
                    List.of(),
                    "dns"),
            new Row(
                    "cilium",
                    service("io.cilium/lb-ipam-ips", "192.0.2.7", "io.cilium/lb-ipam-sharing-key", "dns"),
                    ips("192.0.2.7"),
                    List.of(),
                    "dns"),
            // Cilium takes the field and the annotation together.
            new Row(
                    "cilium",
                    service("lbipam.cilium.io/ips", "2001:db8::7").loadBalancerIp("192.0.2.7"),
                    ips("192.0.2.7", "2001:db8::7"),
                    List.of(),
                    null),
            // kube-vip's cloud provider puts the first of them into the field.
            new Row(
                    "kube-vip",
                    service("kube-vip.io/loadbalancerIPs", "192.0.2.7,2001:db8::7")
                            .loadBalancerIp("192.0.2.7"),
                    ips("192.0.2.7", "2001:db8::7"),
                    List.of(),
                    null),
            new Row(
                    "purelb",
                    service(
                            "purelb.io/addresses",
                            "192.0.2.7",
                            "purelb.io/service-group",
                            "edge",
                            "purelb.io/allow-shared-ip",
                            "dns"),
                    ips("192.0.2.7"),
                    List.of("edge"),
                    "dns"),
            // Berth's own win, each for what it says.
            new Row(
                    "metallb,purelb",
                    service(
                            "berth.dev/addresses",
                            "192.0.2.9",
                            "metallb.io/loadBalancerIPs",
                            "192.0.2.7",
                            "metallb.io/address-pool",
                            "edge"),
                    ips("192.0.2.9"),
                    List.of("edge"),
                    null),
            new Row(
                    "kube-vip",
                    service("berth.dev/addresses", "192.0.2.9", "kube-vip.io/loadbalancerIPs", "0.0.0.0"),
                    ips("192.0.2.9"),
                    List.of(),
                    null),
            // Two that say the same do not contradict each other.
            new Row(
                    "metallb,cilium",
                    service("metallb.io/loadBalancerIPs", "192.0.2.7", "lbipam.cilium.io/ips", "192.0.2.7"),
                    ips("192.0.2.7"),
                    List.of(),
                    null),
            // Those that are not named do not count.
            new Row("cilium", service("metallb.io/loadBalancerIPs", "192.0.2.7"), List.of(), List.of(), null),
            new Row("", service("metallb.io/allow-shared-ip", "dns"), List.of(), List.of(), null));

    @Test
    void annotationsOfAPeer_areUnderstoodAsItUnderstandsThem() {
        for (Row row : UNDERSTOOD) {
            AddressAnnotations asked = asked(row.peers(), row.service());

            assertThat(asked.fault()).as("%s", row).isEmpty();
            assertThat(asked.constraints().addresses()).as("%s", row).isEqualTo(row.addresses());
            assertThat(asked.constraints().pools()).as("%s", row).isEqualTo(row.pools());
            assertThat(Optional.ofNullable(asked.constraints().sharing()).map(Sharing::key))
                    .as("%s", row)
                    .isEqualTo(Optional.ofNullable(row.key()));
        }
    }

    private record Refused(String peers, SampleService service, Reason reason, String message) {}

    private static final List<Refused> REFUSED = List.of(
            new Refused(
                    "metallb,cilium",
                    service("metallb.io/loadBalancerIPs", "192.0.2.7", "lbipam.cilium.io/ips", "192.0.2.8"),
                    Reason.AddressesDiffer,
                    "annotation metallb.io/loadBalancerIPs and annotation lbipam.cilium.io/ips request different"
                            + " addresses; remove one of them"),
            new Refused(
                    "metallb",
                    service("metallb.io/loadBalancerIPs", "192.0.2.7").loadBalancerIp("192.0.2.8"),
                    Reason.AddressesDiffer,
                    "annotation metallb.io/loadBalancerIPs and spec.loadBalancerIP request different addresses;"
                            + " remove one of them"),
            new Refused(
                    "metallb,purelb",
                    service("metallb.io/address-pool", "a", "purelb.io/service-group", "b"),
                    Reason.PoolsDiffer,
                    "annotation metallb.io/address-pool and annotation purelb.io/service-group request different"
                            + " pools; remove one of them"),
            new Refused(
                    "metallb,purelb",
                    service("metallb.io/allow-shared-ip", "a", "purelb.io/allow-shared-ip", "b"),
                    Reason.SharingKeysDiffer,
                    "annotation metallb.io/allow-shared-ip and annotation purelb.io/allow-shared-ip request different"
                            + " sharing keys; remove one of them"),
            new Refused(
                    "cilium",
                    service("lbipam.cilium.io/ips", "192.0.2.7,192.0.2.8"),
                    Reason.InvalidAddresses,
                    "192.0.2.7 and 192.0.2.8 requested; at most one address per family is allowed"),
            new Refused(
                    "kube-vip",
                    service("kube-vip.io/loadbalancerIPs", "0.0.0.0").loadBalancerIp("0.0.0.0"),
                    Reason.DHCPNotSupported,
                    "annotation kube-vip.io/loadbalancerIPs is \"0.0.0.0\", by which kube-vip asks a DHCP server;"
                            + " Berth allocates addresses from AddressPools: remove it, or request an address with"
                            + " annotation berth.dev/addresses"));

    @Test
    void whatContradictsItself_orCannotBeHad_isRefusedByOneReason() {
        for (Refused row : REFUSED) {
            AddressAnnotations asked = asked(row.peers(), row.service());

            assertThat(asked.fault())
                    .contains(new WaitReason(row.reason(), row.message() + " (see docs/annotations.md)"));
        }
    }

    @Test
    void aPeerThatIsNotKnown_isNamedWithThoseThatAre() {
        assertThatThrownBy(() -> MigrationSources.parse("metallb,openelb"))
                .hasMessage("\"openelb\" is not known; known are metallb, cilium, kube-vip, purelb");
        assertThat(MigrationSources.parse(" metallb , kube-vip,metallb").sources())
                .extracting(ForeignAnnotations::controller)
                .containsExactly("metallb", "kube-vip");
        assertThat(MigrationSources.parse("")).isEqualTo(MigrationSources.NONE);
    }
}
