package dev.berth.dataplane.haproxy;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/** Addresses that a host has for a while at a time. */
interface Leases {
    /**
     * Refuses an address of the host itself, and one that no host is to have.
     *
     * @throws dev.berth.provider.ProviderException if it is on another interface, has the prefix of its network, or is the
     *     broadcast address of a network of this host
     */
    void requireUsable(String address);

    /** Those of these that are on the interface for load balancers. */
    List<String> bound(Collection<String> addresses);

    /** Whether packets can come by the interface. */
    boolean isUp();

    /**
     * Puts addresses onto the interface, or leaves them there, from now on for so many seconds: then the kernel takes
     * them off. No connection of the host itself begins from them.
     *
     * @throws dev.berth.provider.ProviderException if one cannot be put there; the others are
     */
    void lease(Collection<String> addresses, int seconds);

    /**
     * Takes these off the interface.
     *
     * @throws dev.berth.provider.ProviderException if one cannot be taken off; the others are
     */
    void release(Collection<String> addresses);

    /**
     * Tells the network that these are here.
     *
     * @throws IOException if it cannot be told
     */
    void tell(List<String> addresses) throws IOException;
}
