package dev.berth.dataplane.haproxy;

import dev.berth.provider.ProviderException;

/** Where the addresses of load balancers are put. */
interface Addresses extends AutoCloseable {
    /**
     * Has an address bound, on this host or on another that it shares its addresses with.
     *
     * @throws ProviderException if the host has it already as one of its own
     */
    void add(String address);

    /** Takes an address off this host, if it is there. */
    void remove(String address);

    /** Whether it is on this host, whoever has put it there. */
    boolean isHere(String address);

    /** Whether {@link #add} has been done, and holds. */
    boolean has(String address);

    /** Whether packets for it arrive at a host. */
    boolean isBound(String address);

    /** Lets go of them: the process ends. */
    @Override
    void close();
}
