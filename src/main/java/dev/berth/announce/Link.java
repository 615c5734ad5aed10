package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * An interface of a node that is up and has neighbours.
 *
 * @param name like eth0
 * @param hardware its hardware address, like 02:00:00:00:00:01
 * @param networks of its addresses; none of a single address
 */
public record Link(String name, String hardware, List<IpRange> networks) {
    /** Of how many interfaces others are told. */
    static final int MOST = 32;

    /** Of how many networks of each. */
    static final int MOST_NETWORKS = 8;

    public Link {
        networks = List.copyOf(networks);
    }

    /**
     * What the other agents hear of them, by name: all, if they are not many; else first those that the addresses belong on, and
     * of each first the networks that have one.
     *
     * @param asking the addresses; not called if it does not matter
     */
    public static List<Link> told(List<Link> all, Supplier<List<DesiredAddress>> asking) {
        if (all.size() <= MOST && all.stream().allMatch(link -> link.networks().size() <= MOST_NETWORKS)) {
            return all;
        }
        List<DesiredAddress> asked = asking.get();
        Set<Ip> addresses = asked.stream().map(DesiredAddress::address).collect(Collectors.toCollection(TreeSet::new));
        Set<String> needed = asked.stream()
                .flatMap(one -> forAddress(one.address(), one.parameters(), all).stream())
                .map(Link::name)
                .collect(Collectors.toCollection(TreeSet::new));
        return all.stream()
                .sorted(Comparator.comparing((Link link) -> !needed.contains(link.name()))
                        .thenComparing(Link::name))
                .limit(MOST)
                .map(link -> new Link(
                        link.name(),
                        link.hardware(),
                        link.networks().stream()
                                .sorted(Comparator.comparing(
                                        network -> addresses.stream().noneMatch(ip -> has(network, ip))))
                                .limit(MOST_NETWORKS)
                                .toList()))
                .sorted(Comparator.comparing(Link::name))
                .toList();
    }

    private static boolean has(IpRange network, Ip address) {
        return network.family() == address.family() && network.contains(address);
    }

    /**
     * That an address belongs on: of those the parameters allow, the one with the smallest network that has it. If none
     * has it, the first by name that the parameters name: a pool need not be of a node's network.
     */
    static Optional<Link> forAddress(Ip address, L2Parameters parameters, Collection<Link> all) {
        List<Link> allowed = all.stream()
                .filter(link -> parameters.allows(link.name()))
                .sorted(Comparator.comparing(Link::name))
                .toList();
        Optional<Link> neighbour = allowed.stream()
                .filter(link -> link.has(address))
                .min(Comparator.comparing(
                        link -> link.smallest(address).map(IpRange::size).orElseThrow()));
        return neighbour.isPresent() || parameters.interfaces().isEmpty()
                ? neighbour
                : allowed.stream().findFirst();
    }

    /** Whether an address is the first or the broadcast address of the network that it belongs on. */
    boolean isEndOfNetwork(Ip address) {
        return smallest(address)
                .filter(network -> network.isEndOfNetwork(address))
                .isPresent();
    }

    /** Whether one of its networks has the address. */
    boolean has(Ip address) {
        return smallest(address).isPresent();
    }

    private Optional<IpRange> smallest(Ip address) {
        return networks.stream().filter(network -> has(network, address)).min(Comparator.comparing(IpRange::size));
    }
}
