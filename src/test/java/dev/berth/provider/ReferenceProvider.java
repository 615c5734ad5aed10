package dev.berth.provider;

import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.ReferenceWorld.Held;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A provider that keeps every rule, and is Pending once. Its parts can be broken one by one. */
class ReferenceProvider implements LoadBalancerProvider {
    /** What may change a load balancer. */
    enum Call {
        ENSURE,
        UPDATE,
        DELETE
    }

    static final Duration MOMENT = Duration.ofMillis(1);

    final ReferenceWorld world;
    final Capabilities capabilities;

    ReferenceProvider(ReferenceWorld world, Capabilities capabilities) {
        this.world = world;
        this.capabilities = capabilities;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return "lb-" + service.uid();
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        reach();
        return world.find(request).filter(Held::ready).map(Held::status);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        reach();
        Optional<Held> before = world.find(request);
        fence(Call.ENSURE, before, request);
        LoadBalancerStatus status = status(request, before);
        world.hold(new Held(request, status, before.isPresent()));
        if (before.isEmpty()) {
            return pending(request);
        }
        carry(request, before.get());
        return EnsureOutcome.ready(status);
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        reach();
        Held before = world.find(request).orElseThrow(() -> new ProviderException(request.service() + " has none"));
        fence(Call.UPDATE, Optional.of(before), request);
        LoadBalancerRequest now = before.request().toBuilder()
                .fencingToken(request.fencingToken())
                .nodes(request.nodes())
                .endpoints(request.endpoints())
                .build();
        world.hold(new Held(now, before.status(), before.ready()));
        world.carry(now);
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        reach();
        fence(Call.DELETE, world.find(request), request);
        world.stopTraffic(request);
        world.forget(request);
    }

    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        reach();
        return world.find(held -> held.request().clusterName().equals(clusterName)).stream()
                .map(held -> listed(held.request().service()))
                .toList();
    }

    // ---- what can be broken

    void reach() {
        world.reach();
    }

    void fence(Call call, Optional<Held> before, LoadBalancerRequest request) {
        if (world.token(request) > request.fencingToken()) {
            throw new ProviderException(request.clusterName() + " has a later leader");
        }
    }

    EnsureOutcome pending(LoadBalancerRequest request) {
        return EnsureOutcome.pending(MOMENT, "it is being made");
    }

    void carry(LoadBalancerRequest request, Held before) {
        world.carry(request);
    }

    LoadBalancerStatus status(LoadBalancerRequest request, Optional<Held> before) {
        return LoadBalancerStatus.of(addresses(request, before).stream()
                .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                .toList());
    }

    List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
        if (capabilities.addresses() == AddressSource.POOLS) {
            return request.addresses();
        }
        return before.map(ReferenceProvider::ips)
                .orElseGet(() ->
                        request.families().stream().map(world::nextAddress).toList());
    }

    ListedLoadBalancer listed(ServiceIdentity service) {
        return new ListedLoadBalancer(getLoadBalancerName(service), service);
    }

    static List<String> ips(Held held) {
        return held.status().ingress().stream()
                .flatMap(entry -> Optional.ofNullable(entry.ip()).stream())
                .toList();
    }
}
