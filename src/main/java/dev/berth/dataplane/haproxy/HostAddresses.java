package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.Command.Outcome;
import dev.berth.provider.ProviderException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses of load balancers on an interface of this host. */
final class HostAddresses {
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
            throw new ProviderException("reading the interfaces of this host: " + failure, null, failure);
        }
    }

    /**
     * Puts an address onto the interface, if it is not there.
     *
     * @throws ProviderException if the host has it already as one of its own: on another interface, or with the prefix of
     *     its network
     */
    void add(String address) {
        NetworkInterface has = holder(address);
        if (has == null) {
            ip("addr", "add", withPrefix(address), "dev", networkInterface, "nodad");
        } else if (!isOurs(has, address)) {
            throw new ProviderException(
                    "address %s is the host's own, on interface %s; take it out of the pool, or off the host"
                            .formatted(address, has.getName()));
        }
    }

    /** Takes an address off the interface, if it is there. */
    void remove(String address) {
        if (has(address)) {
            ip("addr", "del", withPrefix(address), "dev", networkInterface);
        }
    }

    /** Whether it is on the interface for a load balancer. */
    boolean has(String address) {
        NetworkInterface has = holder(address);
        return has != null && isOurs(has, address);
    }

    /** An address of the host itself has the prefix of its network. */
    private boolean isOurs(NetworkInterface has, String address) {
        InetAddress wanted = InetAddress.ofLiteral(address);
        return has.getName().equals(networkInterface)
                && has.getInterfaceAddresses().stream()
                        .anyMatch(one -> wanted.equals(one.getAddress())
                                && one.getNetworkPrefixLength() == wanted.getAddress().length * 8);
    }

    private static @Nullable NetworkInterface holder(String address) {
        try {
            return NetworkInterface.getByInetAddress(InetAddress.ofLiteral(address));
        } catch (SocketException failure) {
            throw new ProviderException("reading the addresses of this host: " + failure, null, failure);
        }
    }

    private static String withPrefix(String address) {
        return address + (LoadBalancer.isIpv6(address) ? "/128" : "/32");
    }

    private static void ip(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        Outcome outcome = Command.run(command);
        if (outcome.code() != 0) {
            throw new ProviderException(
                    String.join(" ", command) + ": " + outcome.output().strip());
        }
    }
}
