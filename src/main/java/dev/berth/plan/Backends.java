package dev.berth.plan;

import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.Node;
import java.util.List;

/**
 * What may get a Service's packets.
 *
 * @param nodes all that are fit, by name
 * @param endpoints the Service's own that are fit, by port, address and target port; empty also while no provider
 *     targets endpoints
 */
public record Backends(List<Node> nodes, List<Endpoint> endpoints) {
    public static final Backends NONE = new Backends(List.of(), List.of());

    public Backends {
        endpoints = List.copyOf(endpoints);
    }
}
