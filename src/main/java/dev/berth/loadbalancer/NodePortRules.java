package dev.berth.loadbalancer;

import java.util.stream.Collectors;

/**
 * Whether the node ports of a Service are to be given back, as its class may ask for. Pure.
 *
 * <p>It is done once for each set of ports, and the Service remembers it: what allocates them again (a GitOps tool, a
 * chart) would otherwise be fought forever.
 */
final class NodePortRules {
    private NodePortRules() {}

    /** What is to become of them. */
    enum Verdict {
        /** They stay. */
        LEAVE,
        /** They are given back. */
        RELEASE,
        /** They were, and somebody has brought them back: it is said. */
        REALLOCATED
    }

    static Verdict of(ServiceState service, ServedClass served) {
        if (!served.releasesNodePorts() || service.ports().stream().allMatch(port -> port.nodePort() == 0)) {
            return Verdict.LEAVE;
        }
        return ports(service).equals(service.asked().annotations().get(WellKnownNames.NODE_PORTS_RELEASED))
                ? Verdict.REALLOCATED
                : Verdict.RELEASE;
    }

    /** The Service's ports: {@code "80/TCP 443/TCP"}. */
    static String ports(ServiceState service) {
        return service.ports().stream()
                .map(port -> port.port() + "/" + port.protocol())
                .collect(Collectors.joining(" "));
    }
}
