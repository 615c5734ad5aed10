package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What routers send packets to for a node's routes.
 *
 * @param byFamily of each family that the node has an address of, the first
 * @param notUsed addresses after the first of a family, in the order of the Node
 */
public record NextHops(SequencedMap<IpFamily, Ip> byFamily, List<Ip> notUsed) {
    public NextHops {
        byFamily = Collections.unmodifiableSequencedMap(new TreeMap<>(byFamily));
        notUsed = List.copyOf(notUsed);
    }

    /**
     * Those of a node.
     *
     * @param addresses the InternalIPs of the Node, in their order
     */
    public static NextHops of(List<Ip> addresses) {
        SequencedMap<IpFamily, Ip> first = new TreeMap<>();
        addresses.forEach(address -> first.putIfAbsent(address.family(), address));
        return new NextHops(
                first,
                addresses.stream()
                        .distinct()
                        .filter(address -> !first.containsValue(address))
                        .toList());
    }

    /** Human-readable, of which address is used where a Node has several of a family; empty: it has not. */
    public String choice() {
        return notUsed.isEmpty()
                ? ""
                : "the Node has several InternalIPs of one family: routes have the first of each as next hop, %s; not used: %s"
                        .formatted(joined(byFamily.values().stream().toList()), joined(notUsed));
    }

    private static String joined(List<Ip> addresses) {
        return addresses.stream().map(Ip::toString).collect(Collectors.joining(", "));
    }
}
