package dev.berth.provider;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a Service asks for. Immutable.
 *
 * @param clusterName tells apart the clusters that one provider serves
 * @param service whose load balancer it is
 * @param fencingToken grows with each change of leader; a provider that sees a lower one than before
 *     refuses: it comes from a deposed leader
 * @param addresses the claimed addresses, canonical text; empty if the provider brings its own
 * @param ports as in the Service, in its order
 * @param ipMode how packets are to reach the nodes
 * @param parameters the settings of the load balancer class
 */
public record LoadBalancerRequest(
        String clusterName,
        ServiceIdentity service,
        long fencingToken,
        List<String> addresses,
        List<Port> ports,
        IpMode ipMode,
        Map<String, String> parameters) {
    public LoadBalancerRequest {
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }

    /**
     * A port of the load balancer.
     *
     * @param name empty if the Service has one port without a name
     * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
     * @param port 1 to 65535
     * @param nodePort 0: none
     */
    public record Port(String name, String protocol, int port, int nodePort) {}
}
