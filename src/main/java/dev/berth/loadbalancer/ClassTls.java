package dev.berth.loadbalancer;

import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import java.util.List;

/**
 * The TLS that is terminated for the Services of a class.
 *
 * @param secretName of the Secret with certificate and key, in Berth's own namespace
 * @param ports of Services; empty: all TCP ports
 */
public record ClassTls(String secretName, List<Integer> ports) {
    public ClassTls {
        ports = List.copyOf(ports);
    }

    /** Whether clients of this port speak TLS. */
    boolean terminates(Port port) {
        return port.protocol() == Protocol.TCP && (ports.isEmpty() || ports.contains(port.port()));
    }
}
