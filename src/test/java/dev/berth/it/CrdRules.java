package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.testing.Answers;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.Kubectl;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the API server itself takes and refuses: the kinds as they are installed, without an operator. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CrdRules {
    private Kubectl kubectl;
    private KubernetesClient client;

    /** Of a cluster administrator. */
    abstract String kubeconfig();

    @BeforeAll
    void installKinds(@TempDir Path temporary) throws IOException {
        Path file = Files.writeString(temporary.resolve("kubeconfig"), kubeconfig());
        kubectl = new Kubectl(KubeBinaries.ofThisMachine(), file, temporary);
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig()))
                .build();
        kubectl.run("apply", "-k", "crds");
        for (String kind : List.of(
                "addresses",
                "addresspools",
                "agentreports",
                "bgppeers",
                "clusteripreservations",
                "loadbalancerclasses",
                "servicecidrpolicies")) {
            kubectl.run("wait", "--for=condition=Established", "--timeout=60s", "crd/" + kind + ".berth.dev");
        }
        await().atMost(Patience.USUAL)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(() -> create(POOL_AND_CLASS.formatted("AddressPool", "first", "addresses: [192.0.2.1]"))
                        .isEmpty());
    }

    @AfterAll
    void stop() {
        client.close();
    }

    KubernetesClient client() {
        return client;
    }

    private static final String POOL_AND_CLASS = """
            apiVersion: berth.dev/v1alpha1
            kind: %s
            metadata:
              name: %s
            spec:
              %s
            """;

    /**
     * A name and an address of an Address object.
     *
     * @param fault what the refusal says; empty: it is accepted
     */
    private record AddressRow(String rule, String name, String address, String fault) {
        static AddressRow valid(String rule, String name, String address) {
            return new AddressRow(rule, name, address, "");
        }
    }

    private static final String NOT_THE_NAME = "metadata.name must be spec.address";

    private static final List<AddressRow> ADDRESSES = List.of(
            AddressRow.valid("IPv4", "192.0.2.7", "192.0.2.7"),
            AddressRow.valid("the lowest IPv4", "0.0.0.0", "0.0.0.0"),
            AddressRow.valid("the highest IPv4", "255.255.255.255", "255.255.255.255"),
            AddressRow.valid("zeros in the middle", "2001-0db8-0000-0000-0000-0000-0000-0001", "2001:db8::1"),
            AddressRow.valid("loopback", "0000-0000-0000-0000-0000-0000-0000-0001", "::1"),
            AddressRow.valid("nothing but zeros", "0000-0000-0000-0000-0000-0000-0000-0000", "::"),
            AddressRow.valid("zeros at the end", "2001-0db8-0000-0001-0000-0000-0000-0000", "2001:db8:0:1::"),
            AddressRow.valid("no zero group", "0001-0002-0003-0004-0005-0006-0007-0008", "1:2:3:4:5:6:7:8"),
            AddressRow.valid("one zero group", "2001-0db8-0000-0001-0001-0001-0001-0001", "2001:db8:0:1:1:1:1:1"),
            AddressRow.valid("zeros on both sides", "2001-0db8-0000-0000-0001-0000-0000-0001", "2001:db8::1:0:0:1"),
            AddressRow.valid("zeros inside groups", "1000-0100-0010-0001-0000-0000-0000-1000", "1000:100:10:1::1000"),
            AddressRow.valid("zeros at the start", "0000-0000-0000-0000-0000-0000-0abc-00de", "::abc:de"),
            AddressRow.valid("a group that ends in zero", "0010-0000-0000-0000-0000-0000-0000-0001", "10::1"),
            new AddressRow("another IPv4 than its name", "192.0.2.8", "192.0.2.9", NOT_THE_NAME),
            new AddressRow(
                    "another IPv6 than its name",
                    "2001-0db8-0000-0000-0000-0000-0000-0002",
                    "2001:db8::3",
                    NOT_THE_NAME),
            new AddressRow(
                    "a first group that the name has with a zero more",
                    "0010-0000-0000-0000-0000-0000-0000-0002",
                    "1::2",
                    NOT_THE_NAME),
            new AddressRow(
                    "a last group that the name has longer",
                    "0001-0000-0000-0000-0000-0000-0000-0012",
                    "1::2",
                    NOT_THE_NAME),
            new AddressRow(
                    "zeros in another place", "2001-0000-0000-0000-0000-0000-0db8-0001", "2001:db8::1", NOT_THE_NAME),
            new AddressRow(
                    "IPv4 with the name of IPv6", "0000-0000-0000-0000-0000-0000-c000-0207", "192.0.2.7", NOT_THE_NAME),
            new AddressRow("IPv6 with the name of IPv4", "192.0.2.10", "::c000:20a", NOT_THE_NAME),
            new AddressRow(
                    "IPv4-mapped IPv6", "0000-0000-0000-0000-0000-ffff-c000-0207", "::ffff:c000:207", "IPv4-mapped"),
            new AddressRow(
                    "IPv4-mapped IPv6, dotted",
                    "0000-0000-0000-0000-0000-ffff-c000-0207",
                    "::ffff:192.0.2.7",
                    "spec.address"),
            new AddressRow(
                    "upper case",
                    "2001-0db8-0000-0000-0000-0000-0000-000a",
                    "2001:DB8::A",
                    "in lower case and as short as it can be"),
            new AddressRow("an octet of 256", "192.0.2.256", "192.0.2.256", "spec.address"),
            new AddressRow("three octets", "192.0.2", "192.0.2", "spec.address"),
            new AddressRow("a dot at the end", "192.0.2.11", "192.0.2.11.", NOT_THE_NAME),
            new AddressRow("an octet with a leading zero", "192.0.2.012", "192.0.2.012", "spec.address"),
            new AddressRow(
                    "a group with a leading zero",
                    "2001-0db8-0000-0000-0000-0000-0000-000b",
                    "2001:0db8::b",
                    "spec.address"),
            new AddressRow(
                    "a group of five digits",
                    "2001-0db8-0000-0000-0000-0000-0000-000c",
                    "2001:db8::1000c",
                    "spec.address"),
            new AddressRow("two gaps", "2001-0db8-0000-0000-0000-0000-0000-000d", "2001:db8::0::d", "spec.address"),
            new AddressRow("a prefix", "192.0.2.13", "192.0.2.13/32", "spec.address"),
            new AddressRow("a zone", "fe80-0000-0000-0000-0000-0000-0000-0001", "fe80::1%eth0", "spec.address"),
            new AddressRow("a name that is none", "web", "192.0.2.14", "metadata.name"),
            new AddressRow("a name that is short", "2001-db8--1", "2001:db8::1", "metadata.name"));

    @TestFactory
    Stream<DynamicTest> address() {
        return ADDRESSES.stream()
                .map(row -> DynamicTest.dynamicTest(
                        (row.fault().isEmpty() ? "takes " : "refuses ") + row.rule(),
                        () -> verdict(
                                POOL_AND_CLASS.formatted(
                                        "Address", row.name(), "address: \"%s\"".formatted(row.address())),
                                row.fault())));
    }

    /**
     * The spec of an object, as one line of YAML.
     *
     * @param fault as above
     */
    private record SpecRow(String rule, String kind, String spec, String fault) {}

    private static SpecRow pool(String rule, String spec, String fault) {
        return new SpecRow(rule, "AddressPool", spec, fault);
    }

    private static SpecRow klass(String rule, String spec, String fault) {
        return new SpecRow(rule, "LoadBalancerClass", spec, fault);
    }

    private static SpecRow peer(String rule, String spec, String fault) {
        return new SpecRow(rule, "BGPPeer", "{peerAddress: 192.0.2.254, " + spec + "}", fault);
    }

    private static final List<SpecRow> SPECS = List.of(
            peer("the highest ASN", "peerASN: 4294967295, myASN: 1", ""),
            peer("no ASN", "myASN: 64512", "spec.peerASN: Required"),
            peer("ASN 0", "peerASN: 64512, myASN: 0", "spec.myASN: Invalid value: 0"),
            peer("an ASN out of range", "peerASN: 4294967296, myASN: 1", "less than or equal to 4294967295"),
            peer("a port that there is not", "peerASN: 1, myASN: 1, peerPort: 65536", "spec.peerPort: Invalid value"),
            new SpecRow(
                    "an IPv6 router and source",
                    "BGPPeer",
                    "{peerAddress: 'fd00::1', peerASN: 1, myASN: 1, sourceAddress: 'fd00::2'}",
                    ""),
            new SpecRow("a router on an interface", "BGPPeer", "{peerInterface: eth1, peerASN: 1, myASN: 1}", ""),
            new SpecRow(
                    "no router",
                    "BGPPeer",
                    "{peerASN: 1, myASN: 1}",
                    "one of peerAddress and peerInterface must be set, and not both"),
            peer(
                    "two routers",
                    "peerASN: 1, myASN: 1, peerInterface: eth1",
                    "one of peerAddress and peerInterface must be set, and not both"),
            new SpecRow(
                    "a router on an interface that is hops away",
                    "BGPPeer",
                    "{peerInterface: eth1, peerASN: 1, myASN: 1, ebgpMultihop: 2}",
                    "with peerInterface, neither sourceAddress nor ebgpMultihop can be set"),
            new SpecRow(
                    "a name that no interface has",
                    "BGPPeer",
                    "{peerInterface: 'eth 1', peerASN: 1, myASN: 1}",
                    "spec.peerInterface"),
            peer("a name for a router", "peerASN: 1, myASN: 1, sourceAddress: router.example.com", "sourceAddress"),
            new SpecRow(
                    "a link-local router",
                    "BGPPeer",
                    "{peerAddress: 'FE80::1', peerASN: 1, myASN: 1}",
                    "peerAddress must not be a link-local address; write the interface as peerInterface instead"),
            peer(
                    "a source of the other family",
                    "peerASN: 1, myASN: 1, sourceAddress: 'fd00::2'",
                    "sourceAddress and peerAddress must be of the same IP family"),
            peer(
                    "a keepalive that comes too late",
                    "peerASN: 1, myASN: 1, holdTime: 9s, keepaliveTime: 4s",
                    "keepaliveTime must be at most a third of holdTime"),
            peer(
                    "the longest times, in any units",
                    "peerASN: 1, myASN: 1, holdTime: 18h12m15s, keepaliveTime: 21845s, connectRetryTime: 60m,"
                            + " gracefulRestartTime: 4095s",
                    ""),
            peer(
                    "the shortest times",
                    "peerASN: 1, myASN: 1, holdTime: 3s, keepaliveTime: 1000ms, connectRetryTime: 2s,"
                            + " gracefulRestartTime: 0s",
                    ""),
            peer(
                    "a hold time of two seconds",
                    "peerASN: 1, myASN: 1, holdTime: 2s, keepaliveTime: 1s",
                    "\"2s\" must be a duration of whole seconds from 3s to 65535s, such as 90s or 1m30s"),
            peer("a hold time that is too long", "peerASN: 1, myASN: 1, holdTime: 65536s", "from 3s to 65535s"),
            peer("a hold time in a number", "peerASN: 1, myASN: 1, holdTime: 90", "spec.holdTime: Invalid value"),
            peer(
                    "a part of a second",
                    "peerASN: 1, myASN: 1, keepaliveTime: 1500ms",
                    "\"1500ms\" must be a duration of whole seconds from 1s to 21845s"),
            peer(
                    "a word as a time",
                    "peerASN: 1, myASN: 1, connectRetryTime: soon",
                    "\"soon\" must be a duration of whole seconds from 2s to 1h"),
            peer(
                    "a restart that is too long",
                    "peerASN: 1, myASN: 1, gracefulRestartTime: 4096s",
                    "\"4096s\" must be a duration of whole seconds from 0s to 4095s"),
            peer("one family", "peerASN: 1, myASN: 1, families: [IPv6]", ""),
            peer("a family twice", "peerASN: 1, myASN: 1, families: [IPv6, IPv6]", "Duplicate value"),
            peer("no family", "peerASN: 1, myASN: 1, families: []", "spec.families"),
            peer("a family that there is not", "peerASN: 1, myASN: 1, families: [ipv4]", "supported values"),
            peer("a password in a Secret", "peerASN: 1, myASN: 1, passwordSecret: {name: router-md5}", ""),
            pool("a CIDR", "addresses: [192.0.2.0/28]", ""),
            pool("a range", "addresses: [192.0.2.1-192.0.2.9]", ""),
            pool("both families and single addresses", "addresses: [192.0.2.1, 2001:db8::/64, '::1', '::-::5']", ""),
            pool("exclusions", "{addresses: [192.0.2.0/28], excluded: [192.0.2.1]}", ""),
            pool("a word", "addresses: [everything]", "spec.addresses[0]"),
            pool("a host name", "addresses: [lb.example.com]", "spec.addresses[0]"),
            pool("upper-case hex", "addresses: ['2001:DB8::/64']", ""),
            pool("an empty text", "addresses: ['']", "spec.addresses[0]"),
            pool("two prefixes", "addresses: [192.0.2.0/28/29]", "spec.addresses[0]"),
            pool("two dashes", "addresses: [192.0.2.1-192.0.2.2-192.0.2.3]", "spec.addresses[0]"),
            pool("a blank beside the dash", "addresses: [192.0.2.1 - 192.0.2.2]", "spec.addresses[0]"),
            pool("an empty list", "addresses: []", "spec.addresses"),
            pool("no list", "priority: 1", "spec.addresses"),
            pool("a priority below zero", "{addresses: [192.0.2.1], priority: -1}", "spec.priority"),
            pool("an exclusion that is none", "{addresses: [192.0.2.1], excluded: [x]}", "spec.excluded[0]"),
            pool(
                    "an operator of a selector that Kubernetes has not",
                    "{addresses: [192.0.2.1], serviceSelector: {matchExpressions: [{key: a, operator: Like, values: [b]}]}}",
                    "operator"),
            pool(
                    "a selector's expression without a key",
                    "{addresses: [192.0.2.1], namespaceSelector: {matchExpressions: [{operator: Exists}]}}",
                    "key"),
            pool(
                    "two limits for one namespace",
                    "{addresses: [192.0.2.1], quota: {namespaces: [{namespace: a, addresses: 1}, {namespace: a, addresses: 2}]}}",
                    "Duplicate value"),
            pool("a duration of two units", "{addresses: [192.0.2.1], reuseAfter: 1h30m}", ""),
            pool("a duration of days", "{addresses: [192.0.2.1], reuseAfter: 1d}", "spec.reuseAfter"),
            klass("a value with a domain", "loadBalancerClass: example.com/fast", ""),
            klass("a value without a domain", "loadBalancerClass: fast", ""),
            klass("no value", "provider: pool", "spec.loadBalancerClass"),
            klass("an empty value", "loadBalancerClass: ''", "spec.loadBalancerClass"),
            klass("a value with a blank", "loadBalancerClass: 'a b'", "spec.loadBalancerClass"),
            klass("a value with two slashes", "loadBalancerClass: a/b/c", "spec.loadBalancerClass"),
            klass("a value with an upper-case domain", "loadBalancerClass: Example.com/b", "spec.loadBalancerClass"),
            klass("an ipMode in lower case", "{loadBalancerClass: a/b, ipMode: vip}", "spec.ipMode"),
            klass(
                    "an ipMode that is none, and says which there are",
                    "{loadBalancerClass: a/b, ipMode: Both}",
                    "supported values: \"Auto\", \"VIP\", \"Proxy\""),
            klass("a classless that is none", "{loadBalancerClass: a/b, classless: Sometimes}", "spec.classless"),
            klass("a provider that cannot be a name", "{loadBalancerClass: a/b, provider: A_B}", "spec.provider"));

    @TestFactory
    Stream<DynamicTest> spec() {
        return SPECS.stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.kind() + (row.fault().isEmpty() ? " takes " : " refuses ") + row.rule(),
                        () -> verdict(
                                POOL_AND_CLASS.formatted(
                                        row.kind(),
                                        "row-" + Integer.toHexString(row.rule().hashCode()),
                                        row.spec()),
                                row.fault())));
    }

    /** The spec of the one ServiceCIDRPolicy, as one line of YAML. */
    private record PolicyRow(String rule, String spec, String fault) {
        static PolicyRow growth(String rule, String ipv4, String fault) {
            return new PolicyRow(rule, "{growth: {ipv4: {" + ipv4 + "}}}", fault);
        }
    }

    private static final String NO_CIDR =
            "must be a CIDR with its prefix length, in lower case, such as 10.100.0.0/16 or fd00:10::/56";

    private static final List<PolicyRow> POLICIES = List.of(
            new PolicyRow("an empty spec", "{}", ""),
            new PolicyRow(
                    "all there is",
                    "{warnings: {usedPercent: 70, daysUntilFull: 30}, growth: {dryRun: false, ipv4: {supernets:"
                            + " [10.0.0.0/8, 172.16.0.0/12], prefixLength: 24, usedPercent: 75, maxRanges: 2}, ipv6:"
                            + " {supernets: ['fd00::/56'], prefixLength: 112}, excluded: [10.244.0.0/16, 'fd01::/64']}}",
                    ""),
            new PolicyRow("a warning at nothing", "{warnings: {usedPercent: 0}}", "spec.warnings.usedPercent"),
            new PolicyRow("a warning above all", "{warnings: {usedPercent: 101}}", "spec.warnings.usedPercent"),
            new PolicyRow("days below zero", "{warnings: {daysUntilFull: -1}}", "spec.warnings.daysUntilFull"),
            new PolicyRow("more than ten years", "{warnings: {daysUntilFull: 3651}}", "spec.warnings.daysUntilFull"),
            PolicyRow.growth("growth from nowhere", "prefixLength: 24", "spec.growth.ipv4.supernets"),
            PolicyRow.growth("growth without a length", "supernets: [10.0.0.0/8]", "spec.growth.ipv4.prefixLength"),
            PolicyRow.growth("no supernets", "supernets: [], prefixLength: 24", "spec.growth.ipv4.supernets"),
            PolicyRow.growth(
                    "a supernet without a length",
                    "supernets: [10.1.0.0/16, 10.0.0.0], prefixLength: 24",
                    "\"10.0.0.0\" " + NO_CIDR),
            PolicyRow.growth(
                    "a supernet in upper case",
                    "supernets: ['FD00::/56'], prefixLength: 112",
                    "\"FD00::/56\" " + NO_CIDR),
            PolicyRow.growth(
                    "a supernet of nothing", "supernets: [''], prefixLength: 24", "spec.growth.ipv4.supernets[0]"),
            PolicyRow.growth(
                    "a length too short", "supernets: [10.0.0.0/8], prefixLength: 7", "spec.growth.ipv4.prefixLength"),
            PolicyRow.growth(
                    "a length too long", "supernets: [10.0.0.0/8], prefixLength: 127", "spec.growth.ipv4.prefixLength"),
            PolicyRow.growth(
                    "a length too long for IPv4",
                    "supernets: [10.0.0.0/8], prefixLength: 31",
                    "prefixLength must be 8 to 30 for IPv4"),
            new PolicyRow(
                    "a length too short for IPv6",
                    "{growth: {ipv6: {supernets: ['fd00::/56'], prefixLength: 63}}}",
                    "prefixLength must be 64 to 126 for IPv6"),
            PolicyRow.growth(
                    "a threshold of nothing",
                    "supernets: [10.0.0.0/8], prefixLength: 24, usedPercent: 0",
                    "spec.growth.ipv4.usedPercent"),
            PolicyRow.growth(
                    "a threshold above all",
                    "supernets: [10.0.0.0/8], prefixLength: 24, usedPercent: 101",
                    "spec.growth.ipv4.usedPercent"),
            PolicyRow.growth(
                    "a maximum below zero",
                    "supernets: [10.0.0.0/8], prefixLength: 24, maxRanges: -1",
                    "spec.growth.ipv4.maxRanges"),
            PolicyRow.growth(
                    "a maximum of too many",
                    "supernets: [10.0.0.0/8], prefixLength: 24, maxRanges: 65",
                    "spec.growth.ipv4.maxRanges"),
            new PolicyRow("an excluded network that is none", "{growth: {excluded: [pods]}}", "\"pods\" " + NO_CIDR));

    @TestFactory
    Stream<DynamicTest> policy() {
        return POLICIES.stream()
                .map(row -> DynamicTest.dynamicTest(
                        "ServiceCIDRPolicy" + (row.fault().isEmpty() ? " takes " : " refuses ") + row.rule(),
                        () -> check(
                                row.fault(),
                                refusal(() -> dryRun(
                                        POOL_AND_CLASS.formatted("ServiceCIDRPolicy", "cluster", row.spec()))))));
    }

    /** The spec of a ClusterIPReservation, as one line of YAML. */
    private record ReservationRow(String rule, String spec, String fault) {}

    private static final String FOR_DNS = "service: {namespace: kube-system, name: dns}";

    private static final List<ReservationRow> RESERVATIONS = List.of(
            new ReservationRow("an IPv4 address", "{address: 10.96.0.10, " + FOR_DNS + "}", ""),
            new ReservationRow("an IPv6 address", "{address: 'fd00::a', " + FOR_DNS + "}", ""),
            new ReservationRow("one for nobody", "{address: 10.96.0.10}", "spec.service"),
            new ReservationRow("one of nothing", "{" + FOR_DNS + "}", "spec.address"),
            new ReservationRow(
                    "a range",
                    "{address: 10.96.0.0/28, " + FOR_DNS + "}",
                    "\"10.96.0.0/28\" must be one address, in lower case, such as 10.96.0.10 or fd00:10:96::a"),
            new ReservationRow(
                    "a Service without a namespace",
                    "{address: 10.96.0.10, service: {name: dns}}",
                    "spec.service.namespace"));

    @TestFactory
    Stream<DynamicTest> reservation() {
        return RESERVATIONS.stream()
                .map(row -> DynamicTest.dynamicTest(
                        "ClusterIPReservation" + (row.fault().isEmpty() ? " takes " : " refuses ") + row.rule(),
                        () -> check(
                                row.fault(),
                                refusal(() ->
                                        dryRun(POOL_AND_CLASS.formatted("ClusterIPReservation", "dns", row.spec()))))));
    }

    @Test
    void policyOfTheCluster_isOne_andItsNameIsCluster() {
        assertThat(refusal(() -> dryRun(POOL_AND_CLASS.formatted("ServiceCIDRPolicy", "mine", "{}"))))
                .hasValueSatisfying(message -> assertThat(message).contains("metadata.name: ", "its name is cluster"));
    }

    @Test
    void policy_onlySaysWhatItWouldMake_unlessToldOtherwise() {
        GenericKubernetesResource filled = dryRun(POOL_AND_CLASS.formatted(
                "ServiceCIDRPolicy",
                "cluster",
                "{warnings: {}, growth: {ipv4: {supernets: [10.0.0.0/8], prefixLength: 24}}}"));

        assertThat(filled.<Boolean>get("spec", "growth", "dryRun")).isTrue();
        assertThat(filled.<Integer>get("spec", "growth", "ipv4", "usedPercent")).isEqualTo(80);
        assertThat(filled.<Integer>get("spec", "growth", "ipv4", "maxRanges")).isEqualTo(4);
        assertThat(filled.<Integer>get("spec", "warnings", "usedPercent")).isEqualTo(80);
        assertThat(filled.<Integer>get("spec", "warnings", "daysUntilFull")).isEqualTo(14);
    }

    private GenericKubernetesResource dryRun(String yaml) {
        return client.resource(Serialization.unmarshal(yaml, GenericKubernetesResource.class))
                .dryRun()
                .create();
    }

    private void verdict(String yaml, String fault) {
        check(fault, create(yaml));
    }

    private static void check(String fault, Optional<String> refusal) {
        if (fault.isEmpty()) {
            assertThat(refusal).isEmpty();
        } else {
            assertThat(refusal)
                    .hasValueSatisfying(message -> assertThat(message).contains(fault));
        }
    }

    /** What the refusal says; empty: it was created. */
    private Optional<String> create(String yaml) {
        GenericKubernetesResource object = Serialization.unmarshal(yaml, GenericKubernetesResource.class);
        return refusal(() -> client.resource(object).create());
    }

    private static Optional<String> refusal(ThrowableAssert.ThrowingCallable create) {
        Throwable refusal = catchThrowable(create);
        if (refusal == null) {
            return Optional.empty();
        }
        assertThat(refusal)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(422));
        return Optional.of(String.valueOf(refusal.getMessage()));
    }

    @Test
    void addressOfAnAddress_cannotBeChanged() {
        create(POOL_AND_CLASS.formatted("Address", "198.51.100.1", "address: 198.51.100.1"));
        assertThat(patch("address/198.51.100.1", "{\"spec\":{\"address\":\"198.51.100.2\"}}"))
                .contains("spec.address cannot be changed");
    }

    @Test
    void providerOfAClass_cannotBeChanged_norBeLeftOutForAnother() {
        create(POOL_AND_CLASS.formatted(
                "LoadBalancerClass", "provided", "{loadBalancerClass: example.com/provided, provider: nginx}"));
        assertThat(patch("lbc/provided", "{\"spec\":{\"provider\":\"haproxy\"}}"))
                .contains("spec.provider cannot be changed");
        assertThat(patch("lbc/provided", "{\"spec\":{\"provider\":null}}")).contains("spec.provider cannot be changed");
        assertThat(patch("lbc/provided", "{\"spec\":{\"provider\":\"nginx\",\"ipMode\":\"Proxy\"}}"))
                .isEmpty();
    }

    @Test
    void parametersOfAClass_cannotBeChanged_addedOrRemoved() {
        create(POOL_AND_CLASS.formatted(
                "LoadBalancerClass",
                "with",
                "{loadBalancerClass: example.com/with, provider: any, parameters: {zone: a}}"));
        create(POOL_AND_CLASS.formatted(
                "LoadBalancerClass", "without", "{loadBalancerClass: example.com/without, provider: any}"));
        String refusal = "spec.parameters cannot be changed";

        assertThat(patch("lbc/with", "{\"spec\":{\"parameters\":{\"zone\":\"b\"}}}"))
                .contains(refusal);
        assertThat(patch("lbc/with", "{\"spec\":{\"parameters\":{\"size\":\"m\"}}}"))
                .contains(refusal);
        assertThat(patch("lbc/with", "{\"spec\":{\"parameters\":null}}")).contains(refusal);
        assertThat(patch("lbc/without", "{\"spec\":{\"parameters\":{\"zone\":\"a\"}}}"))
                .contains(refusal);
        assertThat(patch("lbc/with", "{\"spec\":{\"ipMode\":\"Proxy\",\"parameters\":{\"zone\":\"a\"}}}"))
                .isEmpty();
        assertThat(patch("lbc/without", "{\"spec\":{\"ipMode\":\"Proxy\"}}")).isEmpty();
    }

    @Test
    void valueAndControllerNameOfAClass_cannotBeChanged_theRestCan() {
        create(POOL_AND_CLASS.formatted("LoadBalancerClass", "fixed", "loadBalancerClass: example.com/fixed"));
        assertThat(patch("lbc/fixed", "{\"spec\":{\"loadBalancerClass\":\"example.com/other\"}}"))
                .contains("spec.loadBalancerClass cannot be changed");
        assertThat(patch("lbc/fixed", "{\"spec\":{\"controllerName\":\"example.com/other\"}}"))
                .contains("spec.controllerName cannot be changed");
        assertThat(patch("lbc/fixed", "{\"spec\":{\"controllerName\":null}}")).isEmpty();
        assertThat(patch("lbc/fixed", "{\"spec\":{\"ipMode\":\"Proxy\",\"classless\":\"Auto\"}}"))
                .isEmpty();
        assertThat(get("lbc/fixed", "{.spec.controllerName} {.spec.ipMode} {.spec.classless}"))
                .isEqualTo("berth.dev/controller Proxy Auto");
    }

    @Test
    void defaults_areFilledIn() {
        create(POOL_AND_CLASS.formatted("LoadBalancerClass", "bare", "loadBalancerClass: example.com/bare"));
        assertThat(get("lbc/bare", "{.spec.controllerName} {.spec.provider} {.spec.ipMode} {.spec.classless}"))
                .isEqualTo("berth.dev/controller pool Auto Never");
        create(POOL_AND_CLASS.formatted("AddressPool", "bare", "addresses: [192.0.2.1]"));
        assertThat(get("apool/bare", "{.spec.autoAssign} {.spec.priority} {.spec.suspended}"))
                .isEqualTo("true 100 false");
        create(POOL_AND_CLASS.formatted(
                "Address", "198.51.100.3", "{address: 198.51.100.3, claims: [{namespace: a, name: b}]}"));
        assertThat(get("addr/198.51.100.3", "{.spec.claims[0].kind}")).isEqualTo("Service");
    }

    @Test
    void claims_areOfAnyKind_andOfOneNameOfAKindThereIsOne() {
        String claims = "{address: 198.51.100.%1$d, claims: [%2$s]}";
        assertThat(create(POOL_AND_CLASS.formatted(
                        "Address",
                        "198.51.100.30",
                        claims.formatted(30, "{kind: Gateway, namespace: a, name: b}, {namespace: a, name: b}"))))
                .isEmpty();
        assertThat(create(POOL_AND_CLASS.formatted(
                        "Address", "198.51.100.31", claims.formatted(31, "{kind: gateway, namespace: a, name: b}"))))
                .hasValueSatisfying(message -> assertThat(message).contains("spec.claims[0].kind"));
        assertThat(create(POOL_AND_CLASS.formatted(
                        "Address",
                        "198.51.100.32",
                        claims.formatted(
                                32, "{namespace: a, name: b, uid: u1}, {kind: Service, namespace: a, name: b}"))))
                .hasValueSatisfying(message -> assertThat(message).contains("Duplicate value"));
    }

    /** Each manager has its own, and leaves those of others when it applies again. */
    @Test
    void claims_areAppliedOneByOne() {
        for (String name : List.of("one", "two", "one")) {
            String one = "{address: 198.51.100.33, claims: [{namespace: a, name: " + name + "}]}";
            client.resource(Serialization.unmarshal(
                            POOL_AND_CLASS.formatted("Address", "198.51.100.33", one), GenericKubernetesResource.class))
                    .fieldManager(name)
                    .serverSideApply();
        }
        assertThat(get("addr/198.51.100.33", "{.spec.claims[*].name}")).isEqualTo("one two");
    }

    @Test
    void releasedAt_isATimeThatThereIs() {
        assertThat(create(POOL_AND_CLASS.formatted(
                        "Address", "198.51.100.20", "{address: 198.51.100.20, releasedAt: '2026-99-99T00:00:00Z'}")))
                .hasValueSatisfying(message -> assertThat(message).contains("spec.releasedAt", "date-time"));
    }

    @Test
    void shortNames_andTheCategory_findTheKinds() {
        create(POOL_AND_CLASS.formatted("LoadBalancerClass", "listed", "loadBalancerClass: example.com/listed"));
        create(POOL_AND_CLASS.formatted("Address", "198.51.100.4", "address: 198.51.100.4"));
        create(POOL_AND_CLASS.formatted("ClusterIPReservation", "listed", "{address: 10.96.0.10, " + FOR_DNS + "}"));
        assertThat(header("clusteripreservations"))
                .containsExactly("NAME", "ADDRESS", "NAMESPACE", "SERVICE", "READY", "REASON", "AGE");
        Map<String, String> byShortName = Map.of(
                "apool", "addresspool.berth.dev/first",
                "apools", "addresspool.berth.dev/first",
                "lbc", "loadbalancerclass.berth.dev/listed",
                "addr", "address.berth.dev/198.51.100.4",
                "cipr", "clusteripreservation.berth.dev/listed");
        byShortName.forEach((name, object) ->
                assertThat(kubectl.run("get", name, "--output=name").lines()).contains(object));
        assertThat(kubectl.run("get", "berth", "--output=name").lines()).containsAll(byShortName.values());
    }

    @Test
    @Answers({"metallb/metallb#2352", "metallb/metallb#161"})
    void columns_answerWhoHasWhat() {
        create(POOL_AND_CLASS.formatted("LoadBalancerClass", "shown", "loadBalancerClass: example.com/shown"));
        create(
                POOL_AND_CLASS.formatted(
                        "Address",
                        "198.51.100.5",
                        "{address: 198.51.100.5, pool: former, class: example.com/shown, claims: [{namespace: prod, name: web}]}"));
        kubectl.run("label", "address/198.51.100.5", "berth.dev/pool=edge");
        assertThat(header("addresspools"))
                .containsExactly(
                        "NAME",
                        "ADDRESSES",
                        "IPV4-FREE",
                        "IPV6-FREE",
                        "ALLOCATED",
                        "STRANDED",
                        "READY",
                        "STATE",
                        "AGE");
        assertThat(header("addresses"))
                .containsExactly("NAME", "ADDRESS", "NAMESPACE", "SERVICE", "SHARED-WITH", "POOL", "CLASS", "SINCE");
        assertThat(header("loadbalancerclasses"))
                .containsExactly("NAME", "CLASS", "PROVIDER", "IPMODE", "CLASSLESS", "READY", "AGE");
        assertThat(kubectl.run("get", "address", "198.51.100.5", "--no-headers"))
                .matches("(?s)198.51.100.5 +198.51.100.5 +prod +web +edge +example.com/shown .*");
        create(POOL_AND_CLASS.formatted(
                "Address",
                "198.51.100.6",
                "{address: 198.51.100.6, claims: [{namespace: prod, name: web}, {namespace: prod, name: dns}]}"));
        kubectl.run("label", "address/198.51.100.6", "berth.dev/pool=edge");
        kubectl.run(
                "patch",
                "address/198.51.100.6",
                "--subresource=status",
                "--type=merge",
                "--patch={\"status\": {\"pool\": \"edge\", \"sharedWith\": \"dns\"}}");
        assertThat(kubectl.run("get", "address", "198.51.100.6", "--no-headers"))
                .matches("(?s)198.51.100.6 +198.51.100.6 +prod +web +dns +edge .*");
        assertThat(kubectl.run("get", "lbc", "shown", "--no-headers"))
                .matches("(?s)shown +example.com/shown +pool +Auto +Never .*");
    }

    /** What kubectl explain reads: each field of spec and status, however deep. */
    @Test
    void eachField_isExplained_withItsDefault_andThePageOfTheAnnotationThatItIsAbout() throws IOException {
        JsonNode schemas = Serialization.jsonMapper()
                .readTree(kubectl.run("get", "--raw", "/openapi/v3/apis/berth.dev/v1alpha1"))
                .at("/components/schemas");
        List<String> enums = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        int kinds = 0;
        List<String> withoutStatus = new ArrayList<>();
        for (Map.Entry<String, JsonNode> kind : schemas.properties()) {
            JsonNode properties = kind.getValue().path("properties");
            if (kind.getKey().startsWith("dev.berth.v1alpha1.") && properties.has("spec")) {
                kinds++;
                if (!properties.has("status")) {
                    withoutStatus.add(kind.getKey());
                }
                for (String part : properties.has("status") ? List.of("spec", "status") : List.of("spec")) {
                    explained(properties.path(part), kind.getKey() + "." + part, faults, enums);
                }
            }
        }

        assertThat(kinds).isEqualTo(7);
        assertThat(withoutStatus).containsExactly("dev.berth.v1alpha1.AgentReport");
        assertThat(faults).isEmpty();
        assertThat(enums)
                .contains(
                        "dev.berth.v1alpha1.LoadBalancerClass.spec.classless",
                        "dev.berth.v1alpha1.LoadBalancerClass.spec.ipMode",
                        "dev.berth.v1alpha1.LoadBalancerClass.spec.healthCheck.type",
                        "dev.berth.v1alpha1.Address.spec.claims[].ports[].protocol",
                        "dev.berth.v1alpha1.ServiceCIDRPolicy.status.findings.first[].severity",
                        "dev.berth.v1alpha1.ServiceCIDRPolicy.status.ranges[].state",
                        "dev.berth.v1alpha1.ServiceCIDRPolicy.status.retiring[].first[].needs",
                        "dev.berth.v1alpha1.Address.status.conditions[].status");
    }

    /** Annotations of Services. */
    private static final Pattern OF_SERVICES =
            Pattern.compile("berth[.]dev/(addresses|address-pool|sharing-key|retain|replace-address)");

    private static void explained(JsonNode field, String path, List<String> faults, List<String> enums) {
        String said = field.path("description").asText();
        if (said.isEmpty()
                || (field.has("default")
                        && !said.contains("Defaults to " + field.path("default").asText() + "."))
                || (OF_SERVICES.matcher(said).find() && !said.contains("see docs/annotations.md"))) {
            faults.add(path + ": " + said);
        }
        if (field.has("enum")) {
            enums.add(path);
        }
        field.path("properties")
                .properties()
                .forEach(one -> explained(one.getValue(), path + "." + one.getKey(), faults, enums));
        field.path("items")
                .path("properties")
                .properties()
                .forEach(one -> explained(one.getValue(), path + "[]." + one.getKey(), faults, enums));
    }

    @Test
    void statusOfThePolicy_hasKnownWords_daysThatThereAre_andPercentages() {
        create(POOL_AND_CLASS.formatted("ServiceCIDRPolicy", "cluster", "{}"));
        try {
            Map.of(
                            "findings: {first: [{severity: %s}]}", List.of("Warning", "Fatal"),
                            "ranges: [{state: %s}]", List.of("NotReady", "Odd"),
                            "retiring: [{first: [{needs: %s}]}]", List.of("RemoveReservation", "Nothing"),
                            "ipv4: {fullOn: '%s'}", List.of("2028-02-29", "2027-02-29"),
                            "ipv6: {usedPercent: %s}", List.of("100", "101"))
                    .forEach((status, values) -> {
                        assertThat(patchStatus(
                                        "cidrpolicy/cluster", "status: {" + status.formatted(values.getFirst()) + "}"))
                                .isEmpty();
                        assertThat(patchStatus(
                                        "cidrpolicy/cluster", "status: {" + status.formatted(values.getLast()) + "}"))
                                .contains("is invalid", values.getLast());
                    });
        } finally {
            kubectl.run("delete", "cidrpolicy/cluster");
        }
    }

    @Test
    void wideColumnsOfThePolicy_sayWhatIsRefused_andWhatIsWrong() {
        create(POOL_AND_CLASS.formatted("ServiceCIDRPolicy", "cluster", "{}"));
        try {
            kubectl.run("patch", "cidrpolicy/cluster", "--subresource=status", "--type=merge", "--patch=" + """
                    {"status": {
                      "ipv4": {"usedPercent": 85, "allocated": "12", "free": "2", "fullOn": "2026-01-11"},
                      "findings": {"total": 2, "first": [
                        {"reason": "BandsConflict", "object": "ServiceCIDR/a", "message": "it-conflicts"},
                        {"reason": "BandsConflict", "object": "ServiceCIDR/b", "message": "so-does-it"}]},
                      "conditions": [
                        {"type": "Retired", "status": "False", "reason": "RetirementRefused", "message": "a",
                         "lastTransitionTime": "2026-01-01T00:00:00Z"},
                        {"type": "Reserved", "status": "False", "reason": "NotKept", "message": "b",
                         "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
                    """);

            assertThat(header("cidrpolicy"))
                    .containsExactly(
                            "NAME",
                            "IPV4-USED",
                            "IPV4-FREE",
                            "IPV6-USED",
                            "IPV6-FREE",
                            "CAPACITY",
                            "GROWTH",
                            "HEALTHY",
                            "READY",
                            "AGE");
            assertThat(header("cidrpolicy", "--output=wide"))
                    .containsSubsequence(
                            "HEALTHY",
                            "READY",
                            "IPV4-PERCENT",
                            "IPV6-PERCENT",
                            "IPV4-FULL-ON",
                            "IPV6-FULL-ON",
                            "RETIRED",
                            "RESERVED",
                            "FINDING",
                            "AGE");
            assertThat(kubectl.run("get", "cidrpolicy", "--no-headers", "--output=wide"))
                    .matches("(?s)cluster +12 +2 +85 +2026-01-11 +RetirementRefused +NotKept +it-conflicts .*");
        } finally {
            kubectl.run("delete", "cidrpolicy/cluster");
        }
    }

    /** A condition of a status, as one line of YAML. */
    private record ConditionRow(String rule, String conditions, String fault) {}

    private static final String WHOLE =
            "{type: Ready, status: 'True', reason: Ready, message: fine, lastTransitionTime: '2026-01-01T00:00:00Z'}";

    private static final List<ConditionRow> CONDITIONS = List.of(
            new ConditionRow("a whole one", WHOLE, ""),
            new ConditionRow("two of one type", WHOLE + ", " + WHOLE, "Duplicate value"),
            new ConditionRow("one without a type", "{status: 'True'}", "type: Required value"),
            new ConditionRow("another status", WHOLE.replace("'True'", "'Yes'"), "supported values"),
            new ConditionRow("a reason that is a sentence", WHOLE.replace("reason: Ready", "reason: 'a b'"), "reason"),
            new ConditionRow("a time that is none", WHOLE.replace("2026-01-01T00:00:00Z", "soon"), "date-time"));

    @TestFactory
    Stream<DynamicTest> condition() {
        create(POOL_AND_CLASS.formatted("AddressPool", "judged", "addresses: [192.0.2.1]"));
        return CONDITIONS.stream()
                .map(row ->
                        DynamicTest.dynamicTest((row.fault().isEmpty() ? "takes " : "refuses ") + row.rule(), () -> {
                            String refusal =
                                    patchStatus("apool/judged", "status: {conditions: [" + row.conditions() + "]}");
                            check(row.fault(), Optional.of(refusal).filter(text -> !text.isEmpty()));
                        }));
    }

    @Test
    void kubectlWait_knowsWhenAnObjectIsReady() {
        create(POOL_AND_CLASS.formatted("AddressPool", "awaited", "addresses: [192.0.2.1]"));
        assertThat(patchStatus("apool/awaited", "status: {conditions: [" + WHOLE + "]}"))
                .isEmpty();

        kubectl.run("wait", "--for=condition=Ready", "--timeout=10s", "apool/awaited");
        assertThat(kubectl.run("get", "apool/awaited", "--no-headers")).matches("(?s)awaited .* True +[0-9]+s.*");
    }

    private String patchStatus(String object, String yaml) {
        Throwable refusal = catchThrowable(
                () -> kubectl.run("patch", object, "--subresource=status", "--type=merge", "--patch=" + yaml));
        return refusal == null ? "" : String.valueOf(refusal.getMessage());
    }

    private List<String> header(String kind, String... flags) {
        return List.of(kubectl.run(
                        Stream.concat(Stream.of("get", kind), Stream.of(flags)).toArray(String[]::new))
                .lines()
                .findFirst()
                .orElseThrow()
                .strip()
                .split(" +"));
    }

    private String get(String object, String jsonPath) {
        return kubectl.run("get", object, "--output=jsonpath=" + jsonPath);
    }

    /** What the refusal says; empty: it is done. */
    private String patch(String object, String mergePatch) {
        Throwable refusal = catchThrowable(() -> kubectl.run("patch", object, "--type=merge", "--patch=" + mergePatch));
        return refusal == null ? "" : String.valueOf(refusal.getMessage());
    }
}
