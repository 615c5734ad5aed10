package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
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
        assertThat(Surroundings.addresses(kept)).isEqualTo(Surroundings.addresses(whole));
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

        Service kept = kept(Trimmed.withoutManagedFields(), service);

        assertThat(kept.getMetadata().getManagedFields()).isEmpty();
        assertThat(kept.getMetadata().getAnnotations()).containsKey("berth.dev/retain");
        assertThat(ServiceStates.isLoadBalancer(kept)).isTrue();
    }
}
