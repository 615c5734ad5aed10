package dev.berth.dataplane.l2;

import dev.berth.announce.L2Parameters;
import dev.berth.dataplane.ClaimedAddressProvider;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;

/**
 * Gives a Service the address that was claimed for it, as the agents on the nodes announce it: one of them answers ARP and
 * NDP for it, and kube-proxy delivers. The agents watch Addresses, Services and LoadBalancerClasses; this sends them
 * nothing, and only refuses parameters that they could not read.
 */
public final class L2Provider extends ClaimedAddressProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "l2";

    public L2Provider() {
        super(IpMode.VIP);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        try {
            L2Parameters.of(request.parameters());
        } catch (IllegalArgumentException unreadable) {
            throw ProviderException.permanent(unreadable.getMessage() + "; make a new LoadBalancerClass");
        }
        return super.ensureLoadBalancer(request);
    }
}
