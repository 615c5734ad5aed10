package dev.berth.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.agent.bgp.PeerReader;
import dev.berth.announce.BgpParameters;
import dev.berth.announce.L2Parameters;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MetalLbTest {
    private static final Path EXAMPLES = Path.of("docs/examples/migration");

    private static final String SESSION = "peerAddress: 192.0.2.1, peerASN: 64512, myASN: 64513";
    private static final String OURS = "{\"peerAddress\":\"192.0.2.1\",\"peerASN\":64512,\"myASN\":64513";
    private static final String UNGRACEFUL = ",\"gracefulRestartTime\":\"0s\"";

    private static List<Exported> export(String yaml) {
        Map<MetalLbKind, List<JsonNode>> objects = new EnumMap<>(MetalLbKind.class);
        for (String document : yaml.split("(?m)^---$", -1)) {
            JsonNode object = Serialization.unmarshal(document, JsonNode.class);
            Stream.of(MetalLbKind.values())
                    .filter(kind -> kind.kind().equals(object.path("kind").asText()))
                    .forEach(kind -> objects.computeIfAbsent(kind, _ -> new ArrayList<>())
                            .add(object));
        }
        return MetalLb.export(objects);
    }

    private static String object(MetalLbKind kind, String name, String spec) {
        return "kind: %s\nmetadata: {name: %s, namespace: metallb-system}\nspec: {%s}\n"
                .formatted(kind.kind(), name, spec);
    }

    private static List<String> specs(Exported exported) {
        return exported.objects().stream()
                .map(object -> object.path("metadata").path("name").asText() + " "
                        + object.path("spec").toString())
                .toList();
    }

    private static List<String> notes(Exported exported) {
        // The commands that copy a Secret have a row of their own.
        return exported.notes().stream()
                .filter(note -> !note.startsWith("the agents read"))
                .toList();
    }

    @Test
    void example_becomesWhatThePageSays() throws IOException {
        StringBuilder all = new StringBuilder();
        export(Files.readString(EXAMPLES.resolve("metallb-announcing.yaml"))).forEach(one -> {
            all.append(one.comment());
            one.objects().forEach(object -> all.append(Serialization.asYaml(object)));
        });

        assertThat(all.toString()).isEqualTo(Files.readString(EXAMPLES.resolve("metallb-announcing-berth.yaml")));
    }

    /** What a BGPPeer named tor says, and what becomes of it. */
    record Peer(String rule, String spec, List<String> specs, List<String> notes) {
        @Override
        public String toString() {
            return rule;
        }
    }

    static Stream<Peer> peers() {
        return Stream.of(
                new Peer("what is absent is absent", SESSION, List.of("tor " + OURS + UNGRACEFUL + "}"), List.of()),
                new Peer(
                        "port and source are the same",
                        SESSION + ", peerPort: 1179, sourceAddress: 192.0.2.9, enableGracefulRestart: true",
                        List.of("tor " + OURS + ",\"peerPort\":1179,\"sourceAddress\":\"192.0.2.9\"}"),
                        List.of()),
                new Peer(
                        "an autonomous system of 32 bits is kept",
                        "peerAddress: '2001:db8::1', peerASN: 4294967295, myASN: 4200000000, enableGracefulRestart: true",
                        List.of("tor {\"peerAddress\":\"2001:db8::1\",\"peerASN\":4294967295,\"myASN\":4200000000}"),
                        List.of()),
                new Peer(
                        "a hold time alone brings a third of it as keepalive",
                        SESSION + ", holdTime: 1m0.5s, enableGracefulRestart: true",
                        List.of("tor " + OURS + ",\"holdTime\":\"61s\",\"keepaliveTime\":\"20s\"}"),
                        List.of()),
                new Peer(
                        "a keepalive that is too long is a third of the hold time",
                        SESSION + ", holdTime: 90s, keepaliveTime: 60s, connectTime: 10s, enableGracefulRestart: true",
                        List.of("tor " + OURS
                                + ",\"holdTime\":\"90s\",\"keepaliveTime\":\"30s\",\"connectRetryTime\":\"10s\"}"),
                        List.of("keepaliveTime 60s is more than a third of the hold time, and becomes 30s")),
                new Peer(
                        "times that are none, or out of range, have their default",
                        SESSION + ", holdTime: 0s, keepaliveTime: soon, connectTime: 2h, enableGracefulRestart: true",
                        List.of("tor " + OURS + "}"),
                        List.of(
                                "holdTime is \"0s\"; holdTime must be a duration of whole seconds from 3s to 65535s, and has its default",
                                "keepaliveTime is \"soon\"; keepaliveTime must be a duration of whole seconds from 1s to 65535s, and has its default",
                                "connectTime is \"2h\"; connectRetryTime must be a duration of whole seconds from 2s to 3600s, and has its default")),
                new Peer(
                        "multihop is as far as can be",
                        SESSION + ", ebgpMultiHop: true, enableGracefulRestart: true",
                        List.of("tor " + OURS + ",\"ebgpMultihop\":255}"),
                        List.of()),
                new Peer(
                        "families are named where MetalLB's are",
                        SESSION + ", dualStackAddressFamily: true, enableGracefulRestart: true",
                        List.of("tor " + OURS + ",\"families\":[\"IPv4\",\"IPv6\"]}"),
                        List.of()),
                new Peer(
                        "without multiprotocol there is the family of the session",
                        SESSION + ", disableMP: true, enableGracefulRestart: true",
                        List.of("tor " + OURS + ",\"families\":[\"IPv4\"]}"),
                        List.of()),
                new Peer(
                        "one selector is the selector, expressions included",
                        SESSION
                                + ", nodeSelectors: [{matchLabels: {a: b}, matchExpressions: [{key: c, operator: Exists}]}], enableGracefulRestart: true",
                        List.of(
                                "tor " + OURS
                                        + ",\"nodeSelector\":{\"matchLabels\":{\"a\":\"b\"},\"matchExpressions\":[{\"key\":\"c\",\"operator\":\"Exists\"}]}}"),
                        List.of()),
                new Peer(
                        "an empty one selects all nodes, whatever is beside it",
                        SESSION + ", nodeSelectors: [{}, {matchLabels: {a: b}}], enableGracefulRestart: true",
                        List.of("tor " + OURS + "}"),
                        List.of()),
                new Peer(
                        "selectors that differ in more than a value are a BGPPeer each",
                        SESSION
                                + ", nodeSelectors: [{matchLabels: {a: b}}, {matchLabels: {c: d}}], enableGracefulRestart: true",
                        List.of(
                                "tor-1 " + OURS + ",\"nodeSelector\":{\"matchLabels\":{\"a\":\"b\"}}}",
                                "tor-2 " + OURS + ",\"nodeSelector\":{\"matchLabels\":{\"c\":\"d\"}}}"),
                        List.of(
                                "its nodeSelectors are a BGPPeer each; on a node that several of them select, the older one counts")),
                new Peer(
                        "BFD and what is not known is said",
                        SESSION
                                + ", bfdProfile: fast, routerID: 192.0.2.7, newer: {a: 1}, empty: '', enableGracefulRestart: true",
                        List.of("tor " + OURS + "}"),
                        List.of(
                                "bfdProfile \"fast\" has no counterpart: a node whose power is cut is noticed when holdTime is over",
                                "routerID is \"192.0.2.7\", which has no counterpart",
                                "newer is {\"a\":1}, which has no counterpart")),
                new Peer(
                        "a session by interface is one by interface, and what it cannot have is left out",
                        "interface: eth1, peerASN: 64512, myASN: 64513, ebgpMultiHop: true, disableMP: true, enableGracefulRestart: true",
                        List.of(
                                "tor {\"peerInterface\":\"eth1\",\"peerASN\":64512,\"myASN\":64513,\"families\":[\"IPv6\"]}"),
                        List.of("ebgpMultiHop is left out: it has no meaning with an interface")),
                new Peer(
                        "one in a VRF is not exported",
                        SESSION + ", vrf: red",
                        List.of(),
                        List.of(
                                "not exported: vrf \"red\": a session in another network than the node's own has no counterpart")),
                new Peer(
                        "one whose router may be of any autonomous system is not exported",
                        "peerAddress: 192.0.2.1, myASN: 64513, dynamicASN: external",
                        List.of(),
                        List.of(
                                "not exported: dynamicASN \"external\" has no counterpart; make a BGPPeer with the autonomous system of the router as peerASN")),
                new Peer(
                        "one of whatever content is not exported",
                        "peerAddress: [], peerASN: none",
                        List.of(),
                        List.of("not exported: peerAddress is missing")));
    }

    @ParameterizedTest
    @MethodSource("peers")
    void peer_becomesOneThatAgentsRead_andWhatDoesNotCarryOverIsSaid(Peer row) {
        Exported exported =
                export(object(MetalLbKind.BGP_PEER, "tor", row.spec())).getFirst();

        assertThat(exported.origin()).isEqualTo("BGPPeer \"tor\"");
        assertThat(specs(exported)).isEqualTo(row.specs());
        assertThat(notes(exported)).isEqualTo(row.notes());
        assertThat(exported.objects())
                .allSatisfy(
                        object -> assertThat(PeerReader.read(object).fault()).isEmpty());
    }

    @Test
    void eachBgpPeer_hasANameOfItsOwn() {
        List<Exported> exported = export(object(
                        MetalLbKind.BGP_PEER,
                        "tor",
                        SESSION + ", nodeSelectors: [{matchLabels: {a: b}}, {matchLabels: {c: d}}]")
                + "---\n" + object(MetalLbKind.BGP_PEER, "tor-1", SESSION));

        assertThat(exported)
                .flatExtracting(Exported::objects)
                .extracting(object -> object.path("metadata").path("name").asText())
                .containsExactly("tor-2", "tor-3", "tor-1");
    }

    @Test
    void passwordsStayInSecrets_andTheCommandThatCopiesThemIsSaid() {
        List<Exported> exported = export(object(MetalLbKind.BGP_PEER, "a", SESSION + ", passwordSecret: {name: md5}")
                + "---\n" + object(MetalLbKind.BGP_PEER, "b", SESSION + ", password: hush"));

        assertThat(exported)
                .extracting(one -> one.objects()
                        .getFirst()
                        .path("spec")
                        .path("passwordSecret")
                        .path("name")
                        .asText())
                .containsExactly("md5", "b-password");
        assertThat(exported)
                .flatExtracting(Exported::notes)
                .containsExactly(
                        "the agents read its password in their own namespace: kubectl -n berth-agents create secret generic md5 --from-literal=password=\"$(kubectl -n metallb-system get secret md5 -o jsonpath='{.data.password}' | base64 -d)\"",
                        "the agents read its password in their own namespace: kubectl -n berth-agents create secret generic b-password --from-literal=password=\"$(kubectl -n metallb-system get bgppeers.metallb.io b -o jsonpath='{.spec.password}')\"");
        assertThat(exported.toString()).doesNotContain("hush");
    }

    /** What an advertisement named all says, beside peers, pools and communities, and what becomes of it. */
    record Advertisement(String rule, MetalLbKind kind, String spec, List<String> specs, List<String> notes) {
        @Override
        public String toString() {
            return rule;
        }
    }

    private static final String BGP = "all-bgp {\"loadBalancerClass\":\"berth.dev/all-bgp\",\"provider\":\"bgp\"";
    private static final String L2 = "all-l2 {\"loadBalancerClass\":\"berth.dev/all-l2\",\"provider\":\"l2\"";

    private static final String ON_EACH =
            "without interfaces MetalLB answers on each; Berth answers on the one whose subnet has the address. For a pool outside of all subnets, add the parameter interfaces";

    static Stream<Advertisement> advertisements() {
        MetalLbKind bgp = MetalLbKind.BGP_ADVERTISEMENT;
        MetalLbKind l2 = MetalLbKind.L2_ADVERTISEMENT;
        return Stream.of(
                new Advertisement(
                        "one that says nothing is for all pools", l2, "", List.of(L2 + "}"), List.of(ON_EACH)),
                new Advertisement("the same by BGP", bgp, "", List.of(BGP + "}"), List.of()),
                new Advertisement(
                        "pools are those that it names, and those that it selects",
                        l2,
                        "ipAddressPools: [mail], ipAddressPoolSelectors: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}], interfaces: [eth0, eth1]",
                        List.of(L2 + ",\"pools\":[\"mail\",\"edge\"],\"parameters\":{\"interfaces\":\"eth0,eth1\"}}"),
                        List.of()),
                new Advertisement(
                        "one that selects no pool is not exported, for a class without pools has all",
                        l2,
                        "ipAddressPoolSelectors: [{matchLabels: {zone: c}}]",
                        List.of(),
                        List.of("not exported: its selectors match no IPAddressPool")),
                new Advertisement(
                        "peers are those that they became",
                        bgp,
                        "peers: [two, gone]",
                        List.of(BGP + ",\"parameters\":{\"peers\":\"two-1,two-2\"}}"),
                        List.of("peer \"gone\" is left out: there is no such BGPPeer, or it was not exported")),
                new Advertisement(
                        "one whose peers are all gone is not exported, for a class without peers has all",
                        bgp,
                        "peers: [vrf]",
                        List.of(),
                        List.of("not exported: none of its peers was exported")),
                new Advertisement(
                        "communities are resolved, large ones too",
                        bgp,
                        "communities: [customers, '65535:65281', 'large:64512:1:2', nobody], localPref: 150",
                        List.of(
                                BGP
                                        + ",\"parameters\":{\"communities\":\"64512:100,65535:65281,64512:1:2\",\"localPref\":\"150\"}}"),
                        List.of(
                                "community \"nobody\" is left out: it is not a number, and no Community has that name")),
                new Advertisement(
                        "a network in place of an address is announced, too",
                        bgp,
                        "aggregationLength: 24, aggregationLengthV6: 128",
                        List.of(BGP + ",\"parameters\":{\"aggregationLength\":\"24\"}}"),
                        List.of()),
                new Advertisement(
                        "which nodes and Services is said not to be, and what is not known, too",
                        l2,
                        "nodeSelectors: [{matchLabels: {a: b}}], serviceSelectors: [{matchLabels: {a: b}}], newer: true",
                        List.of(L2 + "}"),
                        List.of(
                                ON_EACH,
                                "nodeSelectors has no counterpart: each node that can deliver announces, but those that are labelled node.kubernetes.io/exclude-from-external-load-balancers",
                                "serviceSelectors has no counterpart: a Service chooses by spec.loadBalancerClass",
                                "newer is true, which has no counterpart")));
    }

    @ParameterizedTest
    @MethodSource("advertisements")
    void advertisement_becomesAClass_thatItsProviderReads_andWhatDoesNotCarryOverIsSaid(Advertisement row) {
        String others = String.join(
                "---\n",
                object(
                        MetalLbKind.BGP_PEER,
                        "two",
                        SESSION + ", nodeSelectors: [{matchLabels: {a: b}}, {matchLabels: {c: d}}]"),
                object(MetalLbKind.BGP_PEER, "vrf", SESSION + ", vrf: red"),
                object(MetalLbKind.COMMUNITY, "names", "communities: [{name: customers, value: '64512:100'}]"),
                "kind: IPAddressPool\nmetadata: {name: edge, labels: {zone: a}}\n",
                "kind: IPAddressPool\nmetadata: {name: mail, labels: {zone: b}}\n");

        Exported exported = export(others + "---\n" + object(row.kind(), "all", row.spec())).stream()
                .filter(one -> one.origin().equals(row.kind().kind() + " \"all\""))
                .findFirst()
                .orElseThrow();

        assertThat(specs(exported)).isEqualTo(row.specs());
        assertThat(exported.notes()).isEqualTo(row.notes());
        assertThat(exported.objects()).allSatisfy(object -> {
            Map<String, String> parameters = new ObjectMapper()
                    .convertValue(
                            object.path("spec").path("parameters"),
                            new com.fasterxml.jackson.core.type.TypeReference<Map<String, String>>() {});
            Map<String, String> given = parameters == null ? Map.of() : parameters;
            if (row.kind() == MetalLbKind.L2_ADVERTISEMENT) {
                assertThat(L2Parameters.of(given)).isNotNull();
            } else {
                assertThat(BgpParameters.of(given)).isNotNull();
            }
        });
    }

    @Test
    void poolThatSeveralAdvertise_isNamed_withTheClassesToChooseFrom() {
        List<Exported> exported = export(String.join(
                "---\n",
                "kind: IPAddressPool\nmetadata: {name: edge}\n",
                "kind: IPAddressPool\nmetadata: {name: mail}\n",
                object(MetalLbKind.L2_ADVERTISEMENT, "all", ""),
                object(MetalLbKind.BGP_ADVERTISEMENT, "some", "ipAddressPools: [edge]")));

        assertThat(exported.getLast())
                .isEqualTo(
                        new Exported(
                                "IPAddressPool \"edge\"",
                                List.of(),
                                List.of(
                                        "its addresses are announced by BGPAdvertisement \"some\", L2Advertisement \"all\" at once; a Service has one class, so choose one of some-bgp, all-l2")));
        assertThat(exported).hasSize(3);
    }
}
