package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LoadBalancerStatus;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.ServiceStatus;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps of each object in a cache only what Berth reads. Most of a Node is the list of its images: 5,000 with 50 images
 * each take 245 MiB whole, and 13 MiB so.
 */
public final class Trimmed<T extends HasMetadata> extends BasicItemStore<T> {
    /** Each combination of the three of an endpoint, once: they are 27 at most. */
    private static final Map<EndpointConditions, EndpointConditions> CONDITIONS = new ConcurrentHashMap<>();

    private final Consumer<T> trim;

    private Trimmed(Consumer<T> trim) {
        super(Cache::metaNamespaceKeyFunc);
        this.trim = trim;
    }

    /** Of any kind, all but managedFields, ownerReferences and unknown metadata. */
    public static <T extends HasMetadata> ItemStore<T> any() {
        return new Trimmed<>(Trimmed::compact);
    }

    /**
     * Of Services, all but targetPort and internalTrafficPolicy. Empty collections and common strings are shared by all of
     * them: otherwise they are half of the memory that a Service takes.
     */
    public static ItemStore<Service> services() {
        return new Trimmed<>(service -> {
            compact(service);
            service.setAdditionalProperties(Collections.emptyMap());
            if (service.getSpec() != null) {
                compact(service.getSpec());
            }
            if (service.getStatus() != null) {
                compact(service.getStatus());
            }
        });
    }

    /** Of Nodes, the labels that are read, spec and addresses. */
    static ItemStore<Node> nodes() {
        return new Trimmed<>(node -> {
            compact(node);
            node.getMetadata().setAnnotations(Map.of());
            node.getMetadata().setLabels(Nodes.read(node.getMetadata().getLabels()));
            if (node.getStatus() != null) {
                NodeStatus kept = new NodeStatus();
                kept.setAddresses(node.getStatus().getAddresses());
                node.setStatus(kept);
            }
        });
    }

    /**
     * Of EndpointSlices, their Service and ports, and of each endpoint addresses, conditions, node and zone. What many have in
     * common is shared: there may be 200,000 endpoints.
     */
    static ItemStore<EndpointSlice> endpointSlices() {
        return new Trimmed<>(slice -> {
            compact(slice);
            ObjectMeta metadata = slice.getMetadata();
            metadata.setAnnotations(Collections.emptyMap());
            String service = metadata.getLabels().get(Endpoints.SERVICE_LABEL);
            metadata.setLabels(
                    service == null
                            ? Collections.emptyMap()
                            : Collections.singletonMap(Endpoints.SERVICE_LABEL, service));
            slice.setAddressType(word(slice.getAddressType()));
            slice.setPorts(small(NullSafe.list(slice.getPorts())));
            slice.getPorts().forEach(Trimmed::compact);
            slice.setEndpoints(small(List.copyOf(NullSafe.list(slice.getEndpoints()))));
            slice.getEndpoints().forEach(Trimmed::compact);
            slice.setAdditionalProperties(Collections.emptyMap());
        });
    }

    private static void compact(EndpointPort port) {
        port.setAppProtocol(null);
        port.setName(word(port.getName()));
        port.setProtocol(word(port.getProtocol()));
        port.setAdditionalProperties(Collections.emptyMap());
    }

    private static void compact(Endpoint endpoint) {
        endpoint.setAddresses(small(NullSafe.list(endpoint.getAddresses())));
        endpoint.setConditions(shared(endpoint.getConditions()));
        endpoint.setDeprecatedTopology(Collections.emptyMap());
        endpoint.setHints(null);
        endpoint.setHostname(null);
        endpoint.setNodeName(word(endpoint.getNodeName()));
        endpoint.setTargetRef(null);
        endpoint.setZone(word(endpoint.getZone()));
        endpoint.setAdditionalProperties(Collections.emptyMap());
    }

    private static @Nullable EndpointConditions shared(@Nullable EndpointConditions conditions) {
        if (conditions == null) {
            return null;
        }
        conditions.setAdditionalProperties(Collections.emptyMap());
        return CONDITIONS.computeIfAbsent(conditions, Function.identity());
    }

    /** Of Namespaces, their labels. */
    static ItemStore<Namespace> namespaces() {
        return new Trimmed<>(namespace -> {
            compact(namespace);
            namespace.getMetadata().setAnnotations(Map.of());
            namespace.setSpec(null);
            namespace.setStatus(null);
        });
    }

    private static void compact(HasMetadata object) {
        ObjectMeta metadata = object.getMetadata();
        metadata.setManagedFields(Collections.emptyList());
        metadata.setOwnerReferences(Collections.emptyList());
        metadata.setNamespace(word(metadata.getNamespace()));
        metadata.setFinalizers(words(metadata.getFinalizers()));
        metadata.setAnnotations(small(metadata.getAnnotations()));
        metadata.setLabels(small(metadata.getLabels()));
        metadata.setAdditionalProperties(Collections.emptyMap());
    }

    private static void compact(ServiceSpec spec) {
        spec.setType(word(spec.getType()));
        spec.setClusterIPs(small(spec.getClusterIPs()));
        spec.setExternalIPs(small(spec.getExternalIPs()));
        spec.setExternalTrafficPolicy(word(spec.getExternalTrafficPolicy()));
        spec.setInternalTrafficPolicy(null);
        spec.setIpFamilies(words(spec.getIpFamilies()));
        spec.setIpFamilyPolicy(word(spec.getIpFamilyPolicy()));
        spec.setLoadBalancerSourceRanges(small(spec.getLoadBalancerSourceRanges()));
        spec.setPorts(small(spec.getPorts()));
        NullSafe.list(spec.getPorts()).forEach(port -> {
            port.setProtocol(word(port.getProtocol()));
            port.setTargetPort(null);
            port.setAdditionalProperties(Collections.emptyMap());
        });
        spec.setSelector(small(spec.getSelector()));
        spec.setSessionAffinity(word(spec.getSessionAffinity()));
        spec.setAdditionalProperties(Collections.emptyMap());
    }

    private static void compact(ServiceStatus status) {
        status.setConditions(small(status.getConditions()));
        NullSafe.list(status.getConditions()).forEach(condition -> {
            condition.setType(word(condition.getType()));
            condition.setStatus(word(condition.getStatus()));
            condition.setReason(word(condition.getReason()));
            condition.setAdditionalProperties(Collections.emptyMap());
        });
        status.setAdditionalProperties(Collections.emptyMap());
        LoadBalancerStatus published = status.getLoadBalancer();
        if (published != null) {
            published.setIngress(small(published.getIngress()));
            NullSafe.list(published.getIngress()).forEach(ingress -> {
                ingress.setIpMode(word(ingress.getIpMode()));
                ingress.setPorts(small(ingress.getPorts()));
                ingress.setAdditionalProperties(Collections.emptyMap());
            });
            published.setAdditionalProperties(Collections.emptyMap());
        }
    }

    private static List<String> words(@Nullable List<String> list) {
        return small(NullSafe.list(list).stream().map(String::intern).toList());
    }

    /** The shared instance of a string that many objects contain. */
    private static @Nullable String word(@Nullable String text) {
        return text == null ? null : text.intern();
    }

    private static <T> List<T> small(@Nullable List<T> list) {
        if (list == null || list.isEmpty()) {
            return Collections.emptyList();
        }
        return list.size() == 1 ? Collections.singletonList(list.getFirst()) : list;
    }

    private static Map<String, String> small(@Nullable Map<String, String> map) {
        return map == null || map.isEmpty() ? Collections.emptyMap() : map;
    }

    /** The object itself is trimmed: it comes straight from the API server, and nobody else has it yet. */
    @Override
    public T put(String key, T object) {
        trim.accept(object);
        return super.put(key, object);
    }
}
