package dev.berth.agent.bgp;

import dev.berth.agent.bgp.v1.Actions;
import dev.berth.agent.bgp.v1.AfiSafi;
import dev.berth.agent.bgp.v1.AfiSafiConfig;
import dev.berth.agent.bgp.v1.Attribute;
import dev.berth.agent.bgp.v1.Capability;
import dev.berth.agent.bgp.v1.CommunitiesAttribute;
import dev.berth.agent.bgp.v1.CommunityAction;
import dev.berth.agent.bgp.v1.Conditions;
import dev.berth.agent.bgp.v1.DefinedSet;
import dev.berth.agent.bgp.v1.DefinedType;
import dev.berth.agent.bgp.v1.EbgpMultihop;
import dev.berth.agent.bgp.v1.Family;
import dev.berth.agent.bgp.v1.GracefulRestart;
import dev.berth.agent.bgp.v1.IPAddressPrefix;
import dev.berth.agent.bgp.v1.LargeCommunitiesAttribute;
import dev.berth.agent.bgp.v1.LargeCommunity;
import dev.berth.agent.bgp.v1.LocalPrefAttribute;
import dev.berth.agent.bgp.v1.MatchSet;
import dev.berth.agent.bgp.v1.MpGracefulRestart;
import dev.berth.agent.bgp.v1.MpGracefulRestartConfig;
import dev.berth.agent.bgp.v1.MpReachNLRIAttribute;
import dev.berth.agent.bgp.v1.NextHopAttribute;
import dev.berth.agent.bgp.v1.NexthopAction;
import dev.berth.agent.bgp.v1.Nlri;
import dev.berth.agent.bgp.v1.OriginAttribute;
import dev.berth.agent.bgp.v1.Path;
import dev.berth.agent.bgp.v1.Peer;
import dev.berth.agent.bgp.v1.PeerConf;
import dev.berth.agent.bgp.v1.PeerState;
import dev.berth.agent.bgp.v1.Policy;
import dev.berth.agent.bgp.v1.RouteAction;
import dev.berth.agent.bgp.v1.SetPoliciesRequest;
import dev.berth.agent.bgp.v1.Statement;
import dev.berth.agent.bgp.v1.Timers;
import dev.berth.agent.bgp.v1.TimersConfig;
import dev.berth.agent.bgp.v1.Transport;
import dev.berth.announce.BgpPeer;
import dev.berth.announce.Community;
import dev.berth.announce.Neighbour;
import dev.berth.announce.PeerVerdict.Session;
import dev.berth.announce.Prefix;
import dev.berth.announce.Rendezvous;
import dev.berth.announce.Route;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** From what is announced to GoBGP's messages. */
final class Messages {
    /** Of the rules by which peers are notified of routes. */
    static final String EXPORT = "berth-export";

    /** Of the rule by which routes are taken: also those that the agent makes. */
    static final String IMPORT = "berth-import";

    /**
     * For how long a speaker that was restarted waits for what its routers have to say before it says anything itself; in
     * seconds. A router that is away would be waited for without end.
     */
    private static final int DEFERRAL = 3;

    private static final int IPV4 = 1;
    private static final int IPV6 = 2;
    private static final int UNICAST = 1;

    /** IGP: it comes from here. */
    private static final OriginAttribute ORIGIN = OriginAttribute.getDefaultInstance();

    private Messages() {}

    static Family family(IpFamily family) {
        return Family.newBuilder()
                .setAfi(family == IpFamily.IPV4 ? IPV4 : IPV6)
                .setSafi(UNICAST)
                .build();
    }

    /** @param isRestarting whether the router may have kept routes of an earlier process */
    static Peer peer(Session session, boolean isRestarting) {
        BgpPeer peer = session.peer();
        boolean isGraceful = peer.gracefulRestart() > 0;
        Transport.Builder transport = Transport.newBuilder().setRemotePort(peer.port());
        session.own()
                .map(own -> new Neighbour(own, session.router().link()).toString())
                .or(() -> peer.source().map(Ip::toString))
                .ifPresent(transport::setLocalAddress);
        return Peer.newBuilder()
                .setConf(PeerConf.newBuilder()
                        .setNeighborAddress(session.router().toString())
                        // One of another name has a session of its own: what was told by the one before is not what
                        // this
                        // one is to hear.
                        .setDescription(peer.name() + (peer.hasIpv6NextHops() ? ", next hops by IPv6" : ""))
                        .setPeerAsn((int) peer.peerAsn())
                        .setLocalAsn((int) peer.myAsn())
                        .setAuthPassword(session.password()))
                .setEbgpMultihop(EbgpMultihop.newBuilder()
                        .setEnabled(peer.multihop().isPresent() && !peer.isInternal())
                        .setMultihopTtl(peer.isInternal() ? 0 : peer.multihop().orElse(0)))
                .setTimers(Timers.newBuilder()
                        .setConfig(TimersConfig.newBuilder()
                                .setHoldTime(peer.timers().hold())
                                .setKeepaliveInterval(peer.timers().keepalive())
                                .setConnectRetry(peer.timers().connectRetry())
                                .setIdleHoldTimeAfterReset(peer.timers().connectRetry())))
                .setTransport(transport)
                .setGracefulRestart(GracefulRestart.newBuilder()
                        .setEnabled(isGraceful)
                        .setRestartTime(peer.gracefulRestart())
                        .setDeferralTime(DEFERRAL)
                        .setLocalRestarting(isGraceful && isRestarting))
                .addAllAfiSafis(peer.families().stream()
                        .map(family -> AfiSafi.newBuilder()
                                .setConfig(AfiSafiConfig.newBuilder()
                                        .setFamily(family(family))
                                        .setEnabled(true))
                                .setMpGracefulRestart(MpGracefulRestart.newBuilder()
                                        .setConfig(MpGracefulRestartConfig.newBuilder()
                                                .setEnabled(isGraceful)))
                                .build())
                        .toList())
                .build();
    }

    /** The families that both sides of a session have. A router that names none has IPv4 (RFC 4760, 8). */
    static List<IpFamily> negotiated(BgpPeer peer, PeerState state) {
        List<Family> theirs = state.getRemoteCapList().stream()
                .filter(Capability::hasMultiProtocol)
                .map(one -> one.getMultiProtocol().getFamily())
                .toList();
        List<Family> known = theirs.isEmpty() ? List.of(family(IpFamily.IPV4)) : theirs;
        return peer.families().stream()
                .filter(family -> known.contains(family(family)))
                .filter(family -> family == IpFamily.IPV6 || !peer.hasIpv6NextHops() || takesIpv6NextHops(state))
                .toList();
    }

    /** For routes of IPv4 (RFC 8950). The speaker itself always says that it can. */
    private static boolean takesIpv6NextHops(PeerState state) {
        return state.getRemoteCapList().stream()
                .flatMap(one -> one.getExtendedNexthop().getTuplesList().stream())
                .anyMatch(tuple -> tuple.getNlriFamily().equals(family(IpFamily.IPV4))
                        && tuple.getNexthopFamily().getAfi() == IPV6);
    }

    static Path path(Route route) {
        Path.Builder path = withdrawal(route.prefix()).toBuilder().setIsWithdraw(false);
        path.addPattrs(Attribute.newBuilder().setOrigin(ORIGIN));
        String nextHop = route.nextHop().toString();
        path.addPattrs(
                route.nextHop().family() == IpFamily.IPV4
                        ? Attribute.newBuilder()
                                .setNextHop(NextHopAttribute.newBuilder().setNextHop(nextHop))
                        : Attribute.newBuilder()
                                .setMpReach(MpReachNLRIAttribute.newBuilder()
                                        .setFamily(path.getFamily())
                                        .addNextHops(nextHop)
                                        .addNlris(path.getNlri())));
        // Not sent to another autonomous system.
        route.localPref()
                .ifPresent(localPref -> path.addPattrs(Attribute.newBuilder()
                        .setLocalPref(LocalPrefAttribute.newBuilder().setLocalPref((int) localPref.longValue()))));
        List<Integer> communities = route.communities().stream()
                .filter(community -> !community.isLarge())
                .map(Community::parts)
                .map(parts -> (int) (parts.getFirst() << 16 | parts.getLast()))
                .toList();
        if (!communities.isEmpty()) {
            path.addPattrs(Attribute.newBuilder()
                    .setCommunities(CommunitiesAttribute.newBuilder().addAllCommunities(communities)));
        }
        path.addPattrs(Attribute.newBuilder()
                .setLargeCommunities(LargeCommunitiesAttribute.newBuilder()
                        .addAllCommunities(Stream.concat(
                                        route.communities().stream().filter(Community::isLarge),
                                        route.peers().stream().map(Messages::mark))
                                .map(Messages::large)
                                .toList())));
        return path.build();
    }

    /** What names a route, and nothing else of it. */
    static Path withdrawal(Prefix prefix) {
        return Path.newBuilder()
                // Else a next hop would be missing.
                .setIsWithdraw(true)
                .setFamily(family(prefix.network().family()))
                .setNlri(Nlri.newBuilder()
                        .setPrefix(IPAddressPrefix.newBuilder()
                                .setPrefix(prefix.network().toString())
                                .setPrefixLen(prefix.length())))
                .build();
    }

    private static LargeCommunity large(Community community) {
        List<Long> parts = community.parts();
        return LargeCommunity.newBuilder()
                .setGlobalAdmin((int) parts.get(0).longValue())
                .setLocalData1((int) parts.get(1).longValue())
                .setLocalData2((int) parts.get(2).longValue())
                .build();
    }

    /** Of the routes that a peer is notified of. It is taken off before. */
    private static Community mark(String peer) {
        long number = Rendezvous.rank("BGPPeer", peer);
        return new Community(List.of(Community.RESERVED, number >>> 32, number & 0xFFFF_FFFFL));
    }

    /**
     * A route goes to the peers that it is marked for, and to no other. What routers tell is not taken.
     *
     * @param ipv6 the next hop of IPv4 routes for the peers that are to have it; absent: the node has none
     */
    static SetPoliciesRequest rules(List<Session> sessions, Optional<Ip> ipv6) {
        SetPoliciesRequest.Builder rules = SetPoliciesRequest.newBuilder();
        Policy.Builder policy = Policy.newBuilder().setName(EXPORT);
        for (Session session : sessions) {
            String name = session.peer().name();
            // Without its zone: the set has none, and none is compared.
            Ip address = session.router().address();
            rules.addDefinedSets(DefinedSet.newBuilder()
                    .setDefinedType(DefinedType.DEFINED_TYPE_NEIGHBOR)
                    .setName("to-" + name)
                    .addList(address.network(address.family() == IpFamily.IPV4 ? 32 : 128)));
            rules.addDefinedSets(DefinedSet.newBuilder()
                    .setDefinedType(DefinedType.DEFINED_TYPE_LARGE_COMMUNITY)
                    .setName("for-" + name)
                    .addList("^"
                            + String.join(
                                    ":",
                                    mark(name).parts().stream()
                                            .map(String::valueOf)
                                            .toList()) + "$"));
            Statement statement = Statement.newBuilder()
                    .setName("for-" + name)
                    .setConditions(Conditions.newBuilder()
                            .setNeighborSet(any("to-" + name))
                            .setLargeCommunitySet(any("for-" + name)))
                    .setActions(Actions.newBuilder()
                            .setRouteAction(RouteAction.ROUTE_ACTION_ACCEPT)
                            .setLargeCommunity(CommunityAction.newBuilder()
                                    .setType(CommunityAction.Type.TYPE_REMOVE)
                                    .addCommunities("^" + Community.RESERVED + ":.*$")))
                    .build();
            // The first statement that accepts a route is the last.
            if (session.own().isPresent()) {
                policy.addStatements(by(statement, NexthopAction.newBuilder().setSelf(true)));
                continue;
            }
            ipv6.filter(_ -> isByIpv6(session)).ifPresent(nextHop -> policy.addStatements(byIpv6(statement, nextHop)));
            policy.addStatements(statement);
        }
        return rules.addPolicies(policy)
                .addPolicies(Policy.newBuilder()
                        .setName(IMPORT)
                        .addStatements(Statement.newBuilder()
                                .setName("own")
                                .setConditions(
                                        Conditions.newBuilder().setRouteType(Conditions.RouteType.ROUTE_TYPE_LOCAL))
                                .setActions(Actions.newBuilder().setRouteAction(RouteAction.ROUTE_ACTION_ACCEPT))))
                .build();
    }

    /** Whether its IPv4 routes have the node's IPv6 address as their next hop. */
    static boolean isByIpv6(Session session) {
        return session.own().isEmpty() && session.peer().hasIpv6NextHops();
    }

    private static Statement byIpv6(Statement statement, Ip nextHop) {
        return by(statement, NexthopAction.newBuilder().setAddress(nextHop.toString())).toBuilder()
                // Before the name: a peer of any name has another.
                .setName("by-ipv6-" + statement.getName())
                .setConditions(statement.getConditions().toBuilder().addAfiSafiIn(family(IpFamily.IPV4)))
                .build();
    }

    private static Statement by(Statement statement, NexthopAction.Builder nextHop) {
        return statement.toBuilder()
                .setActions(statement.getActions().toBuilder().setNexthop(nextHop))
                .build();
    }

    private static MatchSet any(String name) {
        return MatchSet.newBuilder()
                .setType(MatchSet.Type.TYPE_ANY)
                .setName(name)
                .build();
    }
}
