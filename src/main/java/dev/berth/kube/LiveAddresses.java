package dev.berth.kube;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ClusterService;
import dev.berth.clusterip.PoolRange;
import dev.berth.clusterip.ServiceCidr;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The cluster's own addresses and who has them, read live for who looks once, and new Services. */
public final class LiveAddresses implements NewServices {
    private final KubernetesClient client;
    private final FabricClusterNetwork network;
    private final ApiCalls calls;

    public LiveAddresses(KubernetesClient client, NetworkingVersion version) {
        this.client = client;
        this.network = FabricClusterNetwork.live(client, version);
        this.calls = new ApiCalls(client);
    }

    @Override
    public Read<List<ServiceCidr>> readServiceCidrs() {
        return network.readServiceCidrs();
    }

    @Override
    public Read<List<ClusterIp>> readClusterIps() {
        return network.readClusterIps();
    }

    /** By a list of one, for which the right to list is enough. */
    @Override
    public Read<List<ClusterIp>> readClusterIp(Ip ip) {
        return network.readClusterIp(ip);
    }

    /** All Services. */
    public Read<List<ClusterService>> readServices() {
        return ApiCalls.read(
                () -> client.services().inAnyNamespace().list().getItems(),
                services ->
                        Optional.of(services.stream().map(ClusterServices::of).toList()));
    }

    /** The addresses of all AddressPools; Absent: the API server does not know the kind. */
    public Read<List<PoolRange>> readPools() {
        return ApiCalls.read(this::pools, pools -> Optional.of(TakenNetworks.pools(pools.stream())));
    }

    private @Nullable List<AddressPool> pools() {
        try {
            return client.resources(AddressPool.class).list().getItems();
        } catch (KubernetesClientException failure) {
            if (failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return null;
            }
            throw failure;
        }
    }

    @Override
    public Read<Service> read(ServiceKey service) {
        return ApiCalls.read(
                () -> client.services()
                        .inNamespace(service.namespace())
                        .withName(service.name())
                        .get(),
                Optional::of);
    }

    @Override
    public Write<Service> rehearse(Service service) {
        return calls.create(
                () -> client.resource(service)
                        .dryRun()
                        .fieldValidation(Validation.STRICT)
                        .create(),
                created -> created);
    }

    @Override
    public Write<Service> create(Service service) {
        return calls.create(
                () -> client.resource(service)
                        .fieldValidation(Validation.STRICT)
                        .create(),
                created -> created);
    }

    @Override
    public Write<ClusterIp> release(ClusterIp seen) {
        return network.release(seen);
    }
}
