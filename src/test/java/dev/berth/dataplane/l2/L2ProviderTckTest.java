package dev.berth.dataplane.l2;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.tck.LoadBalancerProviderTck;

/** The provider {@code l2} keeps the contract. */
class L2ProviderTckTest extends LoadBalancerProviderTck {
    @Override
    protected LoadBalancerProvider provider() {
        return new L2Provider();
    }
}
