package dev.berth.dataplane.pool;

import dev.berth.dataplane.ClaimedAddressProvider;
import dev.berth.provider.IpMode;

/**
 * Gives a Service the address that was claimed for it, and does nothing else: routing, ARP or a proxy
 * of your own brings the packets. Which ipMode is true depends on that, so a class may choose either.
 */
public final class PoolProvider extends ClaimedAddressProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "pool";

    public PoolProvider() {
        super(IpMode.VIP, IpMode.PROXY);
    }
}
