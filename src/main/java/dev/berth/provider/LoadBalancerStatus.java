package dev.berth.provider;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a load balancer shows to the outside.
 *
 * @param ingress not empty
 * @param portErrors the ports that it does not serve; empty: it serves all that were asked for
 * @param targets how many of its targets pass the health check; null: the provider does not say. Of one that does, Berth
 *     asks for it every 30 seconds by {@link LoadBalancerProvider#getLoadBalancer}
 */
public record LoadBalancerStatus(
        List<Ingress> ingress,
        List<PortError> portErrors,
        @Nullable TargetHealth targets) {
    public LoadBalancerStatus {
        ingress = List.copyOf(ingress);
        portErrors = List.copyOf(portErrors);
        if (ingress.isEmpty()) {
            throw new IllegalArgumentException("a load balancer has at least one ingress");
        }
    }

    /** That says nothing of its targets. */
    public LoadBalancerStatus(List<Ingress> ingress, List<PortError> portErrors) {
        this(ingress, portErrors, null);
    }

    /** That serves all ports, and says nothing of its targets. */
    public LoadBalancerStatus(List<Ingress> ingress) {
        this(ingress, List.of());
    }

    /** The same, with this of its targets. */
    public LoadBalancerStatus withTargets(@Nullable TargetHealth other) {
        return new LoadBalancerStatus(ingress, portErrors, other);
    }

    /**
     * What Kubernetes reads of it, to compare two answers: in one order, each entry once, an IP without a mode as VIP, and
     * nothing of its targets.
     */
    public LoadBalancerStatus canonical() {
        return new LoadBalancerStatus(
                inOrder(ingress.stream()
                        .map(entry -> entry.ip() != null && entry.ipMode() == null
                                ? Ingress.ofIp(entry.ip(), IpMode.VIP)
                                : entry)),
                inOrder(portErrors.stream()));
    }

    private static <T> List<T> inOrder(Stream<T> entries) {
        return entries.distinct().sorted(Comparator.comparing(Object::toString)).toList();
    }
}
