package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Selector;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/** A {@link BgpPeer} for tests: a neighbour in another autonomous system, for all nodes and IPv4. */
public final class BgpPeerSample {
    private final String name;
    private final BgpPeer.Router router;
    private String created = "";
    private SequencedMap<String, String> labels = new TreeMap<>();
    private int port = 179;
    private long peerAsn = 64512;
    private long myAsn = 64513;
    private Optional<String> password = Optional.empty();
    private Selector nodes = Selector.EVERYTHING;
    private BgpPeer.Timers timers = new BgpPeer.Timers(90, 30, 5);
    private Optional<Integer> multihop = Optional.empty();
    private List<IpFamily> families = List.of(IpFamily.IPV4);
    private int gracefulRestart = 30;
    private Optional<Ip> source = Optional.empty();
    private boolean hasIpv6NextHops;

    public BgpPeerSample(String name, String address) {
        this(name, new BgpPeer.Router.AtAddress(Ip.parse(address)));
    }

    private BgpPeerSample(String name, BgpPeer.Router router) {
        this.name = name;
        this.router = router;
    }

    /** An unnumbered one, of both families. */
    public static BgpPeerSample onInterface(String name, String networkInterface) {
        return new BgpPeerSample(name, new BgpPeer.Router.OnInterface(networkInterface)).ipv6NextHops();
    }

    /** With a router that has an address. */
    public static PeerVerdict.Session session(BgpPeer peer, String password) {
        Ip address = ((BgpPeer.Router.AtAddress) peer.router()).address();
        return new PeerVerdict.Session(peer, password, new Neighbour(address, ""), Optional.empty());
    }

    BgpPeerSample created(String time) {
        created = time;
        return this;
    }

    BgpPeerSample label(String key, String value) {
        labels = new TreeMap<>(Map.of(key, value));
        return this;
    }

    public BgpPeerSample port(int number) {
        port = number;
        return this;
    }

    public BgpPeerSample asns(long ofRouter, long own) {
        peerAsn = ofRouter;
        myAsn = own;
        return this;
    }

    public BgpPeerSample password(String secret) {
        password = Optional.of(secret);
        return this;
    }

    BgpPeerSample nodes(Selector selector) {
        nodes = selector;
        return this;
    }

    public BgpPeerSample timers(int hold, int keepalive, int connectRetry) {
        timers = new BgpPeer.Timers(hold, keepalive, connectRetry);
        return this;
    }

    public BgpPeerSample multihop(int ttl) {
        multihop = Optional.of(ttl);
        return this;
    }

    public BgpPeerSample families(IpFamily... all) {
        families = List.of(all);
        return this;
    }

    public BgpPeerSample gracefulRestart(int seconds) {
        gracefulRestart = seconds;
        return this;
    }

    public BgpPeerSample source(String ip) {
        source = Optional.of(Ip.parse(ip));
        return this;
    }

    /** Of both families. */
    public BgpPeerSample ipv6NextHops() {
        hasIpv6NextHops = true;
        return families(IpFamily.IPV4, IpFamily.IPV6);
    }

    public BgpPeer peer() {
        return new BgpPeer(
                name,
                created,
                labels,
                router,
                port,
                peerAsn,
                myAsn,
                password,
                nodes,
                timers,
                multihop,
                families,
                gracefulRestart,
                source,
                hasIpv6NextHops);
    }
}
