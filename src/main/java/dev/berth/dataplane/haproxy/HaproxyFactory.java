package dev.berth.dataplane.haproxy;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderFactory;
import java.util.Map;

/** Makes the provider {@code haproxy}. */
public final class HaproxyFactory implements ProviderFactory {
    @Override
    public String name() {
        return HaproxyProvider.NAME;
    }

    @Override
    public LoadBalancerProvider create(Map<String, String> settings) {
        return new HaproxyProvider(settings);
    }
}
