package dev.berth.provider.tck;

import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A look at what a provider has made, past the provider itself. */
public interface World {
    /**
     * What carries traffic for the Service.
     *
     * @return absent if nothing does
     */
    Optional<Seen> look(String clusterName, ServiceIdentity service);

    /**
     * A load balancer at work.
     *
     * @param ports that it listens on, in any order
     * @param nodes that it sends packets to, in any order: each by its name, provider ID or address; of a provider that
     *     targets endpoints, their addresses
     * @param sourceRanges CIDRs that it allows, in any order; empty: all are
     * @param healthCheck by which it finds a node fit; null: it cannot be seen, and the rule about it is skipped
     */
    record Seen(
            List<Listener> ports,
            List<String> nodes,
            List<String> sourceRanges,
            @Nullable HealthCheck healthCheck) {
        public Seen {
            ports = List.copyOf(ports);
            nodes = List.copyOf(nodes);
            sourceRanges = List.copyOf(sourceRanges);
        }

        /** One whose health check cannot be seen. */
        public Seen(List<Listener> ports, List<String> nodes, List<String> sourceRanges) {
            this(ports, nodes, sourceRanges, null);
        }
    }

    /** A port that is listened on. */
    record Listener(Protocol protocol, int port) {}
}
