package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Collection;

/**
 * Whether HAProxy can listen where load balancers want it to. An address that another host has cannot be tried; HAProxy does,
 * and refuses.
 *
 * @param host whose addresses and ports they are
 * @param sharesAddresses whether an address may be on another host
 */
record Ports(HostAddresses host, boolean sharesAddresses) {
    /**
     * Before HAProxy is loaded with it.
     *
     * @param loaded the configuration by which HAProxy itself listens; empty: it does not run
     * @throws ProviderException if an address is not on the host, or a port is another program's
     */
    void requireListenable(LoadBalancer one, String loaded) {
        for (String address : one.addresses()) {
            if (!sharesAddresses && !host.has(address)) {
                host.requireUsable(address);
                throw new ProviderException("address " + address + " is not on the host");
            }
            if (host.has(address)) {
                one.open().stream()
                        .filter(port -> !Configuration.listens(loaded, address, port.port()))
                        .forEach(port -> requireFree(address, port.port()));
            }
        }
    }

    /**
     * Before one is added, or changes.
     *
     * @param wanted all that there are to be beside it; its former self may be among them
     * @param carried all that HAProxy listens for
     * @throws ProviderException if a port is another program's, or another load balancer's
     */
    void requireFree(LoadBalancer next, Collection<LoadBalancer> wanted, Collection<LoadBalancer> carried) {
        for (String address : next.addresses().stream().filter(host::has).toList()) {
            for (ListenPort port : next.ports()) {
                boolean isOthers =
                        wanted.stream().anyMatch(one -> !one.name().equals(next.name()) && listens(one, address, port));
                // HAProxy goes on listening until it is reloaded, also for one that leaves the port in the same batch.
                if (isOthers || carried.stream().noneMatch(one -> listens(one, address, port))) {
                    requireFree(address, port.port());
                }
            }
        }
    }

    private static boolean listens(LoadBalancer one, String address, ListenPort port) {
        return one.addresses().contains(address) && one.ports().stream().anyMatch(other -> other.port() == port.port());
    }

    private static void requireFree(String address, int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port));
        } catch (IOException taken) {
            throw new ProviderException(
                    "port %d of %s cannot be opened; does another program on this host use it? %s"
                            .formatted(port, address, taken.getMessage()),
                    taken);
        }
    }
}
