package dev.berth.controller.service;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.testing.QuietProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A provider that touches the world, takes its time, and fails now and then. */
final class SimulatedProvider implements QuietProvider {
    /** What carries traffic: the addresses, by the uid of the Service. */
    final Map<String, List<String>> carried = new TreeMap<>();

    private final SimulatedWorld world;
    private long changes;

    SimulatedProvider(SimulatedWorld world) {
        this.world = world;
    }

    /** Grows with each change of what carries traffic. */
    long changes() {
        return changes;
    }

    @Override
    public Capabilities capabilities() {
        return Capabilities.fromPools(IpMode.PROXY, IpMode.VIP);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        int luck = world.faults ? world.random.nextInt(6) : 5;
        world.trace("provider ensures ", request.service(), " ", request.addresses(), ": ", luck);
        if (luck == 0) {
            throw new ProviderException("no luck");
        }
        if (luck == 1) {
            return new EnsureOutcome.Pending(Duration.ofSeconds(3), "on its way");
        }
        changes++;
        carried.put(request.service().uid(), request.addresses());
        return new EnsureOutcome.Ready(new LoadBalancerStatus(request.addresses().stream()
                .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                .toList()));
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        if (world.faults && world.random.nextInt(6) == 0) {
            throw new ProviderException("no luck");
        }
        world.trace("provider deletes ", request.service());
        changes++;
        carried.remove(request.service().uid());
    }
}
