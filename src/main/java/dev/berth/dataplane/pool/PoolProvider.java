package dev.berth.dataplane.pool;

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
import dev.berth.provider.ServiceIdentity;
import java.util.Optional;

/**
 * Gives a Service the address that was claimed for it, and does nothing else: routing, ARP or a proxy
 * of your own brings the packets. Which ipMode is true depends on that, so a class may choose either.
 */
public final class PoolProvider implements LoadBalancerProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "pool";

    private static final Capabilities CAPABILITIES = Capabilities.fromPools(IpMode.VIP, IpMode.PROXY)
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
        return EnsureOutcome.ready(status(request));
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        // No node and no endpoint has a part in it.
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        // The address is released by Berth.
    }

    private static LoadBalancerStatus status(LoadBalancerRequest request) {
        return new LoadBalancerStatus(request.addresses().stream()
                .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                .toList());
    }
}
