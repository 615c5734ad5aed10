package dev.berth.loadbalancer;

import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * How a load balancer finds out whether a node is able to receive traffic, as its class says.
 *
 * @param port null: the one that goes with the kind
 */
public record HealthCheckPolicy(Kind kind, @Nullable Integer port) {
    public static final HealthCheckPolicy AUTO = new HealthCheckPolicy(Kind.AUTO, null);

    /**
     * Where kube-proxy says that its node can receive traffic, unless {@code --healthz-bind-address} says otherwise.
     */
    public static final int KUBE_PROXY = 10256;

    private static final String PATH = "/healthz";

    /** What is asked. */
    public enum Kind {
        /** Kube-proxy where there is one, else whether a node port takes connections. */
        AUTO,
        /** Kube-proxy's own health, on each node. */
        KUBE_PROXY,
        /** Whether a node port of the Service takes connections: for clusters without kube-proxy. */
        TCP,
        /** No check. */
        NONE
    }

    /**
     * The check for a Service; null: none. With {@code externalTrafficPolicy: Local} the node says itself, on the
     * Service's {@code healthCheckNodePort}, whether it has an endpoint.
     *
     * @param kubeProxy whether the nodes have a kube-proxy
     */
    @Nullable HealthCheck of(ServiceState service, boolean kubeProxy) {
        int local = service.delivery().healthCheckNodePort();
        return switch (isLeftToTheNodes() && !kubeProxy ? Kind.TCP : kind) {
            case NONE -> null;
            case AUTO, KUBE_PROXY ->
                service.asked().localTraffic() && local > 0
                        ? new HealthCheck(local, PATH)
                        : new HealthCheck(port == null ? KUBE_PROXY : port, PATH);
            case TCP -> service.asked().localTraffic() && local > 0 ? new HealthCheck(local, PATH) : connect(service);
        };
    }

    /** Whether it depends on what the nodes have; a port that the class names is for kube-proxy. */
    public boolean isLeftToTheNodes() {
        return kind == Kind.AUTO && port == null;
    }

    private @Nullable HealthCheck connect(ServiceState service) {
        if (port != null) {
            return new HealthCheck(port, null);
        }
        return service.ports().stream()
                .filter(candidate -> candidate.protocol() == Protocol.TCP && candidate.nodePort() > 0)
                .map(Port::nodePort)
                .findFirst()
                .map(nodePort -> new HealthCheck(nodePort, null))
                .orElse(null);
    }
}
