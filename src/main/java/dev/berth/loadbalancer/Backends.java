package dev.berth.loadbalancer;

import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.Node;
import java.util.List;
import java.util.function.Supplier;

/**
 * What may get a Service's packets.
 *
 * @param nodes all that can receive traffic, by name
 * @param kubeProxy whether kube-proxy on the nodes says if they can receive traffic
 * @param endpoints the Service's own that can receive traffic, by port, address and target port; empty also while no
 *     provider targets endpoints. Read when asked for: few providers do
 */
public record Backends(List<Node> nodes, boolean kubeProxy, Supplier<List<Endpoint>> endpoints) {
    public static final Backends NONE = new Backends(List.of(), true, List::of);

    /** The same, with the endpoints as they are now where a provider {@code targets} them, and with none else. */
    public Backends read(Targets targets) {
        List<Endpoint> now = targets == Targets.ENDPOINTS ? endpoints.get() : List.of();
        return new Backends(nodes, kubeProxy, () -> now);
    }
}
