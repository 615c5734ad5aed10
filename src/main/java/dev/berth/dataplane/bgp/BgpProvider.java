package dev.berth.dataplane.bgp;

import dev.berth.announce.BgpParameters;
import dev.berth.dataplane.ClaimedAddressProvider;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;

/**
 * Gives a Service the address that was claimed for it, as the agents on the nodes announce it: each node that can deliver
 * tells its routers of it by BGP, and kube-proxy delivers. The agents watch Addresses, Services, LoadBalancerClasses and
 * BGPPeers; this sends them nothing, and only refuses parameters that they could not read.
 */
public final class BgpProvider extends ClaimedAddressProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "bgp";

    public BgpProvider() {
        super(IpMode.VIP);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        try {
            BgpParameters.of(request.parameters());
        } catch (IllegalArgumentException unreadable) {
            throw ProviderException.permanent(unreadable.getMessage() + "; make a new LoadBalancerClass");
        }
        return super.ensureLoadBalancer(request);
    }
}
