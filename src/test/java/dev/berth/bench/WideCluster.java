package dev.berth.bench;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Many Nodes, and for each Service of {@link WaitingServices} two EndpointSlices of ten endpoints, as the control plane writes
 * them. A class whose provider targets endpoints has Berth watch them all; no Service is of it.
 */
final class WideCluster {
    static final int NODES = 1000;
    private static final int SLICES_EACH = 2;
    private static final int ENDPOINTS_EACH = 10;
    private static final String TO_ENDPOINTS = """
            apiVersion: berth.dev/v1alpha1
            kind: LoadBalancerClass
            metadata:
              name: nginx
            spec:
              loadBalancerClass: example.com/nginx
              provider: nginx
            """;

    private final KubernetesClient client;
    private int slices;

    WideCluster(KubernetesClient client) {
        this.client = client;
    }

    /** Creates them. */
    void create(int services) throws InterruptedException {
        client.resource(Serialization.unmarshal(TO_ENDPOINTS, LoadBalancerClass.class))
                .create();
        WaitingServices.eachOf(NODES, number -> Bench.createNode(client, node(number)));
        slices = services * SLICES_EACH;
        WaitingServices.eachOf(slices, this::createSlice);
    }

    private static String node(int number) {
        return "wide-" + number;
    }

    private static String slice(int number) {
        return WaitingServices.name(number / SLICES_EACH) + "-" + number % SLICES_EACH;
    }

    private void createSlice(int number) {
        client.resource(new EndpointSliceBuilder()
                        .withNewMetadata()
                        .withNamespace(WaitingServices.NAMESPACE)
                        .withName(slice(number))
                        .addToLabels("kubernetes.io/service-name", WaitingServices.name(number / SLICES_EACH))
                        .addToLabels("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io")
                        .endMetadata()
                        .withAddressType("IPv4")
                        .addNewPort()
                        .withName("")
                        .withPort(8080)
                        .withProtocol("TCP")
                        .endPort()
                        .withEndpoints(IntStream.range(0, ENDPOINTS_EACH)
                                .mapToObj(endpoint -> new EndpointBuilder()
                                        .withAddresses("10.%d.%d.%d".formatted(number / 250, number % 250, endpoint))
                                        .withNodeName(node((number + endpoint) % NODES))
                                        .withZone("zone-" + endpoint % 3)
                                        .withNewConditions(true, true, false)
                                        .withNewTargetRef()
                                        .withKind("Pod")
                                        .withNamespace(WaitingServices.NAMESPACE)
                                        .withName(slice(number) + "-7d4b9c6f5-x" + endpoint)
                                        .withUid("1e6a1f0c-5a54-4b9e-9d3c-%012d".formatted(number * 100 + endpoint))
                                        .endTargetRef()
                                        .build())
                                .toList())
                        .build())
                .create();
    }

    /** One EndpointSlice after the other: an endpoint of it gets another address. */
    void change(int count, Duration pause) throws InterruptedException {
        long begin = System.nanoTime();
        for (int number = 0; number < count; number++) {
            client.resource(new EndpointSliceBuilder()
                            .withNewMetadata()
                            .withNamespace(WaitingServices.NAMESPACE)
                            .withName(slice(number % slices))
                            .endMetadata()
                            .build())
                    .patch(
                            PatchContext.of(PatchType.JSON),
                            "[{\"op\": \"replace\", \"path\": \"/endpoints/0/addresses/0\", \"value\": \"10.100.%d.%d\"}]"
                                    .formatted(number / 250, number % 250));
            TimeUnit.NANOSECONDS.sleep(begin + (number + 1) * pause.toNanos() - System.nanoTime());
        }
    }
}
