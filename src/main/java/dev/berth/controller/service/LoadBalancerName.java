package dev.berth.controller.service;

import dev.berth.loadbalancer.NamedLoadBalancer;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ServiceIdentity;
import java.util.Optional;

/**
 * What the load balancer of one Service is called at its provider. Asked for in the turn of another call, until it is
 * known. Used by several threads.
 */
final class LoadBalancerName {
    private volatile NamedLoadBalancer known = NamedLoadBalancer.NONE;

    /** Asks for it, if it is wanted. That there is none is no failure. */
    void ask(ServedClass by, LoadBalancerProvider provider, ServiceIdentity service) {
        if (known.isWanted(by, service.uid())) {
            ProviderResponses.name(() -> provider.getLoadBalancerName(service))
                    .ifPresent(name -> known = new NamedLoadBalancer(by.provider(), service.uid(), Optional.of(name)));
        }
    }

    NamedLoadBalancer known() {
        return known;
    }
}
