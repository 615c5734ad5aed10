package dev.berth.kube;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterService;
import dev.berth.servicecidr.PoolRange;
import dev.berth.servicecidr.ServiceCidr;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The cluster's own addresses and who has them, read live for who looks once. */
public final class LiveAddresses {
    private final KubernetesClient client;
    private final ApiCalls calls;
    private final FabricClusterNetwork network;

    public LiveAddresses(KubernetesClient client, NetworkingVersion version) {
        this.client = client;
        calls = new ApiCalls(client, new ApiBudget());
        this.network = FabricClusterNetwork.live(client, version);
    }

    public Read<List<ServiceCidr>> readServiceCidrs() {
        return network.readServiceCidrs();
    }

    public Read<List<ClusterIp>> readClusterIps() {
        return network.readClusterIps();
    }

    public Read<List<ClusterService>> readServices() {
        return calls.read(
                () -> client.services().inAnyNamespace().list().getItems(),
                services ->
                        Optional.of(services.stream().map(ClusterServices::of).toList()));
    }

    /** The addresses of all AddressPools; Absent: the API server does not know the kind. */
    public Read<List<PoolRange>> readPools() {
        return calls.read(this::pools, pools -> Optional.of(TakenNetworks.pools(pools.stream())));
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
}
