package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What one node announces by BGP: each node that can deliver what is sent to an address announces it, and asks no other; but
 * one that is about to leave the cluster leaves it to the others.
 *
 * @param node its name
 * @param situation the Nodes, and the agents that live: needed of a node that is about to leave alone
 * @param nextHops its own address of each family that it has one of
 * @param peers by name
 */
public record NodeRoutes(
        String node,
        NodesAndAgents situation,
        SequencedMap<IpFamily, Ip> nextHops,
        SequencedMap<String, PeerVerdict> peers) {
    /** Of Linux' TCP_MD5SIG, in bytes. */
    private static final int LONGEST_PASSWORD = 80;

    public NodeRoutes {
        nextHops = Collections.unmodifiableSequencedMap(new TreeMap<>(nextHops));
        peers = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(peers));
    }

    /**
     * Which of the peers that select a node it has a session with.
     *
     * @param passwords by the names of the Secrets that have them
     * @param foreign source addresses that the node does not have
     * @param links by the name of the interface, those that peers are on and that the node has
     */
    public static SequencedMap<String, PeerVerdict> peers(
            String node,
            OwnNode own,
            Map<String, String> passwords,
            List<Ip> foreign,
            Map<String, PeerLink> links,
            List<ReadPeer> all) {
        SequencedMap<String, PeerVerdict> verdicts = new TreeMap<>();
        Map<BgpPeer.Router, String> older = new HashMap<>();
        all.stream()
                .sorted(Comparator.comparing(ReadPeer::created).thenComparing(ReadPeer::name))
                .filter(one -> one.peer().map(peer -> peer.isFor(own.labels())).orElse(true))
                .forEach(one -> verdicts.put(
                        one.name(),
                        one.peer()
                                .map(peer -> verdict(node, own, passwords, foreign, links, older, peer))
                                .orElseGet(() -> new PeerVerdict.Unusable(one.fault()))));
        return verdicts;
    }

    private static PeerVerdict verdict(
            String node,
            OwnNode own,
            Map<String, String> passwords,
            List<Ip> foreign,
            Map<String, PeerLink> links,
            Map<BgpPeer.Router, String> older,
            BgpPeer peer) {
        return switch (peer.router()) {
            case BgpPeer.Router.AtAddress(Ip address)
            when own.all().contains(address) ->
                new PeerVerdict.Unusable("peerAddress %s is an address of node %s itself; write the router's, or leave"
                                .formatted(address, node)
                        + " the node out by nodeSelector");
            case BgpPeer.Router.AtAddress(Ip address) ->
                twice(older, peer, "peerAddress " + address)
                        .orElseGet(() -> atAddress(node, own, passwords, foreign, peer, address));
            case BgpPeer.Router.OnInterface(String name) ->
                twice(older, peer, "peerInterface " + name)
                        .orElseGet(
                                () -> onInterface(node, passwords, Optional.ofNullable(links.get(name)), peer, name));
        };
    }

    /** That an older peer has the same router; absent: none has. */
    private static Optional<PeerVerdict> twice(Map<BgpPeer.Router, String> older, BgpPeer peer, String field) {
        return Optional.ofNullable(older.putIfAbsent(peer.router(), peer.name()))
                .map(other -> new PeerVerdict.Unusable(
                        "BGPPeer \"%s\" is older and has %s, too; remove one".formatted(other, field)));
    }

    private static PeerVerdict atAddress(
            String node, OwnNode own, Map<String, String> passwords, List<Ip> foreign, BgpPeer peer, Ip address) {
        if (peer.hasIpv6NextHops()
                && own.addresses().stream().noneMatch(internal -> internal.family() == IpFamily.IPV6)) {
            return new PeerVerdict.Unusable(
                    "ipv4NextHop is IPv6, and node %s has no IPv6 InternalIP; leave the node out by nodeSelector"
                            .formatted(node));
        }
        Optional<Ip> source = peer.source().filter(foreign::contains);
        if (source.isPresent()) {
            return new PeerVerdict.Unusable(
                    "sourceAddress %s is not an address of node %s; write one that it has, or leave the node out by nodeSelector"
                            .formatted(source.orElseThrow(), node));
        }
        return session(peer, passwords, new Neighbour(address, ""), Optional.empty());
    }

    private static PeerVerdict onInterface(
            String node, Map<String, String> passwords, Optional<PeerLink> link, BgpPeer peer, String name) {
        if (link.isEmpty()) {
            return new PeerVerdict.Unusable(
                    "node %s has no interface %s, or it is down; write one that it has as peerInterface, or leave the node out by nodeSelector"
                            .formatted(node, name));
        }
        if (link.get().own().isEmpty()) {
            return new PeerVerdict.Unusable(
                    "peerInterface %s of node %s has no link-local address; enable IPv6 on it, or leave the node out by nodeSelector"
                            .formatted(name, node));
        }
        List<Ip> routers = link.get().routers();
        if (routers.size() > 1) {
            return new PeerVerdict.Unusable(
                    "there are %d routers on peerInterface %s of node %s, like %s and %s; name one by its address as peerAddress"
                            .formatted(routers.size(), name, node, routers.get(0), routers.get(1)));
        }
        return routers.isEmpty()
                ? new PeerVerdict.Unheard(
                        "no router has been heard on %s; it must send router advertisements there".formatted(name))
                : session(
                        peer,
                        passwords,
                        new Neighbour(routers.getFirst(), name),
                        link.get().own());
    }

    private static PeerVerdict session(
            BgpPeer peer, Map<String, String> passwords, Neighbour router, Optional<Ip> own) {
        return peer.password()
                .flatMap(secret -> unusable(secret, passwords.getOrDefault(secret, "")))
                .orElseGet(() -> new PeerVerdict.Session(
                        peer,
                        peer.password()
                                .map(secret -> passwords.getOrDefault(secret, ""))
                                .orElse(""),
                        router,
                        own));
    }

    /** Why the password of a Secret cannot be used; absent: it can. */
    private static Optional<PeerVerdict> unusable(String secret, String password) {
        if (password.isEmpty()) {
            return Optional.of(new PeerVerdict.Unusable(
                    "Secret \"%s\" is missing, or has no key password; create it in the agents' namespace"
                            .formatted(secret)));
        }
        int bytes = password.getBytes(StandardCharsets.UTF_8).length;
        return bytes <= LONGEST_PASSWORD
                ? Optional.empty()
                : Optional.of(
                        new PeerVerdict.Unusable("the password of Secret \"%s\" has %d bytes; TCP MD5 takes %d at most"
                                .formatted(secret, bytes, LONGEST_PASSWORD)));
    }

    /** Those that the node has sessions with. */
    public List<PeerVerdict.Session> sessions() {
        return peers.values().stream()
                .flatMap(
                        verdict -> verdict instanceof PeerVerdict.Session session ? Stream.of(session) : Stream.empty())
                .toList();
    }

    /**
     * By their names, the peers whose routers several nodes may have a session with, and the families that this node has a next
     * hop of for them: what it announces to one of them, another node need not. Routers of peers on an interface are each node's
     * own.
     */
    public SequencedMap<String, List<IpFamily>> shared() {
        SequencedMap<String, List<IpFamily>> shared = new TreeMap<>();
        sessions().stream()
                .filter(session -> session.peer().router() instanceof BgpPeer.Router.AtAddress)
                .forEach(session -> shared.put(
                        session.peer().name(),
                        session.peer().families().stream()
                                .filter(family -> hasNextHop(session, family))
                                .toList()));
        return shared;
    }

    private boolean hasNextHop(PeerVerdict.Session session, IpFamily family) {
        return nextHops.containsKey(family) || session.own().isPresent() || takesIpv6(session.peer());
    }

    private boolean takesIpv6(BgpPeer peer) {
        return peer.hasIpv6NextHops() && nextHops.containsKey(IpFamily.IPV6);
    }

    /** Whether the node announces an address. */
    public RouteVerdict verdict(DesiredRoute asked) {
        Optional<NodeFacts> facts = Optional.ofNullable(situation.nodes().get(node));
        Optional<NotAnnouncedReason> objection = facts.map(NodeFacts::objection)
                .orElse(Optional.of(NotAnnouncedReason.NODE_UNKNOWN))
                .or(() -> asked.objection(node));
        if (objection.isPresent()) {
            return new RouteVerdict.Silent(objection.get());
        }
        IpFamily family = asked.address().family();
        Ip own = nextHops.get(family);
        Optional<Ip> nextHop = Optional.ofNullable(own)
                .or(() -> Optional.ofNullable(nextHops.get(IpFamily.IPV6)))
                .or(() -> sessions().stream()
                        .flatMap(session -> session.own().stream())
                        .findFirst());
        if (nextHop.isEmpty()) {
            return new RouteVerdict.Silent(NotAnnouncedReason.NO_NEXT_HOP);
        }
        List<String> told = sessions().stream()
                .filter(session -> hasNextHop(session, family))
                .map(PeerVerdict.Session::peer)
                .filter(peer ->
                        peer.families().contains(family) && asked.parameters().allows(peer))
                .map(BgpPeer::name)
                .toList();
        if (told.isEmpty()) {
            return new RouteVerdict.Silent(own == null ? NotAnnouncedReason.NO_NEXT_HOP : NotAnnouncedReason.NO_PEER);
        }
        List<String> left = facts.filter(NodeFacts::leaving).isEmpty()
                ? told
                : told.stream()
                        .filter(peer -> !situation.isAnnouncedByStayingNode(peer, asked))
                        .toList();
        return left.isEmpty()
                ? new RouteVerdict.Silent(NotAnnouncedReason.NODE_LEAVING)
                : new RouteVerdict.Announces(new Route(
                        asked.parameters().prefix(asked.address()),
                        nextHop.get(),
                        left,
                        asked.parameters().communities(),
                        asked.parameters().localPref()));
    }
}
