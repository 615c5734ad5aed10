package dev.berth.controller.service;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.testing.QuietProvider;
import java.time.Duration;

/** A provider that is never done. */
class PendingProvider implements QuietProvider {
    @Override
    public Capabilities capabilities() {
        return Capabilities.fromPools(IpMode.PROXY);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        return EnsureOutcome.pending(Duration.ofMinutes(1), "on its way");
    }
}
