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
 * What one node announces by BGP: each node that can deliver what is sent to an address announces it, and asks no other.
 *
 * @param node its name
 * @param facts of its Node object; absent: there is none
 * @param nextHops its own address of each family that it has one of
 * @param peers by name
 */
public record NodeRoutes(
        String node,
        Optional<NodeFacts> facts,
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
     * @param labels of the Node
     * @param addresses all of the Node
     * @param passwords by the names of the Secrets that have them
     * @param foreign source addresses that the node does not have
     */
    public static SequencedMap<String, PeerVerdict> peers(
            String node,
            Map<String, String> labels,
            List<Ip> addresses,
            Map<String, String> passwords,
            List<Ip> foreign,
            List<ReadPeer> all) {
        SequencedMap<String, PeerVerdict> verdicts = new TreeMap<>();
        Map<Ip, String> older = new HashMap<>();
        all.stream()
                .sorted(Comparator.comparing(ReadPeer::created).thenComparing(ReadPeer::name))
                .filter(one -> one.peer().map(peer -> peer.isFor(labels)).orElse(true))
                .forEach(one -> verdicts.put(
                        one.name(),
                        one.peer()
                                .map(peer -> verdict(node, addresses, passwords, foreign, older, peer))
                                .orElseGet(() -> new PeerVerdict.Unusable(one.fault()))));
        return verdicts;
    }

    private static PeerVerdict verdict(
            String node,
            List<Ip> addresses,
            Map<String, String> passwords,
            List<Ip> foreign,
            Map<Ip, String> older,
            BgpPeer peer) {
        if (addresses.contains(peer.address())) {
            return new PeerVerdict.Unusable(
                    "peerAddress %s is an address of node %s itself; write the router's, or leave"
                                    .formatted(peer.address(), node)
                            + " the node out by nodeSelector");
        }
        String other = older.putIfAbsent(peer.address(), peer.name());
        if (other != null) {
            return new PeerVerdict.Unusable(
                    "BGPPeer \"%s\" is older and has peerAddress %s, too; remove one".formatted(other, peer.address()));
        }
        if (peer.hasIpv6NextHops() && addresses.stream().noneMatch(address -> address.family() == IpFamily.IPV6)) {
            return new PeerVerdict.Unusable(
                    "ipv4NextHop is IPv6, and node %s has no IPv6 address; leave the node out by nodeSelector"
                            .formatted(node));
        }
        Optional<Ip> source = peer.source().filter(foreign::contains);
        if (source.isPresent()) {
            return new PeerVerdict.Unusable(
                    "sourceAddress %s is no address of node %s; write one that it has, or leave the node out by nodeSelector"
                            .formatted(source.orElseThrow(), node));
        }
        return peer.password()
                .map(secret -> withPassword(peer, secret, passwords.getOrDefault(secret, "")))
                .orElseGet(() -> new PeerVerdict.Session(peer, ""));
    }

    private static PeerVerdict withPassword(BgpPeer peer, String secret, String password) {
        if (password.isEmpty()) {
            return new PeerVerdict.Unusable(
                    "Secret \"%s\" is missing, or has no key password; create it in the agents' namespace"
                            .formatted(secret));
        }
        int bytes = password.getBytes(StandardCharsets.UTF_8).length;
        return bytes <= LONGEST_PASSWORD
                ? new PeerVerdict.Session(peer, password)
                : new PeerVerdict.Unusable("the password of Secret \"%s\" has %d bytes; TCP MD5 takes %d at most"
                        .formatted(secret, bytes, LONGEST_PASSWORD));
    }

    /** Those that the node has sessions with. */
    public List<PeerVerdict.Session> sessions() {
        return peers.values().stream()
                .flatMap(
                        verdict -> verdict instanceof PeerVerdict.Session session ? Stream.of(session) : Stream.empty())
                .toList();
    }

    /** Whether the node announces an address. */
    public RouteVerdict verdict(AskedRoute asked) {
        Optional<Reason> objection = facts.map(NodeFacts::objection)
                .orElse(Optional.of(Reason.NODE_UNKNOWN))
                .or(() -> asked.objection(node));
        if (objection.isPresent()) {
            return new RouteVerdict.Silent(objection.get());
        }
        IpFamily family = asked.address().family();
        Ip own = nextHops.get(family);
        Ip nextHop = own == null ? nextHops.get(IpFamily.IPV6) : own;
        if (nextHop == null) {
            return new RouteVerdict.Silent(Reason.NO_NEXT_HOP);
        }
        List<String> told = sessions().stream()
                .map(PeerVerdict.Session::peer)
                .filter(peer -> (own != null || peer.hasIpv6NextHops())
                        && peer.families().contains(family)
                        && asked.parameters().allows(peer))
                .map(BgpPeer::name)
                .toList();
        return told.isEmpty()
                ? new RouteVerdict.Silent(own == null ? Reason.NO_NEXT_HOP : Reason.NO_PEER)
                : new RouteVerdict.Announces(new Route(
                        asked.parameters().prefix(asked.address()),
                        nextHop,
                        told,
                        asked.parameters().communities(),
                        asked.parameters().localPref()));
    }
}
