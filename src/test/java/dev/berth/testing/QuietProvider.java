package dev.berth.testing;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import java.util.Optional;

/** A provider that has nothing, and does nothing when it is told to. */
public interface QuietProvider extends LoadBalancerProvider {
    @Override
    default String getLoadBalancerName(ServiceIdentity service) {
        return service.uid();
    }

    @Override
    default Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        return Optional.empty();
    }

    @Override
    default void updateLoadBalancer(LoadBalancerRequest request) {}

    @Override
    default void ensureLoadBalancerDeleted(LoadBalancerRequest request) {}
}
