package dev.berth.telemetry;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Counts and times the calls to a provider: {@code berth_provider_calls_seconds{provider,call,outcome}}. */
public final class MeteredProvider implements LoadBalancerProvider {
    private final String name;
    private final LoadBalancerProvider provider;
    private final MeterRegistry registry;

    public MeteredProvider(String name, LoadBalancerProvider provider, MeterRegistry registry) {
        this.name = name;
        this.provider = provider;
        this.registry = registry;
    }

    /** Shows whether a provider in another process is called: {@code berth_provider_available{provider}}, 1 or 0. */
    public static void showAvailability(String name, BooleanSupplier isAvailable, MeterRegistry registry) {
        Gauge.builder("berth.provider.available", isAvailable, is -> is.getAsBoolean() ? 1 : 0)
                .description("1 while a provider in a separate process is called; 0 while it cannot be reached, or is"
                        + " not called because of repeated failures")
                .tag("provider", name)
                .strongReference(true)
                .register(registry);
    }

    private <T> T timed(String call, Supplier<T> work) {
        long start = System.nanoTime();
        boolean done = false;
        try {
            T answer = work.get();
            done = true;
            return answer;
        } finally {
            registry.timer("berth.provider.calls", "provider", name, "call", call, "outcome", done ? "done" : "failed")
                    .record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public Capabilities capabilities() {
        return provider.capabilities();
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return provider.getLoadBalancerName(service);
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        return timed("get", () -> provider.getLoadBalancer(request));
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        return timed("ensure", () -> provider.ensureLoadBalancer(request));
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        timed("update", () -> {
            provider.updateLoadBalancer(request);
            return true;
        });
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        timed("delete", () -> {
            provider.ensureLoadBalancerDeleted(request);
            return true;
        });
    }

    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        return timed("list", () -> provider.listLoadBalancers(clusterName));
    }

    @Override
    public void onChange(Consumer<ServiceIdentity> listener) {
        provider.onChange(listener);
    }

    @Override
    public void close() {
        provider.close();
    }
}
