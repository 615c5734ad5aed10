package dev.berth.dataplane.l2;

import dev.berth.announce.L2Parameters;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.util.Optional;

/**
 * Gives a Service the address that was claimed for it, as the agents on the nodes announce it: one of them answers ARP and
 * NDP for it, and kube-proxy delivers. The agents go by Address, Service and LoadBalancerClass, and are told nothing by
 * this; what it does is to refuse parameters that they could not read.
 */
public final class L2Provider implements LoadBalancerProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "l2";

    private static final Capabilities CAPABILITIES = Capabilities.fromPools(IpMode.VIP)
            .withTargets(Targets.NONE)
            .withProtocols(Protocol.values())
            .withFeatures(
                    Feature.MIXED_PROTOCOLS,
                    Feature.SOURCE_RANGES,
                    Feature.SESSION_AFFINITY,
                    Feature.LOCAL_TRAFFIC_POLICY)
            .withImmediate(true);

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return "a" + service.uid().replace("-", "");
    }

    /** The claim is all that there is, so what exists is what is claimed. */
    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        return request.addresses().isEmpty() ? Optional.empty() : Optional.of(status(request));
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        try {
            L2Parameters.of(request.parameters());
        } catch (IllegalArgumentException unreadable) {
            throw ProviderException.permanent(unreadable.getMessage() + "; make a new LoadBalancerClass");
        }
        return EnsureOutcome.ready(status(request));
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        // The agents watch nodes and endpoints themselves.
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        // The address is released by Berth, and the agents see it.
    }

    private static LoadBalancerStatus status(LoadBalancerRequest request) {
        return new LoadBalancerStatus(request.addresses().stream()
                .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                .toList());
    }
}
