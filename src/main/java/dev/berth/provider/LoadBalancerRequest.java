package dev.berth.provider;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a Service asks for. Immutable; two that are equal ask for the same. Made with {@link #builder}, so
 * that it can grow without breaking those who make one.
 *
 * @param clusterName tells apart the clusters that one provider serves
 * @param service whose load balancer it is
 * @param fencingToken grows with each change of leader of a cluster; a provider refuses a lower one than the load
 *     balancer has seen, also after it was deleted: it comes from a deposed leader, which is another process
 * @param addresses the claimed addresses, canonical text; empty if the provider brings its own
 * @param wantedAddresses for a provider that brings its own: what the Service wishes to have; empty: any
 * @param families of addresses wanted, in the Service's order; one or two
 * @param ports as in the Service, in its order; none that the provider cannot carry
 * @param ipMode how packets are to reach the nodes
 * @param nodes that are to get packets, by name; empty also for a provider that targets no nodes
 * @param endpoints that are to get packets, by port, address and target port; empty also for a provider that does not
 *     target endpoints
 * @param healthCheck by which a node is found able to receive traffic; null: none is known
 * @param sourceRanges CIDRs whose packets are allowed; empty: all are
 * @param sessionAffinity for how long a client's packets go to one target; null: no affinity
 * @param localTrafficPolicy whether {@code spec.externalTrafficPolicy} is Local: the client's address is kept, and a
 *     node without an endpoint fails the health check
 * @param parameters the settings of the load balancer class
 * @param annotations those of the Service that the provider reads, by name
 * @param labels all of the Service, by name
 */
public record LoadBalancerRequest(
        String clusterName,
        ServiceIdentity service,
        long fencingToken,
        List<String> addresses,
        List<String> wantedAddresses,
        List<Capabilities.Family> families,
        List<Port> ports,
        IpMode ipMode,
        List<Node> nodes,
        List<Endpoint> endpoints,
        @Nullable HealthCheck healthCheck,
        List<String> sourceRanges,
        @Nullable Duration sessionAffinity,
        boolean localTrafficPolicy,
        Map<String, String> parameters,
        Map<String, String> annotations,
        Map<String, String> labels) {
    public LoadBalancerRequest {
        addresses = List.copyOf(addresses);
        wantedAddresses = List.copyOf(wantedAddresses);
        families = List.copyOf(families);
        ports = List.copyOf(ports);
        nodes = List.copyOf(nodes);
        endpoints = List.copyOf(endpoints);
        sourceRanges = List.copyOf(sourceRanges);
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        annotations = Collections.unmodifiableMap(new LinkedHashMap<>(annotations));
        labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    }

    /**
     * A port of the load balancer.
     *
     * @param name empty if the Service has one port without a name
     * @param port 1 to 65535
     * @param nodePort 0: none
     * @param appProtocol what is spoken on it, as {@code spec.ports[].appProtocol} names it; null: not told
     */
    public record Port(
            String name,
            Protocol protocol,
            int port,
            int nodePort,
            @Nullable String appProtocol) {
        public Port(String name, Protocol protocol, int port, int nodePort) {
            this(name, protocol, port, nodePort, null);
        }
    }

    /**
     * A node of the cluster.
     *
     * @param providerId {@code spec.providerID}; empty: none
     * @param addresses its internal addresses, or its external ones if it has no internal ones; canonical text
     * @param zone the value of its label {@code topology.kubernetes.io/zone}; empty: none
     * @param region the value of its label {@code topology.kubernetes.io/region}; empty: none
     * @param labels those of its other labels that Kubernetes or the administrator gives it for good: under {@code
     *     kubernetes.io/}, {@code node.kubernetes.io/}, {@code node-role.kubernetes.io/}, {@code
     *     node-restriction.kubernetes.io/} and {@code topology.kubernetes.io/}. No others: what changes with the hour
     *     would have every load balancer updated
     */
    public record Node(
            String name,
            String providerId,
            List<String> addresses,
            String zone,
            String region,
            Map<String, String> labels) {
        public Node {
            addresses = List.copyOf(addresses);
            labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
        }

        /** One without labels. */
        public Node(String name, String providerId, List<String> addresses) {
            this(name, providerId, addresses, "", "", Map.of());
        }
    }

    /**
     * A pod, or what else stands behind a Service, for one of its ports. It is able to receive traffic: Kubernetes
     * looks after
     * that, and those that are not are not among the endpoints.
     *
     * @param port {@link Port#name} of the port whose packets it is to get
     * @param address canonical text; its family may differ from that of the load balancer's
     * @param targetPort on {@code address}
     * @param node that it runs on; empty: not told
     * @param zone that it is in; empty: not told
     */
    public record Endpoint(String port, String address, int targetPort, String node, String zone) {
        /** One of no known zone. */
        public Endpoint(String port, String address, int targetPort, String node) {
            this(port, address, targetPort, node, "");
        }
    }

    /**
     * How to find out whether a node is able to receive traffic.
     *
     * @param port on the node
     * @param path of an HTTP GET that is answered with 200; null: it is enough that TCP connects
     */
    public record HealthCheck(int port, @Nullable String path) {}

    /** Begins a request without ports, for an IPv4 address, that asks for nothing else. */
    public static Builder builder(String clusterName, ServiceIdentity service, IpMode ipMode) {
        return new Builder(clusterName, service, ipMode);
    }

    /** Begins one like this. */
    public Builder toBuilder() {
        Builder builder = new Builder(clusterName, service, ipMode);
        builder.fencingToken = fencingToken;
        builder.addresses = addresses;
        builder.wantedAddresses = wantedAddresses;
        builder.families = families;
        builder.ports = ports;
        builder.nodes = nodes;
        builder.endpoints = endpoints;
        builder.healthCheck = healthCheck;
        builder.sourceRanges = sourceRanges;
        builder.sessionAffinity = sessionAffinity;
        builder.localTrafficPolicy = localTrafficPolicy;
        builder.parameters = parameters;
        builder.annotations = annotations;
        builder.labels = labels;
        return builder;
    }

    /** Whether {@code other} asks for the same, but for the nodes and endpoints. */
    public boolean differsInTargetsOnly(LoadBalancerRequest other) {
        return !equals(other)
                && toBuilder()
                        .nodes(other.nodes)
                        .endpoints(other.endpoints)
                        .build()
                        .equals(other);
    }

    /** A request to be; each method sets the component of its name. */
    public static final class Builder {
        private String clusterName;
        private final ServiceIdentity service;
        private long fencingToken;
        private List<String> addresses = List.of();
        private List<String> wantedAddresses = List.of();
        private List<Capabilities.Family> families = List.of(Capabilities.Family.IPV4);
        private List<Port> ports = List.of();
        private IpMode ipMode;
        private List<Node> nodes = List.of();
        private List<Endpoint> endpoints = List.of();
        private @Nullable HealthCheck healthCheck;
        private List<String> sourceRanges = List.of();
        private @Nullable Duration sessionAffinity;
        private boolean localTrafficPolicy;
        private Map<String, String> parameters = Map.of();
        private Map<String, String> annotations = Map.of();
        private Map<String, String> labels = Map.of();

        private Builder(String clusterName, ServiceIdentity service, IpMode ipMode) {
            this.clusterName = clusterName;
            this.service = service;
            this.ipMode = ipMode;
        }

        public Builder clusterName(String value) {
            clusterName = value;
            return this;
        }

        public Builder fencingToken(long value) {
            fencingToken = value;
            return this;
        }

        public Builder addresses(List<String> value) {
            addresses = value;
            return this;
        }

        public Builder wantedAddresses(List<String> value) {
            wantedAddresses = value;
            return this;
        }

        public Builder families(List<Capabilities.Family> value) {
            families = value;
            return this;
        }

        public Builder ports(List<Port> value) {
            ports = value;
            return this;
        }

        public Builder ipMode(IpMode value) {
            ipMode = value;
            return this;
        }

        public Builder nodes(List<Node> value) {
            nodes = value;
            return this;
        }

        public Builder endpoints(List<Endpoint> value) {
            endpoints = value;
            return this;
        }

        public Builder healthCheck(@Nullable HealthCheck value) {
            healthCheck = value;
            return this;
        }

        public Builder sourceRanges(List<String> value) {
            sourceRanges = value;
            return this;
        }

        public Builder sessionAffinity(@Nullable Duration value) {
            sessionAffinity = value;
            return this;
        }

        public Builder localTrafficPolicy(boolean value) {
            localTrafficPolicy = value;
            return this;
        }

        public Builder parameters(Map<String, String> value) {
            parameters = value;
            return this;
        }

        public Builder annotations(Map<String, String> value) {
            annotations = value;
            return this;
        }

        public Builder labels(Map<String, String> value) {
            labels = value;
            return this;
        }

        public LoadBalancerRequest build() {
            return new LoadBalancerRequest(
                    clusterName,
                    service,
                    fencingToken,
                    addresses,
                    wantedAddresses,
                    families,
                    ports,
                    ipMode,
                    nodes,
                    endpoints,
                    healthCheck,
                    sourceRanges,
                    sessionAffinity,
                    localTrafficPolicy,
                    parameters,
                    annotations,
                    labels);
        }
    }
}
