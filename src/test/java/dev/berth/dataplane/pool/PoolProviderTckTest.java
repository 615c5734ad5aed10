package dev.berth.dataplane.pool;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.tck.LoadBalancerProviderTck;

/** The provider {@code pool} keeps the contract. */
class PoolProviderTckTest extends LoadBalancerProviderTck {
    @Override
    protected LoadBalancerProvider provider() {
        return new PoolProvider();
    }
}
