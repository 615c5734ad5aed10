package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Selector;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a node announces by BGP, to whom, and why not. */
class NodeRoutesTest {
    private static final Ip ADDRESS = Ip.parse("203.0.113.10");
    private static final Ip ADDRESS6 = Ip.parse("2001:db8:1::10");
    private static final Ip NODE = Ip.parse("192.0.2.1");
    private static final Ip NODE6 = Ip.parse("2001:db8::1");

    private static BgpPeerSample sample(String name, String address) {
        return new BgpPeerSample(name, address)
                .created("2026-01-01T00:00:00Z")
                .label("rack", name)
                .families(IpFamily.IPV4, IpFamily.IPV6);
    }

    private static BgpPeer peer(String name, String address) {
        return sample(name, address).peer();
    }

    private static SequencedMap<String, PeerVerdict> peers(Map<String, String> passwords, BgpPeer... peers) {
        return NodeRoutes.peers(
                "a",
                own(NODE, NODE6),
                passwords,
                List.of(),
                Map.of(),
                Stream.of(peers).map(ReadPeer::of).toList());
    }

    private static OwnNode own(Ip... addresses) {
        return new OwnNode(new TreeMap<>(), List.of(addresses), List.of(addresses));
    }

    private static NodesAndAgents alone(Optional<NodeFacts> facts) {
        SequencedMap<String, NodeFacts> nodes = new TreeMap<>();
        facts.ifPresent(some -> nodes.put("a", some));
        return new NodesAndAgents(nodes, new TreeMap<>());
    }

    private static NodeRoutes node(Optional<NodeFacts> facts, BgpPeer... peers) {
        return new NodeRoutes(
                "a",
                alone(facts),
                new TreeMap<>(Map.of(IpFamily.IPV4, NODE, IpFamily.IPV6, NODE6)),
                peers(Map.of(), peers));
    }

    private static NodeRoutes node() {
        return node(Optional.of(NodeFacts.FIT), peer("router", "192.0.2.254"));
    }

    private static DesiredRoute asked(Ip address, boolean isLocal, List<String> ready, List<String> terminating) {
        return asked(address, BgpParameters.DEFAULT, isLocal, ready, terminating);
    }

    private static DesiredRoute asked(
            Ip address, BgpParameters parameters, boolean isLocal, List<String> ready, List<String> terminating) {
        return new DesiredRoute(
                address,
                List.of(new AddressHolder(new ServiceKey("shop", "web"), isLocal, ready, terminating)),
                parameters,
                false);
    }

    private static NotAnnouncedReason reason(NodeRoutes node, DesiredRoute asked) {
        return ((RouteVerdict.Silent) node.verdict(asked)).reason();
    }

    private static Route route(NodeRoutes node, DesiredRoute asked) {
        return ((RouteVerdict.Announces) node.verdict(asked)).route();
    }

    @Test
    void passwordThatTcpCannotTake_isSaid_insteadOfASessionThatNeverComes() {
        BgpPeer peer = sample("router", "192.0.2.254")
                .password("md5")
                .families(IpFamily.IPV4)
                .peer();
        assertThat(peers(Map.of("md5", "x".repeat(80)), peer))
                .containsValue(BgpPeerSample.session(peer, "x".repeat(80)));
        assertThat(peers(Map.of("md5", "\u00e4".repeat(41)), peer))
                .containsValue(new PeerVerdict.Unusable(
                        "the password of Secret \"md5\" has 82 bytes; TCP MD5 takes 80 at most"));
    }

    @Test
    void sourceAddressThatTheNodeDoesNotHave_isSaid() {
        BgpPeer peer = sample("router", "192.0.2.254").source("192.0.2.9").peer();
        List<ReadPeer> all = List.of(ReadPeer.of(peer));
        assertThat(NodeRoutes.peers("a", own(NODE), Map.of(), List.of(), Map.of(), all))
                .containsValue(BgpPeerSample.session(peer, ""));
        assertThat(NodeRoutes.peers("a", own(NODE), Map.of(), List.of(Ip.parse("192.0.2.9")), Map.of(), all))
                .containsValue(new PeerVerdict.Unusable(
                        "sourceAddress 192.0.2.9 is not an address of node a; write one that it"
                                + " has, or leave the node out by nodeSelector"));
    }

    private static SequencedMap<String, PeerVerdict> onEth1(List<BgpPeer> peers, Map<String, PeerLink> links) {
        return NodeRoutes.peers(
                "a",
                own(NODE),
                Map.of(),
                List.of(),
                links,
                peers.stream().map(ReadPeer::of).toList());
    }

    private static PeerLink link(String... routers) {
        return new PeerLink(
                Optional.of(Ip.parse("fe80::a")),
                Stream.of(routers).map(Ip::parse).toList());
    }

    @Test
    void peerOnAnInterface_isTheRouterThatIsHeardThere_andHearsTheLinkLocalAddressAsNextHop() {
        BgpPeer peer = BgpPeerSample.onInterface("spine", "eth1").peer();
        SequencedMap<String, PeerVerdict> peers = onEth1(List.of(peer), Map.of("eth1", link("fe80::1")));
        assertThat(peers)
                .containsValue(new PeerVerdict.Session(
                        peer, "", Neighbour.find("fe80::1%eth1").orElseThrow(), Optional.of(Ip.parse("fe80::a"))));
        NodeRoutes node = new NodeRoutes(
                "a", alone(Optional.of(NodeFacts.FIT)), new TreeMap<>(Map.of(IpFamily.IPV4, NODE)), peers);
        Route route6 = route(node, asked(ADDRESS6, false, List.of("a"), List.of()));
        assertThat(route6.peers()).containsExactly("spine");
        assertThat(route6.nextHop()).isEqualTo(Ip.parse("fe80::a"));
        assertThat(route(node, asked(ADDRESS, false, List.of("a"), List.of())).peers())
                .containsExactly("spine");
    }

    @Test
    void peerOnAnInterface_whereNobodyIsHeard_isWaitedFor() {
        BgpPeer peer = BgpPeerSample.onInterface("spine", "eth1").peer();
        assertThat(onEth1(List.of(peer), Map.of("eth1", link())))
                .containsValue(new PeerVerdict.Unheard(
                        "no router has been heard on eth1; it must send router advertisements there"));
    }

    @Test
    void peerOnAnInterface_thatIsNotThere_hasNoLinkLocalAddress_orSeveralRouters_isSaid() {
        List<BgpPeer> peers = List.of(BgpPeerSample.onInterface("spine", "eth1").peer());
        assertThat(onEth1(peers, Map.of()))
                .containsValue(new PeerVerdict.Unusable(
                        "node a has no interface eth1, or it is down; write one that it has as peerInterface, or leave"
                                + " the node out by nodeSelector"));
        assertThat(onEth1(peers, Map.of("eth1", new PeerLink(Optional.empty(), List.of()))))
                .containsValue(new PeerVerdict.Unusable(
                        "peerInterface eth1 of node a has no link-local address; enable IPv6 on it, or leave the node"
                                + " out by nodeSelector"));
        assertThat(onEth1(peers, Map.of("eth1", link("fe80::1", "fe80::2"))))
                .containsValue(new PeerVerdict.Unusable(
                        "there are 2 routers on peerInterface eth1 of node a, like fe80::1 and fe80::2; name one by"
                                + " its address as peerAddress"));
    }

    @Test
    void ofTwoPeersOnOneInterface_theOlderCounts() {
        BgpPeer older = BgpPeerSample.onInterface("spine", "eth1")
                .created("2026-01-01T00:00:00Z")
                .peer();
        BgpPeer newer = BgpPeerSample.onInterface("leaf", "eth1")
                .created("2026-01-02T00:00:00Z")
                .peer();
        assertThat(onEth1(List.of(newer, older), Map.of("eth1", link("fe80::1"))))
                .containsEntry(
                        "leaf",
                        new PeerVerdict.Unusable(
                                "BGPPeer \"spine\" is older and has peerInterface eth1, too; remove one"));
    }

    @Test
    void policyCluster_withAnyReadyEndpoint_isAnnouncedByEachNode_withItsOwnAddressOfTheFamilyAsNextHop() {
        assertThat(node().verdict(asked(ADDRESS, false, List.of("b"), List.of()))
                        .sentence())
                .isEqualTo("announced by BGP to router; next hop 192.0.2.1");
        assertThat(route(node(), asked(ADDRESS6, false, List.of("b"), List.of()))
                        .nextHop())
                .isEqualTo(NODE6);
    }

    @Test
    void policyLocal_isAnnouncedWhereReadyEndpointsAre_andNotWhereTheyTerminateMeanwhile() {
        assertThat(route(node(), asked(ADDRESS, true, List.of("a"), List.of())).address())
                .isEqualTo(ADDRESS);
        assertThat(reason(node(), asked(ADDRESS, true, List.of("b"), List.of("a"))))
                .isEqualTo(NotAnnouncedReason.NO_LOCAL_ENDPOINTS);
    }

    @Test
    void endpointThatTerminates_isAnnounced_whileNoNodeHasAReadyOne() {
        assertThat(route(node(), asked(ADDRESS, true, List.of(), List.of("a"))).address())
                .isEqualTo(ADDRESS);
    }

    @Test
    void withoutEndpoints_nothingIsAnnounced_unlessTheClassSaysSo() {
        assertThat(reason(node(), asked(ADDRESS, false, List.of(), List.of())))
                .isEqualTo(NotAnnouncedReason.NO_ENDPOINTS);
        BgpParameters anyway = BgpParameters.of(Map.of("withoutEndpoints", "Announce"));
        assertThat(route(node(), asked(ADDRESS, anyway, false, List.of(), List.of()))
                        .address())
                .isEqualTo(ADDRESS);
    }

    @Test
    void addressOfANode_isNotAnnounced() {
        DesiredRoute asked = asked(ADDRESS, false, List.of("a"), List.of());
        assertThat(reason(node(), new DesiredRoute(ADDRESS, asked.services(), asked.parameters(), true)))
                .isEqualTo(NotAnnouncedReason.ADDRESS_OF_NODE);
    }

    record Unfit(String sentence, Optional<NodeFacts> facts, NotAnnouncedReason reason) {
        @Override
        public String toString() {
            return sentence;
        }
    }

    static Stream<Unfit> unfit() {
        return Stream.of(
                new Unfit("unknown", Optional.empty(), NotAnnouncedReason.NODE_UNKNOWN),
                new Unfit(
                        "excluded",
                        Optional.of(new NodeFacts(true, false, false, false, false)),
                        NotAnnouncedReason.NODE_EXCLUDED),
                new Unfit(
                        "being deleted",
                        Optional.of(new NodeFacts(false, true, false, false, false)),
                        NotAnnouncedReason.NODE_DELETED),
                new Unfit(
                        "out of service",
                        Optional.of(new NodeFacts(false, false, true, false, false)),
                        NotAnnouncedReason.NODE_OUT_OF_SERVICE),
                new Unfit(
                        "without network",
                        Optional.of(new NodeFacts(false, false, false, true, false)),
                        NotAnnouncedReason.NODE_NETWORK_UNAVAILABLE));
    }

    @ParameterizedTest
    @MethodSource("unfit")
    void nodeThatIsUnfit_announcesNothing(Unfit unfit) {
        NodeRoutes node = node(unfit.facts(), peer("router", "192.0.2.254"));
        assertThat(reason(node, asked(ADDRESS, false, List.of("a"), List.of()))).isEqualTo(unfit.reason());
    }

    /**
     * Node a is about to leave, has a session with east and with west, and can deliver the address.
     *
     * @param b what is said of the other Node; absent: there is none
     * @param agent on the other node
     * @param told the peers that a still tells of the address
     */
    record Leaving(String sentence, Optional<NodeFacts> b, Agent agent, boolean isLocal, List<String> told) {
        @Override
        public String toString() {
            return sentence;
        }
    }

    static Stream<Leaving> leaving() {
        Optional<NodeFacts> fit = Optional.of(NodeFacts.FIT);
        return Stream.of(
                new Leaving("another tells both", fit, agent(true, "east", "west"), false, List.of()),
                new Leaving("another tells one of them", fit, agent(true, "east"), false, List.of("west")),
                new Leaving("another tells none of them", fit, agent(true, "far"), false, List.of("east", "west")),
                new Leaving(
                        "the other is about to leave, too",
                        Optional.of(LEAVING),
                        agent(true, "east", "west"),
                        false,
                        List.of("east", "west")),
                new Leaving(
                        "the other is not to announce",
                        Optional.of(new NodeFacts(true, false, false, false, false)),
                        agent(true, "east", "west"),
                        false,
                        List.of("east", "west")),
                new Leaving(
                        "the other is not known",
                        Optional.empty(),
                        agent(true, "east", "west"),
                        false,
                        List.of("east", "west")),
                new Leaving(
                        "the other's agent is about to end",
                        fit,
                        agent(false, "east", "west"),
                        false,
                        List.of("east", "west")),
                new Leaving(
                        "the other's agent has lost the API server, and may not know of the address",
                        fit,
                        agent(true, ApiContact.LOST, IpFamily.IPV4, "east", "west"),
                        false,
                        List.of("east", "west")),
                new Leaving(
                        "the other announces IPv6 alone to these routers",
                        fit,
                        agent(true, ApiContact.RELIABLE, IpFamily.IPV6, "east", "west"),
                        false,
                        List.of("east", "west")),
                new Leaving(
                        "the other has no endpoint, with policy Local",
                        fit,
                        agent(true, "east", "west"),
                        true,
                        List.of("east", "west")));
    }

    private static final NodeFacts LEAVING = new NodeFacts(false, false, false, false, true);

    private static Agent agent(boolean willing, String... peers) {
        return agent(willing, ApiContact.RELIABLE, IpFamily.IPV4, peers);
    }

    private static Agent agent(boolean willing, ApiContact contact, IpFamily family, String... peers) {
        SequencedMap<String, List<IpFamily>> sessions = new TreeMap<>();
        Stream.of(peers).forEach(peer -> sessions.put(peer, List.of(family)));
        return new Agent(willing, contact, true, List.of(), new TreeMap<>(), sessions);
    }

    @ParameterizedTest
    @MethodSource("leaving")
    void nodeThatIsAboutToLeave_leavesTheAddressToThoseThatTellTheSameRouters(Leaving row) {
        SequencedMap<String, NodeFacts> nodes = new TreeMap<>(Map.of("a", LEAVING));
        row.b().ifPresent(facts -> nodes.put("b", facts));
        NodeRoutes node = new NodeRoutes(
                "a",
                new NodesAndAgents(nodes, new TreeMap<>(Map.of("b", row.agent()))),
                new TreeMap<>(Map.of(IpFamily.IPV4, NODE)),
                peers(Map.of(), peer("east", "192.0.2.253"), peer("west", "192.0.2.254")));
        DesiredRoute asked = asked(ADDRESS, row.isLocal(), List.of("a"), List.of());
        if (row.told().isEmpty()) {
            assertThat(reason(node, asked)).isEqualTo(NotAnnouncedReason.NODE_LEAVING);
        } else {
            assertThat(route(node, asked).peers()).isEqualTo(row.told());
        }
    }

    @Test
    void peerIsShared_inTheFamiliesThatTheNodeHasANextHopOf_ifItsRouterMayBeOfOtherNodes() {
        SequencedMap<String, PeerVerdict> peers = peers(
                Map.of(),
                peer("both", "192.0.2.252"),
                sample("ipv4", "192.0.2.253").families(IpFamily.IPV4).peer(),
                sample("takes", "192.0.2.254").ipv6NextHops().peer());
        peers.putAll(
                onEth1(List.of(BgpPeerSample.onInterface("spine", "eth1").peer()), Map.of("eth1", link("fe80::1"))));
        NodesAndAgents situation = alone(Optional.of(NodeFacts.FIT));

        assertThat(new NodeRoutes(
                                "a", situation, new TreeMap<>(Map.of(IpFamily.IPV4, NODE, IpFamily.IPV6, NODE6)), peers)
                        .shared())
                .isEqualTo(Map.of(
                        "both", List.of(IpFamily.IPV4, IpFamily.IPV6),
                        "ipv4", List.of(IpFamily.IPV4),
                        "takes", List.of(IpFamily.IPV4, IpFamily.IPV6)));
        assertThat(new NodeRoutes("a", situation, new TreeMap<>(Map.of(IpFamily.IPV4, NODE)), peers).shared())
                .isEqualTo(Map.of(
                        "both",
                        List.of(IpFamily.IPV4),
                        "ipv4",
                        List.of(IpFamily.IPV4),
                        "takes",
                        List.of(IpFamily.IPV4)));
        assertThat(new NodeRoutes("a", situation, new TreeMap<>(Map.of(IpFamily.IPV6, NODE6)), peers).shared())
                .isEqualTo(Map.of(
                        "both",
                        List.of(IpFamily.IPV6),
                        "ipv4",
                        List.of(),
                        "takes",
                        List.of(IpFamily.IPV4, IpFamily.IPV6)));
    }

    @Test
    void nodeWithoutAnAddressOfTheFamily_announcesNothingOfIt() {
        NodeRoutes node = new NodeRoutes(
                "a",
                alone(Optional.of(NodeFacts.FIT)),
                new TreeMap<>(Map.of(IpFamily.IPV4, NODE)),
                peers(Map.of(), peer("router", "192.0.2.254")));
        assertThat(reason(node, asked(ADDRESS6, false, List.of("a"), List.of())))
                .isEqualTo(NotAnnouncedReason.NO_NEXT_HOP);
    }

    @Test
    void peers_areToldThatTheClassNames_orWhoseLabelsItSelects_andThatHaveTheFamily() {
        NodeRoutes two = node(
                Optional.of(NodeFacts.FIT),
                peer("east", "192.0.2.253"),
                sample("west", "192.0.2.254").families(IpFamily.IPV4).peer());
        assertThat(route(two, asked(ADDRESS, false, List.of("a"), List.of())).peers())
                .containsExactly("east", "west");
        assertThat(route(two, asked(ADDRESS6, false, List.of("a"), List.of())).peers())
                .containsExactly("east");
        BgpParameters byName = BgpParameters.of(Map.of("peers", "west"));
        assertThat(route(two, asked(ADDRESS, byName, false, List.of("a"), List.of()))
                        .peers())
                .containsExactly("west");
        assertThat(reason(two, asked(ADDRESS6, byName, false, List.of("a"), List.of())))
                .isEqualTo(NotAnnouncedReason.NO_PEER);
        BgpParameters byLabel = BgpParameters.of(Map.of("peerSelector", "rack=east"));
        assertThat(route(two, asked(ADDRESS, byLabel, false, List.of("a"), List.of()))
                        .peers())
                .containsExactly("east");
    }

    @Test
    void peerThatIsNotForTheNode_isLeftOut() {
        BgpPeer peer = sample("router", "192.0.2.254")
                .nodes(new Selector(List.of(new Selector.Requirement("bgp", Selector.Operator.NOT_IN, List.of("off")))))
                .peer();
        assertThat(NodeRoutes.peers(
                        "a",
                        new OwnNode(new TreeMap<>(Map.of("bgp", "off")), List.of(), List.of()),
                        Map.of(),
                        List.of(),
                        Map.of(),
                        List.of(ReadPeer.of(peer))))
                .isEmpty();
        assertThat(NodeRoutes.peers("a", own(), Map.of(), List.of(), Map.of(), List.of(ReadPeer.of(peer))))
                .containsOnlyKeys("router");
    }

    private static String fault(@Nullable PeerVerdict verdict) {
        return ((PeerVerdict.Unusable) Objects.requireNonNull(verdict)).why();
    }

    @Test
    void peerWithTheNodesOwnAddress_isUnusableThere_andSaysWhatToDo() {
        assertThat(fault(peers(Map.of(), peer("router", "192.0.2.1")).get("router")))
                .isEqualTo(
                        "peerAddress 192.0.2.1 is an address of node a itself; write the router's, or leave the node out"
                                + " by nodeSelector");
    }

    @Test
    void ofTwoPeersWithOneAddress_theOlderCounts() {
        SequencedMap<String, PeerVerdict> both = peers(
                Map.of(),
                sample("a", "192.0.2.254")
                        .created("2026-01-02T00:00:00Z")
                        .families(IpFamily.IPV4)
                        .peer(),
                sample("b", "192.0.2.254").families(IpFamily.IPV4).peer());
        assertThat(both.get("b")).isInstanceOf(PeerVerdict.Session.class);
        assertThat(fault(both.get("a")))
                .isEqualTo("BGPPeer \"b\" is older and has peerAddress 192.0.2.254, too; remove one");
    }

    @Test
    void secretThatIsMissing_isSaid_andItsPasswordIsTaken_butNeverShown() {
        BgpPeer peer = sample("router", "192.0.2.254")
                .password("router-md5")
                .families(IpFamily.IPV4)
                .peer();
        assertThat(fault(peers(Map.of(), peer).get("router")))
                .isEqualTo(
                        "Secret \"router-md5\" is missing, or has no key password; create it in the agents' namespace");
        PeerVerdict usable = Objects.requireNonNull(
                peers(Map.of("router-md5", "s3cret"), peer).get("router"));
        assertThat(((PeerVerdict.Session) usable).password()).isEqualTo("s3cret");
        assertThat(usable.toString()).doesNotContain("s3cret");
    }

    @Test
    void peerThatCannotBeRead_isUnusable_andDisturbsNoOther() {
        SequencedMap<String, PeerVerdict> both = NodeRoutes.peers(
                "a",
                own(),
                Map.of(),
                List.of(),
                Map.of(),
                List.of(
                        new ReadPeer(
                                "odd", "", Optional.empty(), "peerASN is 0; it must be a number from 1 to 4294967295"),
                        ReadPeer.of(peer("router", "192.0.2.254"))));
        assertThat(fault(both.get("odd"))).isEqualTo("peerASN is 0; it must be a number from 1 to 4294967295");
        assertThat(both.get("router")).isInstanceOf(PeerVerdict.Session.class);
    }

    @Test
    void nodeWithoutIpv4Address_announcesIpv4_toPeersThatTakeItsIpv6Address_alone() {
        BgpPeer takes = sample("takes", "192.0.2.253").ipv6NextHops().peer();
        SequencedMap<String, PeerVerdict> sessions = peers(Map.of(), takes, peer("router", "192.0.2.254"));
        NodeRoutes node = new NodeRoutes(
                "a", alone(Optional.of(NodeFacts.FIT)), new TreeMap<>(Map.of(IpFamily.IPV6, NODE6)), sessions);
        Route route = route(node, asked(ADDRESS, false, List.of("a"), List.of()));
        assertThat(route.nextHop()).isEqualTo(NODE6);
        assertThat(route.peers()).containsExactly("takes");
        assertThat(reason(
                        new NodeRoutes(
                                "a",
                                alone(Optional.of(NodeFacts.FIT)),
                                new TreeMap<>(Map.of(IpFamily.IPV6, NODE6)),
                                peers(Map.of(), peer("router", "192.0.2.254"))),
                        asked(ADDRESS, false, List.of("a"), List.of())))
                .isEqualTo(NotAnnouncedReason.NO_NEXT_HOP);
    }

    @Test
    void peerThatIsToHaveIpv6NextHops_isUnusableForANodeWithoutIpv6Address() {
        SequencedMap<String, PeerVerdict> verdicts = NodeRoutes.peers(
                "a",
                own(NODE),
                Map.of(),
                List.of(),
                Map.of(),
                List.of(ReadPeer.of(
                        sample("router", "192.0.2.254").ipv6NextHops().peer())));
        assertThat(verdicts)
                .containsValue(new PeerVerdict.Unusable(
                        "ipv4NextHop is IPv6, and node a has no IPv6 InternalIP; leave the node out by nodeSelector"));
    }

    @Test
    void ipv6AddressThatIsNoInternalIp_isNoNextHop() {
        OwnNode own = new OwnNode(new TreeMap<>(), List.of(NODE), List.of(NODE, NODE6));
        List<ReadPeer> all = List.of(
                ReadPeer.of(sample("router", "192.0.2.254").ipv6NextHops().peer()));
        assertThat(fault(NodeRoutes.peers("a", own, Map.of(), List.of(), Map.of(), all)
                        .get("router")))
                .contains("no IPv6 InternalIP");
    }

    @Test
    void addressesOfOneNetwork_areOneRoute_forThePeersOfAll() {
        Prefix network = Prefix.of(ADDRESS, 28);
        Route first = new Route(network, NODE, List.of("b"), List.of(), Optional.of(7L));
        Route second = new Route(network, NODE, List.of("a", "b"), List.of(), Optional.empty());
        Route alone = new Route(ADDRESS6, NODE6, List.of("a"), List.of(), Optional.empty());
        assertThat(Route.merged(List.of(first, second, alone)))
                .containsExactly(new Route(network, NODE, List.of("a", "b"), List.of(), Optional.of(7L)), alone);
        assertThat(new RouteVerdict.Announces(first).sentence())
                .isEqualTo("announced by BGP to b; next hop 192.0.2.1, as 203.0.113.0/28");
    }
}
