package dev.berth.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.agent.bgp.v1.Attribute;
import dev.berth.agent.bgp.v1.Capability;
import dev.berth.agent.bgp.v1.ExtendedNexthopCapability;
import dev.berth.agent.bgp.v1.ExtendedNexthopCapabilityTuple;
import dev.berth.agent.bgp.v1.Family;
import dev.berth.agent.bgp.v1.LargeCommunity;
import dev.berth.agent.bgp.v1.MultiProtocolCapability;
import dev.berth.agent.bgp.v1.Path;
import dev.berth.agent.bgp.v1.Peer;
import dev.berth.agent.bgp.v1.PeerState;
import dev.berth.agent.bgp.v1.Policy;
import dev.berth.agent.bgp.v1.SetPoliciesRequest;
import dev.berth.agent.bgp.v1.Statement;
import dev.berth.announce.BgpPeer;
import dev.berth.announce.BgpPeerSample;
import dev.berth.announce.Community;
import dev.berth.announce.Neighbour;
import dev.berth.announce.PeerVerdict.Session;
import dev.berth.announce.Prefix;
import dev.berth.announce.Route;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the speaker is told. */
class MessagesTest {
    private static final long HIGHEST = 4_294_967_295L;

    private static BgpPeerSample sample(String name, long myAsn, int gracefulRestart) {
        return new BgpPeerSample(name, "192.0.2.254")
                .port(1790)
                .asns(HIGHEST, myAsn)
                .timers(9, 3, 2)
                .multihop(4)
                .gracefulRestart(gracefulRestart)
                .source("192.0.2.1");
    }

    private static BgpPeer peer(String name, long myAsn, int gracefulRestart) {
        return sample(name, myAsn, gracefulRestart).peer();
    }

    private static Route route(Ip address, List<String> peers, Community... communities) {
        return new Route(address, Ip.parse("192.0.2.1"), peers, List.of(communities), Optional.of(HIGHEST));
    }

    private static Stream<LargeCommunity> large(Route route) {
        return Messages.path(route).getPattrsList().stream()
                .filter(Attribute::hasLargeCommunities)
                .flatMap(attribute -> attribute.getLargeCommunities().getCommunitiesList().stream());
    }

    @Test
    void peer_hasNumbersOf32Bits_andItsTimers() {
        Peer peer = Messages.peer(BgpPeerSample.session(peer("router", 64512, 30), "s3cret"), true);
        assertThat(Integer.toUnsignedLong(peer.getConf().getPeerAsn())).isEqualTo(HIGHEST);
        assertThat(peer.getConf().getAuthPassword()).isEqualTo("s3cret");
        assertThat(peer.getTimers().getConfig().getHoldTime()).isEqualTo(9);
        assertThat(peer.getTransport().getRemotePort()).isEqualTo(1790);
        assertThat(peer.getTransport().getLocalAddress()).isEqualTo("192.0.2.1");
        assertThat(peer.getEbgpMultihop().getMultihopTtl()).isEqualTo(4);
        assertThat(peer.getAfiSafisList())
                .singleElement()
                .satisfies(family ->
                        assertThat(family.getConfig().getFamily().getAfi()).isEqualTo(1));
    }

    @Test
    void routerThatKeepsRoutes_isNotifiedOfARestart_andNoOther() {
        assertThat(Messages.peer(BgpPeerSample.session(peer("router", 64512, 30), ""), true)
                        .getGracefulRestart()
                        .getLocalRestarting())
                .isTrue();
        assertThat(Messages.peer(BgpPeerSample.session(peer("router", 64512, 30), ""), false)
                        .getGracefulRestart()
                        .getLocalRestarting())
                .isFalse();
        assertThat(Messages.peer(BgpPeerSample.session(peer("router", 64512, 0), ""), true)
                        .getGracefulRestart()
                        .getEnabled())
                .isFalse();
    }

    /** Else a session that is up would go on with the routes of the one before: rules are applied to news only. */
    @Test
    void peerOfAnotherName_atTheSameAddress_isAnotherPeer() {
        assertThat(Messages.peer(BgpPeerSample.session(peer("east", 64512, 30), ""), false)
                        .getConf()
                        .getDescription())
                .isEqualTo("east");
        assertThat(Messages.peer(BgpPeerSample.session(peer("east", 64512, 30), ""), false))
                .isNotEqualTo(Messages.peer(BgpPeerSample.session(peer("west", 64512, 30), ""), false));
    }

    private static Capability has(int afi) {
        return Capability.newBuilder()
                .setMultiProtocol(MultiProtocolCapability.newBuilder()
                        .setFamily(Family.newBuilder().setAfi(afi).setSafi(1)))
                .build();
    }

    @Test
    void familiesOfASession_areThoseOfBothSides_andIPv4OfARouterThatNamesNone() {
        BgpPeer both = peer("router", 64512, 30);
        assertThat(Messages.negotiated(both, PeerState.getDefaultInstance())).containsExactly(IpFamily.IPV4);
        assertThat(Messages.negotiated(
                        both, PeerState.newBuilder().addRemoteCap(has(2)).build()))
                .doesNotContain(IpFamily.IPV4);
        assertThat(Messages.negotiated(
                        both,
                        PeerState.newBuilder()
                                .addRemoteCap(Capability.getDefaultInstance())
                                .addRemoteCap(has(1))
                                .build()))
                .containsExactly(IpFamily.IPV4);
    }

    @Test
    void routerThatDoesNotTakeIpv6NextHops_isNotifiedOfNoIpv4RouteThatHasOne() {
        BgpPeer peer = sample("router", 64512, 30).ipv6NextHops().peer();
        PeerState both =
                PeerState.newBuilder().addRemoteCap(has(1)).addRemoteCap(has(2)).build();
        assertThat(Messages.negotiated(peer, both)).containsExactly(IpFamily.IPV6);
        PeerState takes = both.toBuilder()
                .addRemoteCap(Capability.newBuilder()
                        .setExtendedNexthop(ExtendedNexthopCapability.newBuilder()
                                .addTuples(ExtendedNexthopCapabilityTuple.newBuilder()
                                        .setNlriFamily(Messages.family(IpFamily.IPV4))
                                        .setNexthopFamily(Family.newBuilder().setAfi(2)))))
                .build();
        assertThat(Messages.negotiated(peer, takes)).containsExactly(IpFamily.IPV4, IpFamily.IPV6);
    }

    @Test
    void ipv4Routes_haveTheIpv6NextHop_forThePeersThatAreToHaveIt_andOnceOnlyAccepted() {
        Ip nextHop = Ip.parse("2001:db8::1");
        List<Session> sessions = List.of(
                BgpPeerSample.session(sample("east", 64512, 30).ipv6NextHops().peer(), ""),
                BgpPeerSample.session(peer("west", 64512, 30), ""));
        assertThat(Messages.rules(sessions, Optional.of(nextHop)).getPolicies(0).getStatementsList())
                .extracting(
                        Statement::getName,
                        statement -> statement.getActions().getNexthop().getAddress(),
                        statement -> statement.getConditions().getAfiSafiInCount())
                .containsExactly(
                        tuple("by-ipv6-for-east", "2001:db8::1", 1),
                        tuple("for-east", "", 0),
                        tuple("for-west", "", 0));
        // A session that is up would go on with the next hops of before.
        assertThat(Messages.peer(sessions.getFirst(), false).getConf().getDescription())
                .isNotEqualTo("east");
    }

    @Test
    void ruleOfAPeer_hasANameOfItsOwn_whateverOtherPeersAreNamed() {
        List<Session> sessions = Stream.of("tor", "tor-by-ipv6", "by-ipv6-for-tor")
                .map(name -> BgpPeerSample.session(
                        sample(name, 64512, 30).ipv6NextHops().peer(), ""))
                .toList();
        assertThat(Messages.rules(sessions, Optional.of(Ip.parse("2001:db8::1")))
                        .getPolicies(0)
                        .getStatementsList())
                .extracting(Statement::getName)
                .hasSize(6)
                .doesNotHaveDuplicates();
    }

    @Test
    void peerOnAnInterface_isConnectedToThere_andHearsItsNextHopOfBothFamilies() {
        Session session = new Session(
                BgpPeerSample.onInterface("spine", "eth1").peer(),
                "",
                Neighbour.find("fe80::1%eth1").orElseThrow(),
                Optional.of(Ip.parse("fe80::a")));
        Peer peer = Messages.peer(session, false);
        assertThat(peer.getConf().getNeighborAddress()).isEqualTo("fe80::1%eth1");
        assertThat(peer.getTransport().getLocalAddress()).isEqualTo("fe80::a%eth1");
        SetPoliciesRequest rules = Messages.rules(List.of(session), Optional.of(Ip.parse("2001:db8::1")));
        assertThat(rules.getPolicies(0).getStatementsList())
                .extracting(
                        Statement::getName,
                        statement -> statement.getActions().getNexthop().getSelf(),
                        statement -> statement.getConditions().getAfiSafiInCount())
                .containsExactly(tuple("for-spine", true, 0));
        assertThat(rules.getDefinedSetsList())
                .filteredOn(set -> set.getName().equals("to-spine"))
                .singleElement()
                .satisfies(set -> assertThat(set.getListList()).containsExactly("fe80::1/128"));
    }

    @Test
    void nextHopOfTheOtherFamily_isInMpReach() {
        Path path = Messages.path(new Route(
                Ip.parse("203.0.113.1"), Ip.parse("2001:db8::1"), List.of("router"), List.of(), Optional.empty()));
        assertThat(path.getPattrsList())
                .noneMatch(Attribute::hasNextHop)
                .anySatisfy(attribute ->
                        assertThat(attribute.getMpReach().getNextHopsList()).containsExactly("2001:db8::1"));
    }

    @Test
    void aggregate_hasItsLength() {
        Path path = Messages.path(new Route(
                Prefix.of(Ip.parse("203.0.113.9"), 28),
                Ip.parse("192.0.2.1"),
                List.of("router"),
                List.of(),
                Optional.empty()));
        assertThat(path.getNlri().getPrefix().getPrefix()).isEqualTo("203.0.113.0");
        assertThat(path.getNlri().getPrefix().getPrefixLen()).isEqualTo(28);
    }

    @Test
    void internalPeer_hasNoMultihop() {
        assertThat(Messages.peer(BgpPeerSample.session(peer("router", HIGHEST, 30), ""), false)
                        .getEbgpMultihop()
                        .getEnabled())
                .isFalse();
    }

    @Test
    void route_isASingleAddress_withItsCommunities() {
        Path path = Messages.path(route(
                Ip.parse("203.0.113.1"),
                List.of("router"),
                new Community(List.of(65535L, 65281L)),
                new Community(List.of(64512L, 1L, HIGHEST))));
        assertThat(path.getNlri().getPrefix().getPrefixLen()).isEqualTo(32);
        assertThat(path.getIsWithdraw()).isFalse();
        assertThat(path.getPattrsList())
                .anySatisfy(attribute -> assertThat(attribute.getCommunities().getCommunitiesList())
                        .containsExactly(0xFFFFFF01))
                .anySatisfy(attribute ->
                        assertThat(attribute.getNextHop().getNextHop()).isEqualTo("192.0.2.1"));
        assertThat(large(route(Ip.parse("203.0.113.1"), List.of(), new Community(List.of(64512L, 1L, HIGHEST)))))
                .containsExactly(LargeCommunity.newBuilder()
                        .setGlobalAdmin(64512)
                        .setLocalData1(1)
                        .setLocalData2(-1)
                        .build());
        assertThat(Messages.withdrawal(Prefix.of(Ip.parse("2001:db8::1")))
                        .getNlri()
                        .getPrefix()
                        .getPrefixLen())
                .isEqualTo(128);
    }

    @Test
    void route_isAcceptedForThePeersOfIt_byAMarkThatIsTakenOff() {
        SetPoliciesRequest rules = Messages.rules(
                List.of(
                        BgpPeerSample.session(peer("east", 64512, 30), ""),
                        BgpPeerSample.session(peer("west", 64512, 30), "")),
                Optional.of(Ip.parse("2001:db8::1")));
        String mark = large(route(Ip.parse("203.0.113.1"), List.of("west")))
                .map(one -> "%s:%s:%s"
                        .formatted(
                                Integer.toUnsignedString(one.getGlobalAdmin()),
                                Integer.toUnsignedString(one.getLocalData1()),
                                Integer.toUnsignedString(one.getLocalData2())))
                .findFirst()
                .orElseThrow();
        assertThat(rules.getDefinedSetsList())
                .filteredOn(set -> set.getListList().contains("^" + mark + "$"))
                .singleElement()
                .satisfies(set -> assertThat(set.getName()).isEqualTo("for-west"));
        Policy export = rules.getPolicies(0);
        assertThat(export.getStatementsList())
                .hasSize(2)
                .allSatisfy(statement -> assertThat(
                                statement.getActions().getLargeCommunity().getCommunitiesList())
                        .allMatch(mark::matches));
    }
}
