package dev.berth.testing;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Reports what it is told to, and has no load balancers. */
public final class ReportingProvider implements QuietProvider {
    private final Consumer<Consumer<ServiceIdentity>> onChange;
    private final List<Consumer<ServiceIdentity>> listeners = new CopyOnWriteArrayList<>();

    public ReportingProvider() {
        this(listener -> {});
    }

    /** @param onChange what else it does when it is to report changes, to this listener */
    public ReportingProvider(Consumer<Consumer<ServiceIdentity>> onChange) {
        this.onChange = onChange;
    }

    @Override
    public Capabilities capabilities() {
        return Capabilities.ofItsOwn(IpMode.PROXY);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        return EnsureOutcome.implementedElsewhere();
    }

    @Override
    public void onChange(Consumer<ServiceIdentity> listener) {
        listeners.add(listener);
        onChange.accept(listener);
    }

    /** How many it reports to. */
    public int listeners() {
        return listeners.size();
    }

    /** To each that listens. */
    public void report(ServiceIdentity service) {
        listeners.forEach(listener -> listener.accept(service));
    }
}
