package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.HealthCheckPolicy.Kind;
import dev.berth.loadbalancer.ServiceState.Delivery;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.Protocol;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DemandTest {
    private static final Port WEB = new Port("web", Protocol.TCP, 80, 30080);
    private static final Port DNS = new Port("dns", Protocol.UDP, 53, 30053);
    private static final Port SIGNALS = new Port("signals", Protocol.SCTP, 7777, 30777);
    private static final List<Node> NODES = List.of(Node.named("n1").withAddresses(List.of("10.0.0.1")));
    private static final Endpoint POD = new Endpoint("web", "10.64.0.7", 8080, "n1");
    private static final Backends BACKENDS = new Backends(NODES, true, () -> List.of(POD));
    private static final Capabilities PLAIN = Capabilities.fromPools(IpMode.VIP);

    private static SampleService service(Port... ports) {
        return SampleService.named(new ServiceKey("prod", "web"), "u1").ports(List.of(ports));
    }

    private static ServedClass of(Capabilities capabilities, HealthCheckPolicy healthCheck) {
        return new ServedClass(
                "edge",
                "test.dev/edge",
                "hw",
                capabilities,
                Map.of("rack", "7"),
                List.of(),
                capabilities.ipModes().getFirst(),
                healthCheck,
                false,
                false);
    }

    private static Demand demand(SampleService service, Capabilities capabilities) {
        return Demand.of(
                service.build(),
                of(capabilities, HealthCheckPolicy.AUTO),
                "c1",
                3,
                AddressConstraints.NONE,
                List.of(Ip.parse("192.0.2.1")),
                BACKENDS);
    }

    /** Of a class with TLS on these ports, whose certificate is this one. */
    private static Demand withTls(List<Integer> ports, ClassCertificate certificate, Port... asked) {
        return Demand.of(
                service(asked).build(),
                new ServedClass(
                        "edge",
                        "test.dev/edge",
                        "hw",
                        PLAIN.withFeatures(Feature.TLS_TERMINATION, Feature.MIXED_PROTOCOLS),
                        Map.of(),
                        List.of(),
                        IpMode.PROXY,
                        HealthCheckPolicy.AUTO,
                        false,
                        false,
                        new ClassTls("web", ports)),
                "c1",
                3,
                AddressConstraints.NONE,
                List.of(Ip.parse("192.0.2.1")),
                BACKENDS,
                secret -> {
                    assertThat(secret).isEqualTo("web");
                    return certificate;
                });
    }

    @Test
    void tls_isAskedFor_onTheTcpPortsOfTheClass() {
        Port secure = new Port("secure", Protocol.TCP, 443, 30443);
        ClassCertificate good = new ClassCertificate(
                Optional.of(new ServerCertificate("CHAIN", "KEY", Instant.EPOCH, Instant.MAX)),
                true,
                Reason.Usable,
                "",
                Optional.empty());

        assertThat(withTls(List.of(), good, WEB, DNS, secure).request().tls())
                .isEqualTo(new Tls(List.of(80, 443), "CHAIN", "KEY"));
        assertThat(withTls(List.of(443, 53), good, WEB, DNS, secure).request().tls())
                .isEqualTo(new Tls(List.of(443), "CHAIN", "KEY"));
        assertThat(withTls(List.of(443), good, WEB).request().tls()).isNull();
    }

    @Test
    void withoutACertificate_theProviderIsNotAsked_ifAPortNeedsIt() {
        ClassCertificate none = ClassCertificate.of(
                "berth-system/web", TlsSecret.missing("berth-system/web"), Optional.empty(), Instant.EPOCH);

        assertThat(withTls(List.of(80), none, WEB).held())
                .contains("port 80 needs the certificate of LoadBalancerClass \"edge\": Secret \"berth-system/web\" is"
                        + " missing; make it with kubectl create secret tls, in that namespace");
        assertThat(withTls(List.of(443), none, WEB).held()).isEmpty();
    }

    private static List<String> reasons(Demand demand) {
        return demand.unmet().stream().map(unmet -> unmet.reason().name()).toList();
    }

    @Test
    void whatAProviderCanDo_isAskedOfItInFull() {
        Delivery delivery = new Delivery(List.of("198.51.100.0/24"), Duration.ofMinutes(5), 0);
        Demand demand = demand(
                service(WEB).delivery(delivery), PLAIN.withFeatures(Feature.SOURCE_RANGES, Feature.SESSION_AFFINITY));

        assertThat(demand.unmet()).isEmpty();
        assertThat(demand.request().ports()).containsExactly(WEB);
        assertThat(demand.request().nodes()).isEqualTo(NODES);
        assertThat(demand.request().sourceRanges()).containsExactly("198.51.100.0/24");
        assertThat(demand.request().sessionAffinity()).isEqualTo(Duration.ofMinutes(5));
        assertThat(demand.request().parameters()).containsEntry("rack", "7");
        assertThat(demand.request().fencingToken()).isEqualTo(3);
    }

    @Test
    void whoTargetsEndpoints_isNotifiedOfThem_needsNoNodePort_andAsksNoNodeForItsHealth() {
        Port plain = new Port("web", Protocol.TCP, 80, 0);
        Demand demand = demand(service(plain), PLAIN.withTargets(Targets.ENDPOINTS));

        assertThat(demand.unmet()).isEmpty();
        assertThat(demand.request().ports()).containsExactly(plain);
        assertThat(demand.request().endpoints()).containsExactly(POD);
        assertThat(demand.request().nodes()).isEmpty();
        assertThat(demand.request().healthCheck()).isNull();
        assertThat(demand(service(WEB), PLAIN).request().endpoints()).isEmpty();
    }

    @Test
    void sourceRanges_areCanonical_withoutHostBits_andOnce() {
        Delivery delivery = new Delivery(
                List.of(" 010.1.2.3/8", "10.0.0.0/8 ", "198.51.100.7/32", "2001:DB8:0:0::1/32", "0.0.0.0/0"), null, 0);
        Demand demand = demand(service(WEB).delivery(delivery), PLAIN.withFeatures(Feature.SOURCE_RANGES));

        assertThat(demand.unmet()).isEmpty();
        assertThat(demand.request().sourceRanges())
                .containsExactly("10.0.0.0/8", "198.51.100.7/32", "2001:db8::/32", "0.0.0.0/0");
    }

    @Test
    void sourceRangesThatCannotBeRead_areNamed_letNobodyIn_andNeverEverybody() {
        Capabilities able = PLAIN.withFeatures(Feature.SOURCE_RANGES);
        Demand some = demand(service(WEB).delivery(new Delivery(List.of("10.0.0.0/33", "10.0.0.0/8"), null, 0)), able);
        Demand none = demand(service(WEB).delivery(new Delivery(List.of("10.0.0.0/33"), null, 0)), able);

        assertThat(some.request().sourceRanges()).containsExactly("10.0.0.0/8");
        assertThat(some.unmet().getFirst().message())
                .isEqualTo("spec.loadBalancerSourceRanges: 10.0.0.0/33 is not a CIDR; no client is allowed");
        assertThat(none.isServable()).isFalse();
        assertThat(reasons(none)).containsExactly("SourceRangesUnreadable");
    }

    @Test
    void whoLeavesSourceRangesToKubeProxy_doesNotClaimThemForIpModeProxy() {
        Delivery delivery = new Delivery(List.of("198.51.100.0/24"), null, 0);
        Capabilities pool =
                Capabilities.fromPools(IpMode.PROXY).withTargets(Targets.NONE).withFeatures(Feature.SOURCE_RANGES);

        Demand proxy = demand(service(WEB).delivery(delivery), pool);
        Demand vip = demand(
                service(WEB).delivery(delivery),
                Capabilities.fromPools(IpMode.VIP).withTargets(Targets.NONE).withFeatures(Feature.SOURCE_RANGES));

        assertThat(reasons(proxy)).containsExactly("SourceRangesNotSupported");
        assertThat(reasons(vip)).isEmpty();
        assertThat(vip.request().sourceRanges()).containsExactly("198.51.100.0/24");
    }

    private static Demand refusingDemand(SampleService service, Capabilities capabilities) {
        ServedClass served = SampleClasses.refusingUnenforcedSourceRanges("test.dev/edge", "hw", capabilities)
                .byValue("test.dev/edge")
                .orElseThrow();
        return Demand.of(
                service.build(), served, "c1", 3, AddressConstraints.NONE, List.of(Ip.parse("192.0.2.1")), BACKENDS);
    }

    @Test
    void classThatRefusesUnenforcedSourceRanges_asksForNothing_whereNobodyEnforcesThem() {
        SampleService ranged =
                service(WEB).delivery(new Delivery(List.of("198.51.100.0/24"), Duration.ofMinutes(5), 0));
        Capabilities toKubeProxy = PLAIN.withTargets(Targets.NONE).withFeatures(Feature.SOURCE_RANGES);
        Demand unable = refusingDemand(ranged, PLAIN);
        Demand proxy = refusingDemand(
                ranged,
                Capabilities.fromPools(IpMode.PROXY).withTargets(Targets.NONE).withFeatures(Feature.SOURCE_RANGES));

        assertThat(unable.isServable()).isFalse();
        assertThat(reasons(unable)).containsExactly("SourceRangesRefused", "SessionAffinityNotSupported");
        assertThat(unable.unmet().getFirst().message())
                .isEqualTo("provider \"hw\" cannot enforce spec.loadBalancerSourceRanges, and LoadBalancerClass \"hw\""
                        + " has unenforcedSourceRanges: Refuse; nothing is served until the ranges are removed");
        assertThat(proxy.isServable()).isFalse();
        assertThat(proxy.unmet().getFirst().message())
                .contains("leaves them to kube-proxy, which enforces them only for ipMode VIP");
        assertThat(refusingDemand(ranged, toKubeProxy).isServable()).isTrue();
        assertThat(refusingDemand(ranged, PLAIN.withFeatures(Feature.SOURCE_RANGES))
                        .isServable())
                .isTrue();
        assertThat(refusingDemand(service(WEB), PLAIN).isServable()).isTrue();
    }

    @Test
    void whatItCannotDo_isNamed_andLeftOut() {
        Delivery delivery = new Delivery(List.of("198.51.100.0/24"), Duration.ofMinutes(5), 30999);
        Demand demand = demand(service(WEB).delivery(delivery).localTraffic(Map.of()), PLAIN);

        assertThat(reasons(demand))
                .containsExactly(
                        "SessionAffinityNotSupported", "SourceRangesNotSupported", "LocalTrafficPolicyNotSupported");
        assertThat(demand.request().sourceRanges()).isEmpty();
        assertThat(demand.request().sessionAffinity()).isNull();
        assertThat(demand.isServable()).isTrue();
    }

    @Test
    void ofTwoProtocolsThatExcludeEachOther_theFirstOnesPortsAreServed_andTheRestIsAnError() {
        Demand demand = demand(service(WEB, DNS), PLAIN);

        assertThat(demand.request().ports()).containsExactly(WEB);
        assertThat(demand.portErrors()).containsExactly(new PortError(53, Protocol.UDP, "MixedProtocolNotSupported"));
        assertThat(demand.conditions(service(WEB, DNS).build(), demand.portErrors(), Instant.EPOCH))
                .anySatisfy(condition -> {
                    assertThat(condition.type()).isEqualTo("LoadBalancerPortsError");
                    assertThat(condition.reason()).isEqualTo("LoadBalancerMixedProtocolNotSupported");
                    assertThat(condition.message()).isEqualTo("UDP/53: MixedProtocolNotSupported");
                });
        assertThat(demand(service(WEB, DNS), PLAIN.withFeatures(Feature.MIXED_PROTOCOLS))
                        .request()
                        .ports())
                .containsExactly(WEB, DNS);
    }

    @Test
    void sctp_isRefusedByAProviderThatCannotCarryIt_andNothingIsAskedForIfThatIsAll() {
        Demand demand = demand(service(SIGNALS), PLAIN);

        assertThat(demand.isServable()).isFalse();
        assertThat(demand.unmet().getFirst().message()).isEqualTo("provider \"hw\" cannot carry SCTP, only TCP, UDP");
    }

    @Test
    void everyPortIsNamedInTheStatus_ifOneIsNotServed_andNoneIfAllAre() {
        LoadBalancerStatus status = LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.1", IpMode.VIP)));

        assertThat(Publication.ingressOf(
                        status,
                        true,
                        List.of(WEB, DNS),
                        List.of(new PortError(53, Protocol.UDP, "MixedProtocolNotSupported"))))
                .singleElement()
                .satisfies(entry -> assertThat(entry.ports())
                        .containsExactly(
                                new Published.PortStatus(80, "TCP", null),
                                new Published.PortStatus(53, "UDP", "MixedProtocolNotSupported")));
        assertThat(Publication.ingressOf(status, true, List.of(WEB, DNS), List.of())
                        .getFirst()
                        .ports())
                .isEmpty();
    }

    @Test
    void providerOfNodePorts_saysWhatToChange_forAServiceWithoutOnes() {
        Port none = new Port("", Protocol.TCP, 443, 0);
        Demand demand = demand(service(none), PLAIN);

        assertThat(demand.isServable()).isFalse();
        assertThat(demand.unmet().getFirst().message())
                .isEqualTo("provider \"hw\" sends packets to node ports, and port 443 has none;"
                        + " remove spec.allocateLoadBalancerNodePorts: false");
        assertThat(demand(service(none), PLAIN.withTargets(Targets.NONE)).isServable())
                .isTrue();
    }

    @Test
    void providerThatTargetsNoNodes_isNotifiedOfNone() {
        Demand demand = demand(service(WEB), PLAIN.withTargets(Targets.NONE));

        assertThat(demand.request().nodes()).isEmpty();
        assertThat(demand.request().healthCheck()).isNull();
    }

    @Test
    void familyThatItCannotCarry_isLeftOut_withItsAddress() {
        SampleService both = service(WEB).families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV6, IpFamily.IPV4);
        Demand demand = Demand.of(
                both.build(),
                of(PLAIN.withFamilies(Family.IPV4), HealthCheckPolicy.AUTO),
                "c1",
                0,
                AddressConstraints.NONE,
                List.of(Ip.parse("2001:db8::1"), Ip.parse("192.0.2.1")),
                BACKENDS);

        assertThat(demand.request().families()).containsExactly(Family.IPV4);
        assertThat(demand.request().addresses()).containsExactly("192.0.2.1");
        assertThat(demand.unmet().getFirst().message())
                .isEqualTo("provider \"hw\" cannot carry IPv6; change spec.ipFamilies");
    }

    @Test
    void onlyAnnotationsThatTheProviderDeclares_reachIt() {
        Demand demand = demand(
                service(WEB)
                        .annotation("hw.test.dev/vlan", "7")
                        .annotation("example.com/one", "1")
                        .annotation("example.com/onethousand", "1000")
                        .annotation("kubectl.kubernetes.io/last-applied-configuration", "{}"),
                PLAIN.withAnnotations("hw.test.dev/", "example.com/one"));

        assertThat(demand.request().annotations())
                .containsExactly(Map.entry("example.com/one", "1"), Map.entry("hw.test.dev/vlan", "7"));
    }

    @Test
    void labelsOfTheService_reachTheProvider() {
        assertThat(demand(service(WEB).labels(Map.of("tier", "front", "app", "web")), PLAIN)
                        .request()
                        .labels())
                .containsExactly(Map.entry("app", "web"), Map.entry("tier", "front"));
    }

    @Test
    void notAsRequestedAddresses_reachAProviderThatBringsItsOwn_andNoOther() {
        AddressConstraints constraints =
                new AddressConstraints(List.of(Ip.parse("198.51.100.7")), List.of(), null, false);
        Demand own = Demand.of(
                service(WEB).build(),
                of(Capabilities.ofItsOwn(IpMode.VIP), HealthCheckPolicy.AUTO),
                "c1",
                0,
                constraints,
                List.of(),
                BACKENDS);

        assertThat(own.request().wantedAddresses()).containsExactly("198.51.100.7");
        assertThat(demand(service(WEB), PLAIN).request().wantedAddresses()).isEmpty();
    }

    private record HealthCase(
            String rule,
            HealthCheckPolicy policy,
            boolean local,
            boolean kubeProxy,
            @Nullable HealthCheck expected) {
        HealthCase(String rule, HealthCheckPolicy policy, boolean local, @Nullable HealthCheck expected) {
            this(rule, policy, local, true, expected);
        }
    }

    @Test
    void healthCheck_isTheOneOfThePolicy_andOfTheClass() {
        List<HealthCase> cases = List.of(
                new HealthCase(
                        "Cluster asks kube-proxy", HealthCheckPolicy.AUTO, false, new HealthCheck(10256, "/healthz")),
                new HealthCase(
                        "Local asks the Service's own port",
                        HealthCheckPolicy.AUTO,
                        true,
                        new HealthCheck(30999, "/healthz")),
                new HealthCase(
                        "kube-proxy may listen elsewhere",
                        new HealthCheckPolicy(Kind.KUBE_PROXY, 9000),
                        false,
                        new HealthCheck(9000, "/healthz")),
                new HealthCase(
                        "without kube-proxy a node port has to connect",
                        new HealthCheckPolicy(Kind.TCP, null),
                        false,
                        new HealthCheck(30080, null)),
                new HealthCase(
                        "or a port that the class names",
                        new HealthCheckPolicy(Kind.TCP, 22),
                        false,
                        new HealthCheck(22, null)),
                new HealthCase(
                        "Local is asked for all the same",
                        new HealthCheckPolicy(Kind.TCP, null),
                        true,
                        new HealthCheck(30999, "/healthz")),
                new HealthCase(
                        "Auto asks a node port where there is no kube-proxy",
                        HealthCheckPolicy.AUTO,
                        false,
                        false,
                        new HealthCheck(30080, null)),
                new HealthCase(
                        "Auto with a port is for kube-proxy there",
                        new HealthCheckPolicy(Kind.AUTO, 9000),
                        false,
                        false,
                        new HealthCheck(9000, "/healthz")),
                new HealthCase("None asks nothing", new HealthCheckPolicy(Kind.NONE, null), true, null));
        for (HealthCase one : cases) {
            SampleService service = service(DNS, WEB).delivery(new Delivery(List.of(), null, one.local() ? 30999 : 0));
            if (one.local()) {
                service.localTraffic(Map.of());
            }
            assertThat(one.policy().of(service.build(), one.kubeProxy()))
                    .as(one.rule())
                    .isEqualTo(one.expected());
        }
        assertThat(new HealthCheckPolicy(Kind.TCP, null).of(service(DNS).build(), true))
                .as("UDP alone cannot be asked")
                .isNull();
    }
}
