package dev.berth.provider;

import java.util.List;

/** What a load balancer shows to the outside; {@code ingress} is not empty. */
public record LoadBalancerStatus(List<Ingress> ingress) {
    public LoadBalancerStatus {
        ingress = List.copyOf(ingress);
        if (ingress.isEmpty()) {
            throw new IllegalArgumentException("a load balancer has at least one ingress");
        }
    }
}
