package dev.berth.loadbalancer;

import dev.berth.ip.Ip;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.IpMode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A class that this Berth serves.
 *
 * @param name of the LoadBalancerClass object
 * @param value what a Service writes into {@code spec.loadBalancerClass}
 * @param pools empty: every pool
 * @param ipMode how packets arrive: the class' word, or the provider's
 * @param healthCheck how nodes are found fit, where the provider targets nodes
 * @param releasesNodePorts whether its Services give back their node ports
 * @param refusesUnenforcedSourceRanges whether a Service is not served where nobody enforces its source ranges
 * @param tls that is terminated for its Services; null: none
 */
public record ServedClass(
        String name,
        String value,
        String provider,
        Capabilities capabilities,
        Map<String, String> parameters,
        List<String> pools,
        IpMode ipMode,
        HealthCheckPolicy healthCheck,
        boolean releasesNodePorts,
        boolean refusesUnenforcedSourceRanges,
        @Nullable ClassTls tls) {
    public ServedClass {
        pools = List.copyOf(pools);
    }

    /** Without TLS. */
    public ServedClass(
            String name,
            String value,
            String provider,
            Capabilities capabilities,
            Map<String, String> parameters,
            List<String> pools,
            IpMode ipMode,
            HealthCheckPolicy healthCheck,
            boolean releasesNodePorts,
            boolean refusesUnenforcedSourceRanges) {
        this(
                name,
                value,
                provider,
                capabilities,
                parameters,
                pools,
                ipMode,
                healthCheck,
                releasesNodePorts,
                refusesUnenforcedSourceRanges,
                null);
    }

    /** What this Service publishes of what the provider brought; empty if Berth allocates its addresses. */
    public List<Ip> brought(ServiceState service) {
        return capabilities.addresses() == AddressSource.PROVIDER ? Adoption.withheld(service) : List.of();
    }

    /**
     * Whether its Services have {@link WellKnownNames#SERVED_BY_CLASS}: their addresses are not ours, or what the provider
     * made must be deleted, whatever becomes of the class.
     */
    boolean isMarkedOnServices() {
        return capabilities.addresses() == AddressSource.PROVIDER || !capabilities.immediate();
    }
}
