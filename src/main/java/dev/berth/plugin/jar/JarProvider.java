package dev.berth.plugin.jar;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The provider of a jar. Its libraries find what they look for by way of the thread's class loader, and what it can do is
 * asked once.
 */
public final class JarProvider implements LoadBalancerProvider {
    private final ClassLoader loader;
    private final LoadBalancerProvider provider;
    private final Capabilities capabilities;

    JarProvider(ClassLoader loader, LoadBalancerProvider provider, Capabilities capabilities) {
        this.loader = loader;
        this.provider = provider;
        this.capabilities = capabilities;
    }

    /** Does this with the class loader as that of the thread. */
    static <T> T within(ClassLoader loader, Supplier<T> what) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return what.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** What the jar made. */
    public LoadBalancerProvider made() {
        return provider;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return within(loader, () -> provider.getLoadBalancerName(service));
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        return within(loader, () -> provider.getLoadBalancer(request));
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        return within(loader, () -> provider.ensureLoadBalancer(request));
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        within(loader, () -> {
            provider.updateLoadBalancer(request);
            return true;
        });
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        within(loader, () -> {
            provider.ensureLoadBalancerDeleted(request);
            return true;
        });
    }

    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        return within(loader, () -> provider.listLoadBalancers(clusterName));
    }

    @Override
    public void onChange(Consumer<ServiceIdentity> listener) {
        within(loader, () -> {
            provider.onChange(listener);
            return true;
        });
    }

    @Override
    public void close() {
        within(loader, () -> {
            provider.close();
            return true;
        });
    }
}
