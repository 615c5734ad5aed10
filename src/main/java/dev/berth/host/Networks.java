package dev.berth.host;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The networks that the addresses of this host are in. */
public final class Networks {
    private Networks() {}

    /** Those of one interface, sorted. Single addresses are in no network, and those of the link alone are no pool's. */
    public static List<IpRange> of(NetworkInterface one) {
        return one.getInterfaceAddresses().stream()
                .flatMap(address -> network(address).stream())
                .distinct()
                .sorted(Comparator.comparing(IpRange::lower))
                .toList();
    }

    /**
     * Which interface that is up has a network whose broadcast address this is: no host is to have it.
     *
     * @return like eth0; empty: none
     * @throws IllegalArgumentException if it is no address
     * @throws SocketException if the interfaces cannot be read
     */
    public static Optional<String> whereBroadcast(String address) throws SocketException {
        Ip ip = Ip.parse(address);
        return NetworkInterface.networkInterfaces()
                .filter(Networks::isUp)
                .filter(one -> of(one).stream()
                        .anyMatch(network ->
                                network.isEndOfNetwork(ip) && network.upper().equals(ip)))
                .map(NetworkInterface::getName)
                .findFirst();
    }

    private static boolean isUp(NetworkInterface one) {
        try {
            return one.isUp();
        } catch (SocketException gone) {
            return false;
        }
    }

    private static Optional<IpRange> network(InterfaceAddress one) {
        InetAddress address = one.getAddress();
        return address.isLinkLocalAddress() || one.getNetworkPrefixLength() >= address.getAddress().length * 8
                ? Optional.empty()
                : Optional.of(IpRange.parse(Ip.of(address).network(one.getNetworkPrefixLength())));
    }
}
