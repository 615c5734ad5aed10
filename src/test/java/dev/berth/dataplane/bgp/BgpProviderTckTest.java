package dev.berth.dataplane.bgp;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.tck.LoadBalancerProviderTck;

/** The provider {@code bgp} keeps the contract. */
class BgpProviderTckTest extends LoadBalancerProviderTck {
    @Override
    protected LoadBalancerProvider provider() {
        return new BgpProvider();
    }
}
