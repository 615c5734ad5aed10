package dev.berth.bench;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.kube.SampleNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * 1,000 Nodes, and for each Service of {@link WaitingServices} the two EndpointSlices that the control plane writes for ten Pods
 * with an address of each family. A class whose provider targets endpoints has Berth watch them all; no Service is of it.
 */
final class WideCluster {
    private static final int NODES = 1000;
    private static final int FAMILIES = 2;
    private static final int PODS = 10;
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
        slices = services * FAMILIES;
        WaitingServices.eachOf(NODES, this::createNode);
        WaitingServices.eachOf(slices, this::createSlice);
    }

    /** Returns once Berth serves the class, and so knows the endpoints. */
    void awaitClass() {
        client.resources(LoadBalancerClass.class)
                .withName("nginx")
                .waitUntilCondition(WideCluster::isReady, 1, TimeUnit.MINUTES);
    }

    private static boolean isReady(LoadBalancerClass one) {
        return one.getStatus() != null
                && one.getStatus().conditions() != null
                && one.getStatus().conditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
    }

    /** As large as a real one; no kubelet reports for it. */
    private void createNode(int number) {
        Node node = SampleNode.of(client.getKubernetesSerialization(), number);
        node.getMetadata().setResourceVersion(null);
        node.getMetadata().setManagedFields(List.of());
        client.resource(node).create();
    }

    private static String slice(int number) {
        return WaitingServices.name(number / FAMILIES) + "-" + number % FAMILIES;
    }

    private void createSlice(int number) {
        boolean ipv6 = number % FAMILIES == 1;
        int service = number / FAMILIES;
        client.resource(new EndpointSliceBuilder()
                        .withNewMetadata()
                        .withNamespace(WaitingServices.NAMESPACE)
                        .withName(slice(number))
                        .addToLabels("kubernetes.io/service-name", WaitingServices.name(service))
                        .addToLabels("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io")
                        .addToAnnotations("endpoints.kubernetes.io/last-change-trigger-time", "2026-01-02T03:04:05Z")
                        .addNewOwnerReference()
                        .withApiVersion("v1")
                        .withKind("Service")
                        .withName(WaitingServices.name(service))
                        .withUid("1e6a1f0c-5a54-4b9e-9d3d-%012d".formatted(service))
                        .withController(true)
                        .withBlockOwnerDeletion(true)
                        .endOwnerReference()
                        .endMetadata()
                        .withAddressType(ipv6 ? "IPv6" : "IPv4")
                        .addNewPort()
                        .withName("")
                        .withPort(8080)
                        .withProtocol("TCP")
                        .endPort()
                        .withEndpoints(IntStream.range(0, PODS)
                                .mapToObj(pod -> endpoint(
                                        (ipv6 ? "fd00::%x:%x:%x" : "10.%d.%d.%d")
                                                .formatted(service / 250 + 1, service % 250 + 1, pod + 1),
                                        service,
                                        pod))
                                .toList())
                        .build())
                .create();
    }

    private static Endpoint endpoint(String address, int service, int pod) {
        return new EndpointBuilder()
                .withAddresses(address)
                .withNodeName("node-%05d.example.com".formatted((service + pod) % NODES))
                .withZone("zone-" + pod % 3)
                .withNewConditions(true, true, false)
                .withNewTargetRef()
                .withKind("Pod")
                .withNamespace(WaitingServices.NAMESPACE)
                .withName(WaitingServices.name(service) + "-7d4b9c6f5-x" + pod)
                .withUid("1e6a1f0c-5a54-4b9e-9d3c-%012d".formatted(service * PODS + pod))
                .endTargetRef()
                .build();
    }

    /** One EndpointSlice of IPv4 after the other: an endpoint of it gets another address. */
    void change(int count, Duration pause) throws InterruptedException {
        long begin = System.nanoTime();
        for (int number = 0; number < count; number++) {
            client.resource(new EndpointSliceBuilder()
                            .withNewMetadata()
                            .withNamespace(WaitingServices.NAMESPACE)
                            .withName(slice(number * FAMILIES % slices))
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
