package dev.berth.app;

import dev.berth.dataplane.haproxy.HaproxyProvider;
import dev.berth.provider.LoadBalancerProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.util.stream.Stream;

/** What Berth's own data planes count, among the metrics of the process that they run in. */
final class ProviderMetrics {
    private ProviderMetrics() {}

    /** Shows what {@code provider} counts, if it does, where {@code registry} is scraped. */
    static void show(LoadBalancerProvider provider, MeterRegistry registry) {
        LoadBalancerProvider made = provider instanceof JarProvider jar ? jar.made() : provider;
        if (made instanceof HaproxyProvider haproxy) {
            prometheus(registry)
                    .forEach(scraped -> scraped.getPrometheusRegistry().register(haproxy.metrics()));
        }
    }

    private static Stream<PrometheusMeterRegistry> prometheus(MeterRegistry registry) {
        return (registry instanceof CompositeMeterRegistry all ? all.getRegistries().stream() : Stream.of(registry))
                .filter(PrometheusMeterRegistry.class::isInstance)
                .map(PrometheusMeterRegistry.class::cast);
    }
}
