package dev.berth.dataplane;

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
 * Gives a Service the address that was claimed for it, and makes nothing: what carries the traffic goes by the cluster's
 * objects, or is set up by others.
 */
public abstract class ClaimedAddressProvider implements LoadBalancerProvider {
    private final Capabilities capabilities;

    /** @param ipModes how its packets may arrive; the first is what {@code ipMode: Auto} means */
    protected ClaimedAddressProvider(IpMode... ipModes) {
        capabilities = Capabilities.fromPools(ipModes)
                .withTargets(Targets.NONE)
                .withProtocols(Protocol.values())
                .withFeatures(
                        Feature.MIXED_PROTOCOLS,
                        Feature.SOURCE_RANGES,
                        Feature.SESSION_AFFINITY,
                        Feature.LOCAL_TRAFFIC_POLICY)
                .withImmediate(true);
    }

    @Override
    public final Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public final String getLoadBalancerName(ServiceIdentity service) {
        return "a" + service.uid().replace("-", "");
    }

    /** The claim is all that there is, so what exists is what is claimed. */
    @Override
    public final Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        return request.addresses().isEmpty() ? Optional.empty() : Optional.of(status(request));
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        return EnsureOutcome.ready(status(request));
    }

    @Override
    public final void updateLoadBalancer(LoadBalancerRequest request) {
        // Nothing here depends on nodes or endpoints.
    }

    @Override
    public final void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        // Berth releases the address.
    }

    private static LoadBalancerStatus status(LoadBalancerRequest request) {
        return LoadBalancerStatus.of(request.addresses().stream()
                .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                .toList());
    }
}
