package dev.berth.dataplane.l2;

import dev.berth.dataplane.ClaimedAddressProvider;
import dev.berth.provider.IpMode;

/**
 * Gives a Service the address that was claimed for it, as the agents on the nodes announce it: one of them answers ARP and
 * NDP for it, and kube-proxy delivers. The agents watch Addresses, Services and LoadBalancerClasses; this sends them
 * nothing.
 */
public final class L2Provider extends ClaimedAddressProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "l2";

    public L2Provider() {
        super(IpMode.VIP);
    }
}
