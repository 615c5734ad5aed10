package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TrimmedTest {
    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private static <T extends HasMetadata> T kept(ItemStore<T> store, T object) {
        store.put(store.getKey(object), object);
        return store.get(store.getKey(object));
    }

    @Test
    void node_isKeptWithoutItsImages_andReadsTheSame() {
        Node whole = SampleNode.of(JSON, 1);
        Node kept = kept(Trimmed.nodes(), SampleNode.of(JSON, 1));

        assertThat(JSON.asJson(whole)).hasSizeGreaterThan(14_000);
        assertThat(JSON.asJson(kept)).hasSizeLessThan(1_200);
        assertThat(Nodes.state(kept)).isEqualTo(Nodes.state(whole));
        assertThat(ClusterInformers.addresses(kept)).isEqualTo(ClusterInformers.addresses(whole));
        assertThat(TakenNetworks.of(kept)).isEqualTo(TakenNetworks.of(whole));
        assertThat(kept.getMetadata().getResourceVersion())
                .isEqualTo(whole.getMetadata().getResourceVersion());
    }

    @Test
    void node_isKeptWithoutLabelsThatNothingDependsOn() {
        Node node = SampleNode.of(JSON, 1);
        for (int feature = 0; feature < 50; feature++) {
            node.getMetadata().getLabels().put("feature.node.kubernetes.io/cpu-" + feature, "true");
        }

        assertThat(JSON.asJson(kept(Trimmed.nodes(), node))).hasSizeLessThan(1_200);
    }

    @Test
    void nodeWithoutAStatus_isKept() {
        Node bare = JSON.unmarshal("{\"metadata\": {\"name\": \"bare\"}}", Node.class);

        assertThat(Nodes.state(kept(Trimmed.nodes(), bare)).name()).isEqualTo("bare");
    }

    @Test
    void namespace_isKeptWithItsLabels() {
        Namespace namespace = JSON.unmarshal("""
                        {"metadata": {"name": "prod", "labels": {"team": "a"}, "annotations": {"b": "c"}},
                        "spec": {"finalizers": ["kubernetes"]}}
                        """, Namespace.class);

        Namespace kept = kept(Trimmed.namespaces(), namespace);

        assertThat(kept.getMetadata().getLabels()).containsEntry("team", "a");
        assertThat(kept.getMetadata().getAnnotations()).isEmpty();
        assertThat(kept.getSpec()).isNull();
    }

    @Test
    void anyObject_isKeptWithoutWhoWroteWhichField() {
        Service service = JSON.unmarshal("""
                        {"metadata": {"name": "web", "namespace": "prod", "annotations": {"berth.dev/retain": "true"},
                        "managedFields": [{"manager": "kubectl"}]}, "spec": {"type": "LoadBalancer"}}
                        """, Service.class);

        Service kept = kept(Trimmed.any(), service);

        assertThat(kept.getMetadata().getManagedFields()).isEmpty();
        assertThat(kept.getMetadata().getAnnotations()).containsKey("berth.dev/retain");
        assertThat(ServiceStates.isLoadBalancer(kept)).isTrue();
    }

    private static Service served(String name) {
        return JSON.unmarshal("""
                        {"apiVersion": "v1", "kind": "Service",
                        "metadata": {"name": "%s", "namespace": "prod", "uid": "u-%1$s", "resourceVersion": "7",
                          "creationTimestamp": "2026-01-02T03:04:05Z", "finalizers": ["berth.dev/load-balancer"],
                          "labels": {"app": "%1$s"}, "annotations": {"berth.dev/retain": "true"}},
                        "spec": {"type": "LoadBalancer", "clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"],
                          "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None",
                          "externalTrafficPolicy": "Local", "internalTrafficPolicy": "Cluster", "healthCheckNodePort": 30001,
                          "loadBalancerSourceRanges": ["192.0.2.0/24", "198.51.100.0/24"], "selector": {"app": "%1$s"},
                          "ports": [{"name": "http", "port": 80, "targetPort": 8080, "nodePort": 30002, "protocol": "TCP"}]},
                        "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7", "ipMode": "VIP",
                            "ports": [{"port": 80, "protocol": "TCP"}]}]},
                          "conditions": [{"type": "berth.dev/AddressAssigned", "status": "True", "reason": "Assigned",
                            "message": "192.0.2.7", "lastTransitionTime": "2026-01-02T03:04:06Z"}]}}
                        """.formatted(name), Service.class);
    }

    @Test
    void service_isKeptWithAllThatIsReadOfIt() {
        Service whole = served("web");

        Service kept = kept(Trimmed.services(), served("web"));

        assertThat(ServiceStates.of(kept)).isEqualTo(ServiceStates.of(whole));
        assertThat(ClusterServices.of(kept)).isEqualTo(ClusterServices.of(whole));
        assertThat(TakenNetworks.of(kept)).isEqualTo(TakenNetworks.of(whole));
    }

    /** 10,000 Services took 73 MiB otherwise. */
    @Test
    void whatIsEmpty_orAWordOfMany_isTheSameObjectInAllServices() {
        Service one = kept(Trimmed.services(), served("one"));
        Service other = kept(Trimmed.services(), served("other"));

        for (Function<Service, Object> shared : List.<Function<Service, Object>>of(
                Service::getAdditionalProperties,
                service -> service.getMetadata().getAdditionalProperties(),
                service -> service.getMetadata().getOwnerReferences(),
                service -> service.getMetadata().getNamespace(),
                service -> service.getMetadata().getFinalizers().getFirst(),
                service -> service.getSpec().getAdditionalProperties(),
                service -> service.getSpec().getExternalIPs(),
                service -> service.getSpec().getType(),
                service -> service.getSpec().getIpFamilies().getFirst(),
                service -> service.getSpec().getPorts().getFirst().getAdditionalProperties(),
                service -> service.getSpec().getPorts().getFirst().getProtocol(),
                service -> service.getStatus().getConditions().getFirst().getAdditionalProperties(),
                service -> service.getStatus().getConditions().getFirst().getReason(),
                service -> service.getStatus().getLoadBalancer().getAdditionalProperties(),
                service -> service.getStatus()
                        .getLoadBalancer()
                        .getIngress()
                        .getFirst()
                        .getIpMode())) {
            assertThat(shared.apply(one)).isSameAs(shared.apply(other));
        }
    }

    @Test
    void serviceWithNothingInIt_orWithEntriesThatAreNull_isKept() {
        Service bare = JSON.unmarshal("{\"metadata\": {\"name\": \"bare\", \"namespace\": \"prod\"}}", Service.class);
        Service odd = JSON.unmarshal("""
                        {"metadata": {"name": "odd", "namespace": "prod", "labels": null, "annotations": {"a": null},
                          "finalizers": [null, "b"]},
                        "spec": {"type": null, "ports": [null, {"port": 80}], "clusterIPs": null, "ipFamilies": [null]},
                        "status": {"conditions": [null], "loadBalancer": {"ingress": [null, {"ip": "192.0.2.7"}]}}}
                        """, Service.class);

        assertThat(kept(Trimmed.services(), bare).getSpec()).isNull();
        assertThat(ServiceStates.of(kept(Trimmed.services(), odd)).ports()).hasSize(1);
    }

    /** As the control plane writes it for two Pods. */
    private static EndpointSlice slice(String service) {
        return JSON.unmarshal("""
                        {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                        "metadata": {"name": "%1$s-x7k2p", "namespace": "prod", "uid": "u-%1$s", "resourceVersion": "7",
                          "labels": {"kubernetes.io/service-name": "%1$s", "app": "%1$s", "team": "a",
                            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"},
                          "annotations": {"endpoints.kubernetes.io/last-change-trigger-time": "2026-01-02T03:04:05Z"}},
                        "ports": [{"name": "http", "port": 8080, "protocol": "TCP", "appProtocol": "http"}],
                        "endpoints": [
                          {"addresses": ["10.64.0.7"], "nodeName": "node-1", "zone": "zone-a", "hostname": "a",
                            "conditions": {"ready": true, "serving": true, "terminating": false},
                            "hints": {"forZones": [{"name": "zone-a"}]},
                            "targetRef": {"kind": "Pod", "name": "%1$s-0", "namespace": "prod", "uid": "u"}},
                          {"addresses": ["10.64.0.8"], "nodeName": "node-2",
                            "conditions": {"ready": false, "serving": true, "terminating": true},
                            "deprecatedTopology": {"a": "b"}},
                          {"addresses": ["10.64.0.9"]}]}
                        """.formatted(service), EndpointSlice.class);
    }

    @Test
    void endpointSlice_isKeptWithAllThatIsReadOfIt_andWithNothingElse() {
        EndpointSlice whole = slice("web");

        EndpointSlice kept = kept(Trimmed.endpointSlices(), slice("web"));

        assertThat(Endpoints.states(kept))
                .hasSize(3)
                .containsExactlyElementsOf(Endpoints.states(whole).toList());
        assertThat(Endpoints.serviceOf(kept)).isEqualTo(Endpoints.serviceOf(whole));
        assertThat(JSON.asJson(kept))
                .doesNotContain("targetRef", "hints", "hostname", "Topology", "appProtocol", "team", "last-change");
    }

    /** 200,000 endpoints take more than the heap otherwise. */
    @Test
    void whatManyEndpointsHaveInCommon_isTheSameObjectInAllSlices() {
        EndpointSlice one = kept(Trimmed.endpointSlices(), slice("one"));
        EndpointSlice other = kept(Trimmed.endpointSlices(), slice("other"));

        for (Function<EndpointSlice, Object> shared : List.<Function<EndpointSlice, Object>>of(
                EndpointSlice::getAdditionalProperties,
                EndpointSlice::getAddressType,
                slice -> slice.getPorts().getFirst().getName(),
                slice -> slice.getPorts().getFirst().getProtocol(),
                slice -> slice.getPorts().getFirst().getAdditionalProperties(),
                slice -> slice.getEndpoints().getFirst().getConditions(),
                slice -> slice.getEndpoints().getFirst().getNodeName(),
                slice -> slice.getEndpoints().getFirst().getZone(),
                slice -> slice.getEndpoints().getFirst().getAdditionalProperties())) {
            assertThat(shared.apply(one)).isSameAs(shared.apply(other));
        }
    }

    @Test
    void endpointSliceWithNothingInIt_orWithEntriesThatAreNull_isKept() {
        EndpointSlice bare = JSON.unmarshal(
                "{\"metadata\": {\"name\": \"bare\", \"namespace\": \"prod\"}, \"endpoints\": null, \"ports\": null}",
                EndpointSlice.class);
        EndpointSlice odd = JSON.unmarshal("""
                        {"metadata": {"name": "odd", "namespace": "prod", "labels": {"kubernetes.io/service-name": null}},
                        "ports": [null, {"port": 80}],
                        "endpoints": [null, {"addresses": null}, {"addresses": [null, "10.64.0.7"], "conditions": {"ready": null}}]}
                        """, EndpointSlice.class);

        assertThat(Endpoints.states(kept(Trimmed.endpointSlices(), bare))).isEmpty();
        assertThat(Endpoints.states(kept(Trimmed.endpointSlices(), odd))).hasSize(1);
    }
}
