package dev.berth.announce;

import dev.berth.address.Ip;
import dev.berth.address.IpRange;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * An interface of a node that is up and has neighbours.
 *
 * @param name like eth0
 * @param hardware its hardware address, like 02:00:00:00:00:01
 * @param networks of its addresses; none of a single address
 */
public record Link(String name, String hardware, List<IpRange> networks) {
    public Link {
        networks = List.copyOf(networks);
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
                .filter(link -> link.smallest(address).isPresent())
                .min(Comparator.comparing(
                        link -> link.smallest(address).map(IpRange::size).orElseThrow()));
        return neighbour.isPresent() || parameters.interfaces().isEmpty()
                ? neighbour
                : allowed.stream().findFirst();
    }

    private Optional<IpRange> smallest(Ip address) {
        return networks.stream()
                .filter(network -> network.family() == address.family() && network.contains(address))
                .min(Comparator.comparing(IpRange::size));
    }
}
