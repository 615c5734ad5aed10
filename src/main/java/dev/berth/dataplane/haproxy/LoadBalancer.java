package dev.berth.dataplane.haproxy;

import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What HAProxy is to do for one Service.
 *
 * @param name {@link HaproxyProvider#getLoadBalancerName}; letters, digits and hyphens
 * @param clusterName whose Service it is
 * @param namespace of the Service
 * @param service name of the Service
 * @param uid of the Service
 * @param addresses to listen on, canonical text
 * @param ports TCP, by number
 * @param sourceRanges CIDRs that are let in; empty: all are
 * @param sessionAffinity for how long a client's connections go to one target; null: no affinity
 * @param usesAllIfAllFail whether connections go to all targets of a port while each fails its health check; else they
 *     are refused
 * @param parameters of the class
 * @param tls that is terminated; null: none
 */
record LoadBalancer(
        String name,
        String clusterName,
        String namespace,
        String service,
        String uid,
        List<String> addresses,
        List<ListenPort> ports,
        List<String> sourceRanges,
        @Nullable Duration sessionAffinity,
        boolean usesAllIfAllFail,
        ClassParameters parameters,
        @Nullable Tls tls) {
    private static final String UNCHECKED = "-any";

    LoadBalancer {
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
        sourceRanges = List.copyOf(sourceRanges);
    }

    ServiceIdentity identity() {
        return new ServiceIdentity(namespace, service, uid);
    }

    /**
     * Which ports speak TLS. Certificate and key are in a file of their own, see {@link Certificates}.
     *
     * @param digest of that file; empty: it is lost, and the ports are closed until there is another
     */
    record Tls(List<Integer> ports, String digest) {
        Tls {
            ports = List.copyOf(ports);
        }

        boolean isLost() {
            return digest.isEmpty();
        }
    }

    /** A port, and where its connections go. */
    record ListenPort(int port, List<Target> targets) {
        ListenPort {
            targets = List.copyOf(targets);
        }
    }

    /**
     * Where connections go.
     *
     * @param address canonical text
     * @param checkPort of the health check
     * @param checkPath of an HTTP GET that must be answered with 200; null: TCP has to connect
     * @param checkAddress of the health check; null: the same address
     */
    record Target(
            String address,
            int port,
            int checkPort,
            @Nullable String checkPath,
            @Nullable String checkAddress) {
        /** One that is checked on its own address. */
        Target(String address, int port, int checkPort, @Nullable String checkPath) {
            this(address, port, checkPort, checkPath, null);
        }

        /** Whether it gets nothing before its first health check. */
        boolean startsDown() {
            return checkPath != null;
        }

        /** Of HAProxy's server: the same for the same target, and unlike any other of its port. */
        String server() {
            return address.replace(':', '-') + "_" + port;
        }
    }

    /**
     * What a request asks for.
     *
     * @throws ProviderException if a parameter of the class is unknown or out of range
     */
    static LoadBalancer of(String name, LoadBalancerRequest request) {
        return new LoadBalancer(
                name,
                request.clusterName(),
                request.service().namespace(),
                request.service().name(),
                request.service().uid(),
                request.addresses(),
                request.ports().stream()
                        .map(port -> new ListenPort(port.port(), targets(request, port)))
                        .toList(),
                request.sourceRanges(),
                request.sessionAffinity(),
                // With policy Local, a node that fails has no endpoint, and would drop them.
                !request.localTrafficPolicy(),
                ClassParameters.of(request.parameters()),
                Optional.ofNullable(request.tls())
                        .map(tls -> new Tls(tls.ports(), Certificates.digest(Certificates.pem(tls))))
                        .orElse(null));
    }

    private static List<Target> targets(LoadBalancerRequest request, Port port) {
        if (!request.endpoints().isEmpty()) {
            return endpoints(request.endpoints(), port);
        }
        return port.nodePort() == 0
                ? List.of()
                : request.nodes().stream()
                        .filter(node -> !node.addresses().isEmpty())
                        .map(node -> onNode(request, node.addresses(), port))
                        .distinct()
                        .toList();
    }

    /** kube-proxy opens a node port, and the health check of policy Local, by the families that the Service has. */
    private static Target onNode(LoadBalancerRequest request, List<String> ofNode, Port port) {
        String main = ofNode.getFirst();
        String address = ofNode.stream()
                .filter(one -> request.addresses().stream().anyMatch(listening -> isIpv6(listening) == isIpv6(one)))
                .findFirst()
                .orElse(main);
        HealthCheck check = request.healthCheck();
        if (check == null) {
            return new Target(address, port.nodePort(), port.nodePort(), null);
        }
        // Of the node itself, kube-proxy may answer by the node's main family alone.
        boolean isOfTheNode = !request.localTrafficPolicy() && check.path() != null && !address.equals(main);
        return new Target(address, port.nodePort(), check.port(), check.path(), isOfTheNode ? main : null);
    }

    /** Of a pod with addresses of both families, those of the first one's: twice would be double its share. */
    private static List<Target> endpoints(List<Endpoint> endpoints, Port port) {
        List<Endpoint> ofPort = endpoints.stream()
                .filter(endpoint -> endpoint.port().equals(port.name()))
                .toList();
        return ofPort.stream()
                .filter(endpoint ->
                        isIpv6(endpoint.address()) == isIpv6(ofPort.getFirst().address()))
                .map(endpoint -> new Target(endpoint.address(), endpoint.targetPort(), endpoint.targetPort(), null))
                .distinct()
                .toList();
    }

    static boolean isIpv6(String address) {
        return address.indexOf(':') >= 0;
    }

    /** The same without targets and digest: what HAProxy has to be reloaded for. */
    LoadBalancer withoutTargets() {
        return new LoadBalancer(
                name,
                clusterName,
                namespace,
                service,
                uid,
                addresses,
                ports.stream()
                        .map(port -> new ListenPort(port.port(), List.of()))
                        .toList(),
                sourceRanges,
                sessionAffinity,
                usesAllIfAllFail,
                parameters,
                tls == null || tls.isLost() ? tls : new Tls(tls.ports(), "any"));
    }

    /** The same with the file of certificate and key that there is; empty: there is none. */
    LoadBalancer withCertificate(String digest) {
        return tls == null
                ? this
                : new LoadBalancer(
                        name,
                        clusterName,
                        namespace,
                        service,
                        uid,
                        addresses,
                        ports,
                        sourceRanges,
                        sessionAffinity,
                        usesAllIfAllFail,
                        parameters,
                        new Tls(tls.ports(), digest));
    }

    /** Whether clients of the port speak TLS. */
    boolean hasTls(ListenPort port) {
        return tls != null && tls.ports().contains(port.port());
    }

    /** Whether it listens on all of its ports. */
    boolean isWhole() {
        return tls == null || !tls.isLost();
    }

    /** The ports that it listens on. */
    List<ListenPort> open() {
        return ports.stream().filter(port -> isWhole() || !hasTls(port)).toList();
    }

    /** HAProxy's name for a port of it, as frontend and backend. */
    String proxy(ListenPort port) {
        return name + "-" + port.port();
    }

    /** HAProxy's name for the backend with the same targets that checks none. */
    String unchecked(ListenPort port) {
        return proxy(port) + UNCHECKED;
    }

    /** {@link #proxy} of the same port, of that or of {@link #unchecked}. */
    static String proxyOf(String name) {
        return name.endsWith(UNCHECKED) ? name.substring(0, name.length() - UNCHECKED.length()) : name;
    }
}
