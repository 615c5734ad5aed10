package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.Command.Outcome;
import dev.berth.host.Neighbours;
import dev.berth.host.Networks;
import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The addresses of load balancers on an interface of this host. */
final class HostAddresses implements Addresses, Leases {
    private static final Logger LOG = LoggerFactory.getLogger(HostAddresses.class);

    private final String networkInterface;

    /**
     * For the addresses on one interface.
     *
     * @param networkInterface like lo
     * @throws ProviderException if there is none of this name
     */
    HostAddresses(String networkInterface) {
        this.networkInterface = networkInterface;
        try {
            if (NetworkInterface.getByName(networkInterface) == null) {
                throw new ProviderException("setting \"interface\" is \"" + networkInterface
                        + "\", and this host has no interface of that name");
            }
        } catch (SocketException failure) {
            throw new ProviderException("reading the interfaces of this host: " + failure, failure);
        }
    }

    /** Puts an address onto the interface, if it is not there. */
    @Override
    public void add(String address) {
        requireUsable(address);
        if (!has(address)) {
            ip("addr", "add", withPrefix(address), "dev", networkInterface, "nodad");
            try {
                tell(List.of(address));
            } catch (IOException failure) {
                LOG.warn("telling the network where {} is: {}", address, failure.getMessage());
            }
        }
    }

    @Override
    public void requireUsable(String address) {
        NetworkInterface has = holder(address);
        if (has == null) {
            requireNoBroadcast(address);
        } else if (!isOurs(has, address)) {
            throw new ProviderException(
                    "address %s is the host's own, on interface %s; remove it from the pool or from the host"
                            .formatted(address, has.getName()));
        }
    }

    private static void requireNoBroadcast(String address) {
        try {
            Optional<String> where = Networks.whereBroadcast(address);
            if (where.isPresent()) {
                throw new ProviderException(
                        ("address %s is the broadcast address of a network of interface %s, which cannot be assigned"
                                        + " to a host; add it to spec.excluded of the pool and recreate the Service")
                                .formatted(address, where.get()));
            }
        } catch (SocketException failure) {
            throw new ProviderException("reading the addresses of this host: " + failure, failure);
        }
    }

    @Override
    public void tell(List<String> addresses) throws IOException {
        Neighbours.tell(networkInterface, addresses);
    }

    @Override
    public List<String> bound(Collection<String> addresses) {
        try {
            NetworkInterface has = NetworkInterface.getByName(networkInterface);
            Set<InetAddress> ours = has == null
                    ? Set.of()
                    : has.getInterfaceAddresses().stream()
                            .filter(one -> isWhole(one, one.getAddress()))
                            .map(InterfaceAddress::getAddress)
                            .collect(Collectors.toSet());
            return addresses.stream()
                    .filter(one -> ours.contains(InetAddress.ofLiteral(one)))
                    .toList();
        } catch (SocketException failure) {
            throw new ProviderException("reading the addresses of this host: " + failure, failure);
        }
    }

    @Override
    public boolean isUp() {
        try {
            NetworkInterface has = NetworkInterface.getByName(networkInterface);
            return has != null && has.isUp();
        } catch (SocketException failure) {
            return false;
        }
    }

    @Override
    public void lease(Collection<String> addresses, int seconds) {
        if (!addresses.isEmpty()) {
            ipBatch(addresses.stream()
                    .map(one -> "addr replace %s dev %s valid_lft %d preferred_lft 0%s"
                            .formatted(
                                    withPrefix(one),
                                    networkInterface,
                                    seconds,
                                    LoadBalancer.isIpv6(one) ? " nodad" : "")));
        }
    }

    @Override
    public void release(Collection<String> addresses) {
        List<String> there = bound(addresses);
        if (!there.isEmpty()) {
            ipBatch(there.stream().map(one -> "addr del " + withPrefix(one) + " dev " + networkInterface));
        }
    }

    @Override
    public boolean isBound(String address) {
        return has(address);
    }

    @Override
    public boolean isHere(String address) {
        return has(address);
    }

    /** They stay on the host, as HAProxy does. */
    @Override
    public void close() {}

    /** Takes an address off the interface, if it is there. */
    @Override
    public void remove(String address) {
        if (has(address)) {
            ip("addr", "del", withPrefix(address), "dev", networkInterface);
        }
    }

    /** Whether it is on the interface for a load balancer. */
    @Override
    public boolean has(String address) {
        NetworkInterface has = holder(address);
        return has != null && isOurs(has, address);
    }

    /** An address of the host itself has the prefix of its network, as a rule: the record of addresses decides. */
    private boolean isOurs(NetworkInterface has, String address) {
        InetAddress wanted = InetAddress.ofLiteral(address);
        return has.getName().equals(networkInterface)
                && has.getInterfaceAddresses().stream()
                        .anyMatch(one -> wanted.equals(one.getAddress()) && isWhole(one, wanted));
    }

    private static boolean isWhole(InterfaceAddress one, InetAddress address) {
        return one.getNetworkPrefixLength() == address.getAddress().length * 8;
    }

    private static @Nullable NetworkInterface holder(String address) {
        try {
            return NetworkInterface.getByInetAddress(InetAddress.ofLiteral(address));
        } catch (SocketException failure) {
            throw new ProviderException("reading the addresses of this host: " + failure, failure);
        }
    }

    private static String withPrefix(String address) {
        return address + (LoadBalancer.isIpv6(address) ? "/128" : "/32");
    }

    private static void ip(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        require(command, Command.run(command));
    }

    /** What fails stops no other line. */
    private static void ipBatch(Stream<String> lines) {
        List<String> command = List.of("ip", "-force", "-batch", "-");
        require(command, Command.run(command, lines.map(line -> line + "\n").collect(Collectors.joining())));
    }

    private static void require(List<String> command, Outcome outcome) {
        if (outcome.code() != 0) {
            throw new ProviderException(
                    String.join(" ", command) + ": " + outcome.output().strip());
        }
    }
}
