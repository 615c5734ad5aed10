package dev.berth.dataplane.bgp;

import dev.berth.dataplane.ClaimedAddressProvider;
import dev.berth.provider.IpMode;

/**
 * Gives a Service the address that was claimed for it, as the agents on the nodes announce it: each node that can deliver
 * announces it to its routers by BGP, and kube-proxy delivers. The agents watch Addresses, Services, LoadBalancerClasses and
 * BGPPeers; this sends them nothing.
 */
public final class BgpProvider extends ClaimedAddressProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "bgp";

    public BgpProvider() {
        super(IpMode.VIP);
    }
}
