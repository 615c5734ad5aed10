package dev.berth.kube;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.api.v1alpha1.Address;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real cluster: reads from {@link Caches} or live, writes through the fabric8 client. */
public final class FabricCluster implements Cluster {
    private static final String NODE_PORTS_CURE =
            "it needs the permissions of src/main/kubernetes/components/release-node-ports";

    private final KubernetesClient client;
    private final Caches caches;
    private final ApiCalls calls;

    /** The only write to a Service beside its status. */
    private final ApiCalls nodePortCalls;

    public FabricCluster(KubernetesClient client, Caches caches, ApiBudget budget) {
        this.client = client;
        this.caches = caches;
        this.calls = new ApiCalls(client, budget);
        this.nodePortCalls = new ApiCalls(client, budget, NODE_PORTS_CURE);
    }

    @Override
    public Optional<ServiceState> service(ServiceKey key) {
        return caches.services().get(key.namespace(), key.name()).map(ServiceStates::of);
    }

    @Override
    public Optional<ServiceState> service(ServiceKey key, Optional<ServiceState> known) {
        Optional<Service> cached = caches.services().get(key.namespace(), key.name());
        return cached.isPresent()
                        && known.filter(state -> isVersion(state, cached.get())).isPresent()
                ? known
                : cached.map(ServiceStates::of);
    }

    private static boolean isVersion(ServiceState state, Service object) {
        return state.uid().equals(object.getMetadata().getUid())
                && state.resourceVersion().equals(object.getMetadata().getResourceVersion());
    }

    @Override
    public boolean hasService(ServiceKey key) {
        return caches.services().get(key.namespace(), key.name()).isPresent();
    }

    @Override
    public CachedServices allServices() {
        SequencedMap<ServiceKey, List<Published>> unreadable = new TreeMap<>();
        List<ServiceState> states = LenientReader.read(
                caches.services().list(),
                service -> Stream.of(ServiceStates.of(service)),
                service -> unreadable.put(ServiceStates.keyOf(service), ServiceStates.ingress(service)));
        return new CachedServices(states, unreadable);
    }

    @Override
    public Map<String, String> namespaceLabels(String namespace) {
        return caches.namespaces()
                .get(null, namespace)
                .map(FabricCluster::labels)
                .orElse(Map.of());
    }

    static Map<String, String> labels(Namespace namespace) {
        return NullSafe.map(namespace.getMetadata().getLabels());
    }

    @Override
    public Optional<Claim> claim(Ip ip) {
        return caches.addresses().get(null, ip.objectName()).flatMap(Claims::of);
    }

    @Override
    public List<Claim> claims() {
        return Claims.all(caches.addresses().list());
    }

    @Override
    public Read<ServiceState> readService(ServiceKey key) {
        return calls.read(
                () -> client.services()
                        .inNamespace(key.namespace())
                        .withName(key.name())
                        .get(),
                service -> Optional.of(ServiceStates.of(service)));
    }

    @Override
    public Read<Claim> readClaim(Ip ip) {
        return calls.read(
                () -> client.resources(Address.class).withName(ip.objectName()).get(), Claims::of);
    }

    @Override
    public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
        return calls.create(() -> client.resource(Claims.object(ip, spec)).create(), FabricCluster::claimOf);
    }

    @Override
    public Write<Claim> updateClaim(Claim seen, ClaimSpec spec) {
        // What changes, and nothing else: other labels and annotations are people's, and there may be what a later
        // Berth
        // wrote.
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = patch.putObject("metadata").put("resourceVersion", seen.resourceVersion());
        Map<String, @Nullable String> labels =
                Claims.difference(Claims.labels(seen.spec(), seen.spec().pool()), Claims.labels(spec, spec.pool()));
        if (!labels.isEmpty()) {
            ObjectNode changed = metadata.putObject("labels");
            labels.forEach(changed::put);
        }
        ObjectNode before = specOf(seen.ip(), seen.spec());
        ObjectNode after = specOf(seen.ip(), spec);
        ObjectNode changed = patch.putObject("spec");
        before.fieldNames().forEachRemaining(field -> {
            if (!after.has(field)) {
                changed.putNull(field);
            }
        });
        after.properties().forEach(field -> {
            if (!field.getValue().equals(before.get(field.getKey()))) {
                changed.set(field.getKey(), field.getValue());
            }
        });
        Optional<String> lost = changed.has("claims") ? unreadable(seen.ip()) : Optional.empty();
        return lost.<Write<Claim>>map(fault -> new Write.Refused<>("Address " + seen.ip() + ": " + fault
                        + "; its claims cannot be changed without losing that. Correct it, or delete the Address"))
                .orElseGet(() -> patch(seen, PatchType.JSON_MERGE, patch.toString()));
    }

    private ObjectNode specOf(Ip ip, ClaimSpec spec) {
        return client.getKubernetesSerialization()
                .convertValue(Claims.object(ip, spec).getSpec(), ObjectNode.class);
    }

    /** What is in the Address of {@code ip} that a list of claims as it was read would lack; absent: nothing. */
    private Optional<String> unreadable(Ip ip) {
        return caches.addresses().get(null, ip.objectName()).flatMap(Claims::unreadable);
    }

    @Override
    public Write<Claim> confirmClaim(Claim seen) {
        // The version before is another one each time, so no two of these say the same, and none changes nothing.
        return patch(
                seen,
                PatchType.JSON_MERGE,
                client.getKubernetesSerialization()
                        .asJson(Map.of(
                                "metadata",
                                Map.of(
                                        "resourceVersion",
                                        seen.resourceVersion(),
                                        "annotations",
                                        Map.of(Claims.CONFIRMED_VERSION, seen.resourceVersion())))));
    }

    /** A resource version is of one object alone, so it stands for the uid, too. */
    private Write<Claim> patch(Claim seen, PatchType type, String patch) {
        Address named = Claims.object(seen.ip(), seen.spec());
        return calls.write(() -> client.resource(named).patch(PatchContext.of(type), patch), FabricCluster::claimOf);
    }

    @Override
    public Write<Claim> deleteClaim(Claim seen) {
        Address named = Claims.object(seen.ip(), seen.spec());
        return calls.delete(named, seen.uid(), seen.resourceVersion(), seen);
    }

    private static Claim claimOf(Address address) {
        return Claims.of(address).orElseThrow();
    }

    @Override
    public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
        ObjectNode patch = patchOf(seen);
        if (difference.finalizer()) {
            patch.withObject("/metadata").putArray("finalizers").add(WellKnownNames.FINALIZER);
        }
        if (difference.servedByClass() != null) {
            patch.withObject("/metadata/annotations").put(WellKnownNames.SERVED_BY_CLASS, difference.servedByClass());
        }
        List<Published> ingress = difference.ingress();
        if (ingress != null) {
            putIngress(patch, ingress);
        }
        if (!difference.conditions().isEmpty()
                || !difference.removedConditions().isEmpty()) {
            ArrayNode conditions = patch.withObject("/status").putArray("conditions");
            difference.conditions().forEach(condition -> add(conditions, condition));
            difference.removedConditions().forEach(type -> remove(conditions, type));
        }
        return patch(seen, patch, dryRun);
    }

    /** As a JSON patch: a merge takes ports of one number for the same, whatever their protocols are. */
    @Override
    public Write<ServiceState> releaseNodePorts(ServiceState seen, String ports) {
        List<Map<String, Object>> patch = new ArrayList<>();
        patch.add(Map.of("op", "replace", "path", "/metadata/resourceVersion", "value", seen.resourceVersion()));
        if (seen.asked().annotations().isEmpty()) {
            patch.add(Map.of("op", "add", "path", "/metadata/annotations", "value", Map.of()));
        }
        patch.add(Map.of(
                "op",
                "add",
                "path",
                "/metadata/annotations/" + WellKnownNames.NODE_PORTS_RELEASED.replace("/", "~1"),
                "value",
                ports));
        patch.add(Map.of("op", "add", "path", "/spec/allocateLoadBalancerNodePorts", "value", false));
        for (int i = 0; i < seen.ports().size(); i++) {
            if (seen.ports().get(i).nodePort() != 0) {
                patch.add(Map.of("op", "remove", "path", "/spec/ports/" + i + "/nodePort"));
            }
        }
        return nodePortCalls.write(
                () -> client.services()
                        .inNamespace(seen.key().namespace())
                        .resource(named(seen))
                        .patch(
                                PatchContext.of(PatchType.JSON),
                                client.getKubernetesSerialization().asJson(patch)),
                ServiceStates::of);
    }

    @Override
    public Write<ServiceState> clear(ServiceState seen, List<Published> others) {
        ObjectNode patch = patchOf(seen);
        patch.withObject("/metadata")
                .putArray("$deleteFromPrimitiveList/finalizers")
                .add(WellKnownNames.FINALIZER);
        Stream.of(WellKnownNames.SERVED_BY_CLASS, WellKnownNames.NODE_PORTS_RELEASED)
                .filter(seen.asked().annotations()::containsKey)
                .forEach(ours -> patch.withObject("/metadata/annotations").putNull(ours));
        if (!others.equals(seen.ingress())) {
            putIngress(patch, others);
        }
        ArrayNode conditions = patch.withObject("/status").putArray("conditions");
        seen.conditions().stream()
                .map(Condition::type)
                .filter(type -> WellKnownNames.CONDITIONS.contains(type)
                        || (type.equals(WellKnownNames.PORTS_ERROR) && seen.isMarkedOurs()))
                .forEach(type -> remove(conditions, type));
        return patch(seen, patch, false);
    }

    private static ObjectNode patchOf(ServiceState seen) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata").put("uid", seen.uid()).put("resourceVersion", seen.resourceVersion());
        return patch;
    }

    private static void putIngress(ObjectNode patch, List<Published> ingress) {
        ObjectNode loadBalancer = patch.withObject("/status").putObject("loadBalancer");
        if (ingress.isEmpty()) {
            loadBalancer.putNull("ingress");
            return;
        }
        ArrayNode entries = loadBalancer.putArray("ingress");
        for (Published entry : ingress) {
            ObjectNode node = entries.addObject();
            if (entry.ip() != null) {
                node.put("ip", entry.ip());
            }
            if (entry.hostname() != null) {
                node.put("hostname", entry.hostname());
            }
            if (entry.ipMode() != null) {
                node.put("ipMode", entry.ipMode().toString());
            }
            if (!entry.ports().isEmpty()) {
                ArrayNode ports = node.putArray("ports");
                entry.ports().forEach(port -> {
                    ObjectNode one = ports.addObject().put("port", port.port()).put("protocol", port.protocol());
                    if (port.error() != null) {
                        one.put("error", port.error());
                    }
                });
            }
        }
    }

    private static void add(ArrayNode conditions, Condition condition) {
        conditions
                .addObject()
                .put("type", condition.type())
                .put("status", condition.status().toString())
                .put("reason", condition.reason())
                .put("message", condition.message())
                .put("lastTransitionTime", condition.since().toString());
    }

    private static void remove(ArrayNode conditions, String type) {
        conditions.addObject().put("$patch", "delete").put("type", type);
    }

    private Write<ServiceState> patch(ServiceState seen, ObjectNode patch, boolean dryRun) {
        PatchContext.Builder context = new PatchContext.Builder().withPatchType(PatchType.STRATEGIC_MERGE);
        if (dryRun) {
            context.withDryRun(List.of("All"));
        }
        return calls.write(
                () -> client.services()
                        .inNamespace(seen.key().namespace())
                        .resource(named(seen))
                        .subresource("status")
                        .patch(context.build(), patch.toString()),
                ServiceStates::of);
    }

    /** An object to patch: of one named by name alone, the client reads the whole object first. */
    private static Service named(ServiceState seen) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(seen.key().namespace())
                .withName(seen.key().name())
                .endMetadata()
                .build();
    }
}
