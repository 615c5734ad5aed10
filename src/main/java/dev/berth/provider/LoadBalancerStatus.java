package dev.berth.provider;

import java.util.List;

/**
 * What a load balancer shows to the outside.
 *
 * @param ingress not empty
 * @param portErrors the ports that it does not serve; empty: it serves all that were asked for
 */
public record LoadBalancerStatus(List<Ingress> ingress, List<PortError> portErrors) {
    public LoadBalancerStatus {
        ingress = List.copyOf(ingress);
        portErrors = List.copyOf(portErrors);
        if (ingress.isEmpty()) {
            throw new IllegalArgumentException("a load balancer has at least one ingress");
        }
    }

    /** That serves all ports. */
    public LoadBalancerStatus(List<Ingress> ingress) {
        this(ingress, List.of());
    }
}
