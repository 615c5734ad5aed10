package dev.berth.providers.grpc;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import dev.berth.providers.RemoteProvider;
import dev.berth.providers.grpc.v1.EnsureLoadBalancerDeletedRequest;
import dev.berth.providers.grpc.v1.EnsureLoadBalancerRequest;
import dev.berth.providers.grpc.v1.GetLoadBalancerNameRequest;
import dev.berth.providers.grpc.v1.GetLoadBalancerRequest;
import dev.berth.providers.grpc.v1.UpdateLoadBalancerRequest;
import dev.berth.providers.grpc.wire.RequestMapping;
import dev.berth.providers.grpc.wire.StatusMapping;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A plug-in in any language, behind a connection. */
public final class GrpcProvider implements RemoteProvider {
    private final Connection connection;

    /**
     * Begins to connect, and returns at once: a plug-in need not be there yet.
     *
     * @param name what a LoadBalancerClass calls it
     * @throws IllegalArgumentException if the settings cannot be used; the message says why
     */
    public GrpcProvider(String name, GrpcSettings settings, Clock clock) {
        connection = new Connection(name, settings, clock);
    }

    @Override
    public void whenChanged(Runnable listener) {
        connection.whenChanged(listener);
    }

    @Override
    public boolean isAvailable() {
        return connection.isAvailable();
    }

    @Override
    public boolean awaitConnected(Duration atMost) throws InterruptedException {
        return connection.awaitUp(atMost);
    }

    @Override
    public Capabilities capabilities() {
        return connection.capabilities();
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        GetLoadBalancerNameRequest request = GetLoadBalancerNameRequest.newBuilder()
                .setService(RequestMapping.write(service))
                .build();
        return connection.call(
                service.uid(),
                plugin -> StatusMapping.readName(
                        plugin.getLoadBalancerName(request).getName()));
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        GetLoadBalancerRequest wire = GetLoadBalancerRequest.newBuilder()
                .setRequest(RequestMapping.write(request))
                .build();
        return connection.call(request.service().uid(), plugin -> StatusMapping.read(plugin.getLoadBalancer(wire)));
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        EnsureLoadBalancerRequest wire = EnsureLoadBalancerRequest.newBuilder()
                .setRequest(RequestMapping.write(request))
                .build();
        return connection.call(request.service().uid(), plugin -> StatusMapping.read(plugin.ensureLoadBalancer(wire)));
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        UpdateLoadBalancerRequest wire = UpdateLoadBalancerRequest.newBuilder()
                .setRequest(RequestMapping.write(request))
                .build();
        connection.call(request.service().uid(), plugin -> plugin.updateLoadBalancer(wire));
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        EnsureLoadBalancerDeletedRequest wire = EnsureLoadBalancerDeletedRequest.newBuilder()
                .setRequest(RequestMapping.write(request))
                .build();
        connection.call(request.service().uid(), plugin -> plugin.ensureLoadBalancerDeleted(wire));
    }

    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        return connection.call("", plugin -> new Listing(plugin, clusterName).all());
    }

    @Override
    public void close() {
        connection.close();
    }
}
