package dev.berth.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.loadbalancer.WellKnownNames;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GroupVersionForDiscovery;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Every object of a cluster at one time, and the way back to it: what was created later is deleted.
 *
 * <p>Left out is what the API server writes for itself: the namespaces {@code kube-*}, leases, events, API services and
 * flow control. Kinds that tests defined stay; only their objects are deleted.
 */
final class ClusterState {
    /** With more than this a new cluster is the cheaper way. */
    private static final int WORTH_DELETING = 300;

    private static final List<String> NOT_OURS =
            List.of("Event", "Lease", "APIService", "FlowSchema", "PriorityLevelConfiguration");

    private static final String KIND = "CustomResourceDefinition";

    private record Key(String apiVersion, String kind, String namespace, String name) {
        static Key of(GenericKubernetesResource object) {
            return new Key(
                    object.getApiVersion(),
                    object.getKind(),
                    Objects.requireNonNullElse(object.getMetadata().getNamespace(), ""),
                    object.getMetadata().getName());
        }
    }

    /** An object and where it is found. */
    private record Found(GenericKubernetesResource object, ResourceDefinitionContext type) {
        Key key() {
            return Key.of(object);
        }

        String resourceVersion() {
            return object.getMetadata().getResourceVersion();
        }

        boolean isDeleted() {
            return object.getMetadata().getDeletionTimestamp() != null;
        }
    }

    /** An object as it was then. */
    private record Noted(String resourceVersion, JsonNode content) {
        static Noted of(Found found) {
            return new Noted(found.resourceVersion(), ClusterState.content(found.object()));
        }

        /** Nothing has changed where the resourceVersion is the same; most objects have it. */
        boolean isStill(Found now) {
            return resourceVersion.equals(now.resourceVersion()) || content.equals(ClusterState.content(now.object()));
        }
    }

    private final KubernetesClient client;
    private final Map<Key, Noted> wanted = new LinkedHashMap<>();

    /** Notes the state of now. */
    ClusterState(KubernetesClient client) {
        this.client = client;
        all(types()).forEach(found -> wanted.put(found.key(), Noted.of(found)));
    }

    /**
     * Deletes what is there now and was not there then.
     *
     * @param cleansUp whether an operator runs that gives back what Services have, and takes its finalizer off them
     * @throws IllegalStateException if it cannot be had: something of then is missing or changed, there is too much to
     *     delete, or the deletion takes too long
     */
    void restore(boolean cleansUp) {
        Restoration restoration = new Restoration(types(), cleansUp);
        try {
            Awaitility.await()
                    .atMost(Patience.USUAL)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .until(restoration::isDone);
        } catch (ConditionTimeoutException late) {
            throw new IllegalStateException(
                    "after " + Patience.USUAL + " there still is "
                            + laterOf(all(types())).stream().map(Found::key).toList(),
                    late);
        }
        deleteEvents();
    }

    /**
     * One way back. It looks at everything, then only at the types of what was there to delete, until that is gone, and at
     * everything again: a look at everything is dozens of requests.
     */
    private final class Restoration {
        private final List<ResourceDefinitionContext> types;
        private final boolean cleansUp;

        /** The types to look at. */
        private List<ResourceDefinitionContext> looked;

        Restoration(List<ResourceDefinitionContext> types, boolean cleansUp) {
            this.types = types;
            this.cleansUp = cleansUp;
            this.looked = types;
        }

        /** Deletes what can be deleted now. */
        boolean isDone() {
            boolean isEverything = looked.equals(types);
            List<Found> now = all(looked);
            if (isEverything) {
                requireWhatWasThere(now);
            }
            List<Found> later = laterOf(now);
            if (later.size() > WORTH_DELETING) {
                throw new IllegalStateException(later.size() + " objects to delete");
            }
            next(later, cleansUp).forEach(found -> delete(found, cleansUp));
            looked = later.isEmpty()
                    ? types
                    : later.stream().map(Found::type).distinct().toList();
            return later.isEmpty() && (isEverything || isDone());
        }
    }

    private List<Found> laterOf(List<Found> now) {
        return now.stream().filter(found -> !wanted.containsKey(found.key())).toList();
    }

    private void requireWhatWasThere(List<Found> now) {
        Map<Key, Found> byKey = new LinkedHashMap<>();
        now.forEach(found -> byKey.put(found.key(), found));
        List<Key> different = wanted.entrySet().stream()
                .filter(was -> !Optional.ofNullable(byKey.get(was.getKey()))
                        .map(was.getValue()::isStill)
                        .orElse(false))
                .map(Map.Entry::getKey)
                .toList();
        if (!different.isEmpty()) {
            throw new IllegalStateException("missing or changed: " + different);
        }
    }

    /**
     * Berth gives back what Services have; without its Addresses it would claim them again. And nothing in a namespace
     * that is gone can be written, not even to take its finalizers off.
     */
    private static List<Found> next(List<Found> later, boolean cleansUp) {
        List<Found> services = ofKind("Service", later).toList();
        List<Found> namespaces = ofKind("Namespace", later).toList();
        if (cleansUp && !services.isEmpty()) {
            return services;
        }
        return later.size() == namespaces.size()
                ? namespaces
                : later.stream().filter(found -> !namespaces.contains(found)).toList();
    }

    private static Stream<Found> ofKind(String kind, List<Found> all) {
        return all.stream().filter(found -> found.object().getKind().equals(kind));
    }

    private void delete(Found found, boolean cleansUp) {
        Resource<GenericKubernetesResource> resource = resource(found);
        if (!found.isDeleted()) {
            resource.withGracePeriod(0).delete();
        } else if (found.object().getKind().equals("Namespace")) {
            // No controller does it here.
            String name = found.key().name();
            Namespace without = new NamespaceBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .endMetadata()
                    .build();
            ignoringThatItIsGone(() -> client.raw("/api/v1/namespaces/" + name + "/finalize", "PUT", without));
        } else if (!cleansUp
                || !found.object().getKind().equals("Service")
                // It has given all back by then; nobody else takes finalizers off here.
                || !found.object().getMetadata().getFinalizers().contains(WellKnownNames.FINALIZER)) {
            ignoringThatItIsGone(() ->
                    resource.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}"));
        }
    }

    private static void ignoringThatItIsGone(Runnable write) {
        try {
            write.run();
        } catch (KubernetesClientException failure) {
            if (failure.getCode() != 404 && failure.getCode() != 409) {
                throw failure;
            }
        }
    }

    private Resource<GenericKubernetesResource> resource(Found found) {
        var all = client.genericKubernetesResources(found.type());
        return found.type().isNamespaceScoped()
                ? all.inNamespace(found.key().namespace()).withName(found.key().name())
                : all.withName(found.key().name());
    }

    private void deleteEvents() {
        client.events().v1().events().inAnyNamespace().list().getItems().stream()
                .map(event -> event.getMetadata().getNamespace())
                .distinct()
                .forEach(namespace -> client.raw("/api/v1/namespaces/" + namespace + "/events", "DELETE", null));
    }

    private List<Found> all(List<ResourceDefinitionContext> types) {
        List<Found> all = new ArrayList<>();
        types.forEach(type -> client.genericKubernetesResources(type).inAnyNamespace().list().getItems().stream()
                .map(object -> new Found(object, type))
                .filter(this::isOfTests)
                .forEach(all::add));
        return all;
    }

    private boolean isOfTests(Found found) {
        String namespaced = found.key().kind().equals("Namespace")
                ? found.key().name()
                : found.key().namespace();
        boolean isForeignKind =
                found.key().kind().equals(KIND) && !found.key().name().endsWith(".berth.dev");
        return !namespaced.startsWith("kube-") && !isForeignKind;
    }

    private List<ResourceDefinitionContext> types() {
        Stream<String> versions = client.getApiGroups().getGroups().stream()
                .map(APIGroup::getPreferredVersion)
                .map(GroupVersionForDiscovery::getGroupVersion);
        return Stream.concat(Stream.of("v1"), versions)
                .flatMap(version -> client.getApiResources(version).getResources().stream()
                        .filter(resource -> resource.getVerbs().containsAll(List.of("list", "delete")))
                        .filter(resource -> !NOT_OURS.contains(resource.getKind()))
                        .map(resource -> type(version, resource)))
                .toList();
    }

    private static ResourceDefinitionContext type(String groupAndVersion, APIResource resource) {
        int slash = groupAndVersion.indexOf('/');
        return new ResourceDefinitionContext.Builder()
                .withGroup(slash < 0 ? "" : groupAndVersion.substring(0, slash))
                .withVersion(groupAndVersion.substring(slash + 1))
                .withKind(resource.getKind())
                .withPlural(resource.getName())
                .withNamespaced(resource.getNamespaced())
                .build();
    }

    /** Without what changes by itself. */
    private static JsonNode content(GenericKubernetesResource object) {
        ObjectNode content = Serialization.jsonMapper().valueToTree(object);
        content.remove("status");
        ((ObjectNode) content.get("metadata"))
                .remove(List.of(
                        "resourceVersion", "managedFields", "generation", "finalizers", "uid", "creationTimestamp"));
        return content;
    }
}
