package dev.berth.plugin.grpc;

import dev.berth.plugin.RemoteProvider;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerDeletedRequest;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerRequest;
import dev.berth.plugin.grpc.v1.GetLoadBalancerNameRequest;
import dev.berth.plugin.grpc.v1.GetLoadBalancerRequest;
import dev.berth.plugin.grpc.v1.UpdateLoadBalancerRequest;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.plugin.grpc.wire.RequestMapping;
import dev.berth.plugin.grpc.wire.StatusMapping;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A plug-in in any language, behind a connection. */
public final class GrpcProvider implements RemoteProvider {
    /** Of a message, around the request in it. */
    private static final int ENVELOPE = 64;

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
        return connection.ask(plugin ->
                StatusMapping.readName(plugin.getLoadBalancerName(request).getName()));
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        GetLoadBalancerRequest wire =
                GetLoadBalancerRequest.newBuilder().setRequest(written(request)).build();
        return connection.call(request.service(), plugin -> StatusMapping.read(plugin.getLoadBalancer(wire)));
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        EnsureLoadBalancerRequest wire = EnsureLoadBalancerRequest.newBuilder()
                .setRequest(written(request))
                .build();
        return connection.call(request.service(), plugin -> StatusMapping.read(plugin.ensureLoadBalancer(wire)));
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        UpdateLoadBalancerRequest wire = UpdateLoadBalancerRequest.newBuilder()
                .setRequest(written(request))
                .build();
        connection.call(request.service(), plugin -> plugin.updateLoadBalancer(wire));
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        EnsureLoadBalancerDeletedRequest wire = EnsureLoadBalancerDeletedRequest.newBuilder()
                .setRequest(written(request))
                .build();
        connection.call(request.service(), plugin -> plugin.ensureLoadBalancerDeleted(wire));
    }

    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        return connection.call(null, plugin -> new Listing(plugin, clusterName).all());
    }

    @Override
    public void onChange(Consumer<ServiceIdentity> listener) {
        connection.onChange(listener);
    }

    /** Too large a one would count as the plug-in's trouble, and is its Service's. */
    private static dev.berth.plugin.grpc.v1.LoadBalancerRequest written(LoadBalancerRequest request) {
        dev.berth.plugin.grpc.v1.LoadBalancerRequest wire = RequestMapping.write(request);
        if (wire.getSerializedSize() > Contract.LARGEST_MESSAGE - ENVELOPE) {
            throw new ProviderException("the request for Service " + request.service() + " has "
                    + wire.getSerializedSize() + " bytes, with "
                    + request.endpoints().size() + " endpoints and "
                    + request.nodes().size() + " nodes; a plug-in takes " + (Contract.LARGEST_MESSAGE >> 20)
                    + " MiB. Split the Service");
        }
        return wire;
    }

    @Override
    public void close() {
        connection.close();
    }
}
