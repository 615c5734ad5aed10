package dev.berth.agent;

import dev.berth.announce.L2Parameters;
import dev.berth.announce.Link;
import dev.berth.host.Networks;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The interfaces of this host that have neighbours.
 *
 * @param links those with a network, or that a class names
 * @param indexes their numbers, by name
 * @param hardware the hardware addresses of all interfaces that are up, but for those that several hosts have
 */
record HostLinks(List<Link> links, Map<String, Integer> indexes, Set<String> hardware) {
    /** Of VRRP, and of others that IANA has assigned to protocols. */
    private static final String SHARED = "00:00:5e:";

    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    HostLinks {
        links = List.copyOf(links);
        indexes = Map.copyOf(indexes);
        hardware = Set.copyOf(hardware);
    }

    /** The hardware address of the interface of this name; empty: there is none that addresses are announced on. */
    String hardwareOf(String name) {
        return links.stream()
                .filter(link -> link.name().equals(name))
                .map(Link::hardware)
                .findFirst()
                .orElse("");
    }

    /** As they are now. Those of pods have neither, so they are no links. */
    static HostLinks read(List<L2Parameters> classes) throws SocketException {
        Map<String, Integer> indexes = new HashMap<>();
        List<Link> links = new ArrayList<>();
        Set<String> hardware = new HashSet<>();
        NetworkInterface.networkInterfaces()
                .forEach(one -> link(one).ifPresent(link -> {
                    if (!link.hardware().startsWith(SHARED)) {
                        hardware.add(link.hardware());
                    }
                    if (!link.networks().isEmpty()
                            || classes.stream().anyMatch(parameters -> parameters.names(link.name()))) {
                        links.add(link);
                        indexes.put(link.name(), one.getIndex());
                    }
                }));
        links.sort(Comparator.comparing(Link::name));
        return new HostLinks(links, indexes, hardware);
    }

    private static Optional<Link> link(NetworkInterface one) {
        try {
            byte[] hardware = one.isUp() && !one.isLoopback() ? one.getHardwareAddress() : null;
            return hardware == null || hardware.length != 6
                    ? Optional.empty()
                    : Optional.of(new Link(one.getName(), COLONS.formatHex(hardware), Networks.of(one)));
        } catch (SocketException gone) {
            return Optional.empty();
        }
    }
}
