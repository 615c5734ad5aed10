package dev.berth.provider;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a load balancer shows to the outside. Made with {@link #of}, and the {@code with…} methods. */
public final class LoadBalancerStatus {
    private final List<Ingress> ingress;
    private final List<PortError> portErrors;
    private final @Nullable TargetHealth targets;

    private LoadBalancerStatus(List<Ingress> ingress, List<PortError> portErrors, @Nullable TargetHealth targets) {
        this.ingress = List.copyOf(ingress);
        this.portErrors = List.copyOf(portErrors);
        this.targets = targets;
        if (ingress.isEmpty()) {
            throw new IllegalArgumentException("a load balancer has at least one ingress");
        }
    }

    /**
     * Every port is served, and the number of healthy targets is not reported.
     *
     * @param ingress not empty
     */
    public static LoadBalancerStatus of(List<Ingress> ingress) {
        return new LoadBalancerStatus(ingress, List.of(), null);
    }

    /** The same, but these ports it does not serve. */
    public LoadBalancerStatus withPortErrors(List<PortError> others) {
        return new LoadBalancerStatus(ingress, others, targets);
    }

    /** The same, with this of its targets; null: the provider does not say. */
    public LoadBalancerStatus withTargets(@Nullable TargetHealth other) {
        return new LoadBalancerStatus(ingress, portErrors, other);
    }

    /** The ways in; not empty. */
    public List<Ingress> ingress() {
        return ingress;
    }

    /** The ports that it does not serve; empty: it serves all that were asked for. */
    public List<PortError> portErrors() {
        return portErrors;
    }

    /**
     * How many of its targets pass the health check; null: the provider does not say. Of one that does, Berth asks for it
     * every 30 seconds by {@link LoadBalancerProvider#getLoadBalancer}.
     */
    public @Nullable TargetHealth targets() {
        return targets;
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
                inOrder(portErrors.stream()),
                null);
    }

    private static <T> List<T> inOrder(Stream<T> entries) {
        return entries.distinct().sorted(Comparator.comparing(Object::toString)).toList();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LoadBalancerStatus that
                && ingress.equals(that.ingress)
                && portErrors.equals(that.portErrors)
                && Objects.equals(targets, that.targets);
    }

    @Override
    public int hashCode() {
        return Objects.hash(ingress, portErrors, targets);
    }

    @Override
    public String toString() {
        return "LoadBalancerStatus[ingress=" + ingress + ", portErrors=" + portErrors + ", targets=" + targets + "]";
    }
}
