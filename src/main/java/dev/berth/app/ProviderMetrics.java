package dev.berth.app;

import dev.berth.dataplane.haproxy.HaproxyProvider;
import dev.berth.plugin.jar.JarProvider;
import dev.berth.provider.LoadBalancerProvider;
import io.micrometer.prometheus.PrometheusMeterRegistry;

/** What Berth's own data planes count, among the metrics of the process that they run in. */
final class ProviderMetrics {
    private ProviderMetrics() {}

    /** Shows what {@code provider} counts, if it does, where {@code registry} is scraped. */
    static void show(LoadBalancerProvider provider, PrometheusMeterRegistry registry) {
        LoadBalancerProvider made = provider instanceof JarProvider jar ? jar.made() : provider;
        if (made instanceof HaproxyProvider haproxy) {
            registry.getPrometheusRegistry().register(haproxy.metrics());
        }
    }
}
