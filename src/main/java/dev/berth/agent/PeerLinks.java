package dev.berth.agent;

import dev.berth.announce.Neighbour;
import dev.berth.announce.PeerLink;
import dev.berth.host.Neighbours;
import dev.berth.host.RouterAdvertisements;
import dev.berth.ip.Ip;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The interfaces that peers are on, and the routers that are heard there. Routers are asked for, and learn that this node is
 * there. One thread, beside the one that hears.
 */
final class PeerLinks implements AutoCloseable {
    /** How often routers are asked; milliseconds. */
    private static final long EVERY = 10_000;

    /**
     * The same while none is known, and as long after one came, which may not have listened before; not more often than RFC
     * 4861, section 10, has it.
     */
    private static final long EVERY_AT_FIRST = 4_000;

    private static final long AT_FIRST = 30_000;

    private final Runnable changed;
    private final Warnings warnings;
    private final HeardRouters heard = new HeardRouters();

    /** When routers were asked last, by the name of the interface. */
    private final Map<String, Long> asked = new HashMap<>();

    /** The names of interfaces whose sessions of an agent before this one are known. */
    private final Set<String> adopted = new HashSet<>();

    /** The router that was the only one, by the name of the interface. */
    private final Map<String, OnlyRouter> only = new HashMap<>();

    /** The names of interfaces that were up when they were looked at last. */
    private Set<String> wereUp = Set.of();

    private @Nullable RouterAdvertisements listening;

    /** The routers that the speaker has sessions with: one may be up that an agent before this one began. */
    interface Sessions {
        List<Neighbour> routers() throws IOException;
    }

    /** @param changed called when a router is heard that was not: be quick */
    PeerLinks(Runnable changed, Warnings warnings) {
        this.changed = changed;
        this.warnings = warnings;
    }

    /**
     * Takes the routers that the speaker has sessions with for those of their interfaces.
     *
     * @param names of the interfaces that peers are on
     * @param sessions asked when one of these was not there before
     * @return why they cannot be asked for; until they can be, no session must be ended. Absent: they were, or need not be
     */
    Optional<IOException> adopt(List<String> names, Sessions sessions) {
        adopted.retainAll(names);
        only.keySet().retainAll(names);
        if (!adopted.containsAll(names)) {
            try {
                sessions.routers().forEach(router -> {
                    if (names.contains(router.link())) {
                        only.putIfAbsent(router.link(), new OnlyRouter(router.address(), millis()));
                    }
                });
            } catch (IOException failure) {
                return Optional.of(failure);
            }
            adopted.addAll(names);
        }
        return Optional.empty();
    }

    /** By their names, those of these that the node has, and that are up. */
    SequencedMap<String, PeerLink> look(List<String> names) throws IOException {
        SequencedMap<String, NetworkInterface> up = new TreeMap<>();
        for (String name : names) {
            NetworkInterface one = NetworkInterface.getByName(name);
            if (one != null && one.isUp()) {
                up.put(name, one);
            }
        }
        heard.listenTo(up.values().stream().map(NetworkInterface::getIndex).toList());
        asked.keySet().retainAll(names);
        up.keySet().stream()
                .filter(name -> !wereUp.contains(name))
                .forEach(name -> only.computeIfPresent(name, (_, known) -> new OnlyRouter(known.router(), millis())));
        wereUp = Set.copyOf(up.keySet());
        SequencedMap<String, PeerLink> links = new TreeMap<>();
        up.forEach((name, one) -> links.put(name, link(name, one)));
        return links;
    }

    private PeerLink link(String name, NetworkInterface one) {
        Optional<Ip> own = one.inetAddresses()
                .filter(address -> address instanceof Inet6Address && address.isLinkLocalAddress())
                .map(Ip::of)
                .findFirst();
        own.ifPresent(address -> ask(name, address));
        List<Ip> routers = heard.on(one.getIndex());
        OnlyRouter known = only.get(name);
        if (known != null && known.stays(routers, millis())) {
            // Who comes later, or says so, ends no session.
            routers = List.of(known.router());
        } else if (routers.size() == 1 && adopted.contains(name)) {
            only.put(name, new OnlyRouter(routers.getFirst(), millis()));
        }
        return new PeerLink(own, routers);
    }

    private void ask(String name, Ip own) {
        long now = millis();
        OnlyRouter known = only.get(name);
        long pause = known != null && now - known.since() >= AT_FIRST ? EVERY : EVERY_AT_FIRST;
        if (now - asked.getOrDefault(name, now - EVERY) >= pause) {
            asked.put(name, now);
            try {
                listen();
                Neighbours.solicitAndAdvertise(name, own.toString());
            } catch (IOException failure) {
                warnings.warn("peerInterface " + name + ": " + ApiServer.message(failure));
            }
        }
    }

    private void listen() throws IOException {
        if (listening == null || !listening.isListening()) {
            listening = new RouterAdvertisements(this::heard);
        }
    }

    private void heard(Ip router, int index) {
        if (!isOwn(router) && heard.heard(index, router, millis())) {
            changed.run();
        }
    }

    /** Two interfaces of one node may be on one link. */
    private static boolean isOwn(Ip router) {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(InetAddress::isLinkLocalAddress)
                    .anyMatch(address -> Ip.of(address).equals(router));
        } catch (SocketException unknown) {
            return false;
        }
    }

    private static long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Override
    public void close() {
        if (listening != null) {
            listening.close();
        }
    }
}
