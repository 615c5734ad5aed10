package dev.berth.provider;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a Service asks for. Immutable; two that are equal ask for the same. Made with {@link #builder}.
 */
public final class LoadBalancerRequest {
    private final String clusterName;
    private final ServiceIdentity service;
    private final long fencingToken;
    private final List<String> addresses;
    private final List<String> wantedAddresses;
    private final List<Capabilities.Family> families;
    private final List<Port> ports;
    private final IpMode ipMode;
    private final List<Node> nodes;
    private final List<Endpoint> endpoints;
    private final @Nullable HealthCheck healthCheck;
    private final List<String> sourceRanges;
    private final @Nullable Duration sessionAffinity;
    private final boolean localTrafficPolicy;
    private final Map<String, String> parameters;
    private final Map<String, String> annotations;
    private final Map<String, String> labels;
    private final @Nullable Tls tls;

    private LoadBalancerRequest(Builder builder) {
        clusterName = builder.clusterName;
        service = builder.service;
        fencingToken = builder.fencingToken;
        addresses = List.copyOf(builder.addresses);
        wantedAddresses = List.copyOf(builder.wantedAddresses);
        families = List.copyOf(builder.families);
        ports = List.copyOf(builder.ports);
        ipMode = builder.ipMode;
        nodes = List.copyOf(builder.nodes);
        endpoints = List.copyOf(builder.endpoints);
        healthCheck = builder.healthCheck;
        sourceRanges = List.copyOf(builder.sourceRanges);
        sessionAffinity = builder.sessionAffinity;
        localTrafficPolicy = builder.localTrafficPolicy;
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.parameters));
        annotations = Collections.unmodifiableMap(new LinkedHashMap<>(builder.annotations));
        labels = Collections.unmodifiableMap(new LinkedHashMap<>(builder.labels));
        tls = builder.tls;
    }

    /** Tells apart the clusters that one provider serves. */
    public String clusterName() {
        return clusterName;
    }

    /** Whose load balancer it is. */
    public ServiceIdentity service() {
        return service;
    }

    /**
     * Grows with each change of leader of a cluster; a provider refuses a lower one than the load balancer has seen,
     * also after it was deleted: it comes from a deposed leader, which is another process.
     */
    public long fencingToken() {
        return fencingToken;
    }

    /** The claimed addresses, canonical text; empty if the provider brings its own. */
    public List<String> addresses() {
        return addresses;
    }

    /** For a provider that brings its own: what the Service asks for; empty: any. */
    public List<String> wantedAddresses() {
        return wantedAddresses;
    }

    /** Of addresses wanted, in the Service's order; one or two. */
    public List<Capabilities.Family> families() {
        return families;
    }

    /** As in the Service, in its order; none that the provider cannot carry. */
    public List<Port> ports() {
        return ports;
    }

    /** How packets are to reach the nodes. */
    public IpMode ipMode() {
        return ipMode;
    }

    /** That are to get packets, by name; empty also for a provider that targets no nodes. */
    public List<Node> nodes() {
        return nodes;
    }

    /**
     * That are to get packets, by port, address and target port; empty also for a provider that does not target
     * endpoints.
     */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** By which a node is found able to receive traffic; null: none is known. */
    public @Nullable HealthCheck healthCheck() {
        return healthCheck;
    }

    /** CIDRs whose packets are allowed; empty: all are. */
    public List<String> sourceRanges() {
        return sourceRanges;
    }

    /** For how long a client's packets go to one target; null: no affinity. */
    public @Nullable Duration sessionAffinity() {
        return sessionAffinity;
    }

    /**
     * Whether {@code spec.externalTrafficPolicy} is Local: the client's address is kept, and a node without an
     * endpoint fails the health check.
     */
    public boolean localTrafficPolicy() {
        return localTrafficPolicy;
    }

    /** The settings of the load balancer class. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /** Those of the Service that the provider reads, by name. */
    public Map<String, String> annotations() {
        return annotations;
    }

    /** All of the Service, by name. */
    public Map<String, String> labels() {
        return labels;
    }

    /** The TLS that is to be terminated; null: none. Only for {@link Capabilities.Feature#TLS_TERMINATION}. */
    public @Nullable Tls tls() {
        return tls;
    }

    /**
     * A port of the load balancer.
     *
     * @param name empty if the Service has one port without a name
     * @param port 1 to 65535
     * @param nodePort 0: none
     * @param appProtocol what is spoken on it, as {@code spec.ports[].appProtocol} names it; null: not set
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

    /** A node of the cluster. Made with {@link #named}, and the {@code with…} methods. */
    public static final class Node {
        private final String name;
        private final String providerId;
        private final List<String> addresses;
        private final String zone;
        private final String region;
        private final Map<String, String> labels;

        private Node(
                String name,
                String providerId,
                List<String> addresses,
                String zone,
                String region,
                Map<String, String> labels) {
            this.name = name;
            this.providerId = providerId;
            this.addresses = List.copyOf(addresses);
            this.zone = zone;
            this.region = region;
            this.labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
        }

        /** One of which nothing else is known. */
        public static Node named(String name) {
            return new Node(name, "", List.of(), "", "", Map.of());
        }

        /** {@code spec.providerID}. */
        public Node withProviderId(String providerId) {
            return new Node(name, providerId, addresses, zone, region, labels);
        }

        /** Canonical text. */
        public Node withAddresses(List<String> addresses) {
            return new Node(name, providerId, addresses, zone, region, labels);
        }

        /** The value of its label {@code topology.kubernetes.io/zone}. */
        public Node withZone(String zone) {
            return new Node(name, providerId, addresses, zone, region, labels);
        }

        /** The value of its label {@code topology.kubernetes.io/region}. */
        public Node withRegion(String region) {
            return new Node(name, providerId, addresses, zone, region, labels);
        }

        /** Its other labels, by name. */
        public Node withLabels(Map<String, String> labels) {
            return new Node(name, providerId, addresses, zone, region, labels);
        }

        public String name() {
            return name;
        }

        /** {@code spec.providerID}; empty: none. */
        public String providerId() {
            return providerId;
        }

        /** Its internal addresses, or its external ones if it has no internal ones; canonical text. */
        public List<String> addresses() {
            return addresses;
        }

        /** The value of its label {@code topology.kubernetes.io/zone}; empty: none. */
        public String zone() {
            return zone;
        }

        /** The value of its label {@code topology.kubernetes.io/region}; empty: none. */
        public String region() {
            return region;
        }

        /**
         * Those of its other labels that Kubernetes or the administrator gives it for good: under {@code kubernetes.io/},
         * {@code node.kubernetes.io/}, {@code node-role.kubernetes.io/}, {@code node-restriction.kubernetes.io/} and
         * {@code topology.kubernetes.io/}. No others: what changes with the hour would have every load balancer updated.
         */
        public Map<String, String> labels() {
            return labels;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Node that && parts().equals(that.parts());
        }

        @Override
        public int hashCode() {
            return parts().hashCode();
        }

        @Override
        public String toString() {
            return "Node" + parts();
        }

        private List<Object> parts() {
            return List.of(name, providerId, addresses, zone, region, labels);
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
     * @param node that it runs on; empty: not known
     * @param zone that it is in; empty: not known
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

    /**
     * TLS that the load balancer terminates: its clients speak TLS with it, and targets get what is inside.
     *
     * @param ports those of {@link #ports} that are never served without it; at least one
     * @param certificate PEM: the server's, and after it those of the authorities that vouch for it
     * @param privateKey PEM, PKCS #8, of the server's certificate; not for logs, messages, or files that others can read
     */
    public record Tls(List<Integer> ports, String certificate, String privateKey) {
        public Tls {
            ports = List.copyOf(ports);
        }

        /** Without the key. */
        @Override
        public String toString() {
            return "Tls" + ports;
        }
    }

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
        builder.tls = tls;
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

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof LoadBalancerRequest that && parts().equals(that.parts()));
    }

    @Override
    public int hashCode() {
        return parts().hashCode();
    }

    @Override
    public String toString() {
        return "LoadBalancerRequest" + parts();
    }

    private List<@Nullable Object> parts() {
        return Arrays.asList(
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
                labels,
                tls);
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
        private @Nullable Tls tls;

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

        public Builder tls(@Nullable Tls value) {
            tls = value;
            return this;
        }

        public LoadBalancerRequest build() {
            return new LoadBalancerRequest(this);
        }
    }
}
