package dev.berth.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OwnResourceTest {
    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private static String json(String spec) {
        return "{\"apiVersion\": \"berth.dev/v1alpha1\", \"kind\": \"AddressPool\", \"metadata\": {\"name\": \"edge\"},"
                + " \"spec\": " + spec + "}";
    }

    private static AddressPool pool(String spec) {
        return JSON.unmarshal(json(spec), AddressPool.class);
    }

    /** One rule, the spec, and what is said of it. */
    private record Row(String rule, String spec, List<String> adjusted, List<String> unreadable) {}

    private static final List<Row> ROWS = List.of(
            new Row("what the schema accepts is read", "{\"addresses\": [\"192.0.2.1\"]}", List.of(), List.of()),
            new Row("a field of a later version is passed over", "{\"later\": {\"a\": [1]}}", List.of(), List.of()),
            new Row(
                    "a number out of range counts as the largest",
                    "{\"quota\": {\"namespaces\": [{\"namespace\": \"team\", \"addresses\": 5000000000}]}}",
                    List.of(
                            "spec.quota.namespaces[0].addresses is 5000000000, which is out of range, and counts as 2147483647"),
                    List.of()),
            new Row(
                    "or as the smallest",
                    "{\"priority\": -99999999999999999999}",
                    List.of("spec.priority is -99999999999999999999, which is out of range, and counts as -2147483648"),
                    List.of()),
            new Row(
                    "what is of another type is left out, each by itself",
                    "{\"addresses\": [\"192.0.2.1\", {\"a\": 1}], \"suspended\": [\"x\\n\"]}",
                    List.of(),
                    List.of(
                            "spec.addresses[1] is {\"a\":1}, which cannot be read",
                            "spec.suspended is [\"x\\n\"], which cannot be read")),
            new Row("a spec that is none is left out", "5", List.of(), List.of("spec cannot be read")));

    @Test
    void spec_isReadFieldByField_andWhatCannotBeReadIsNamed() {
        for (Row row : ROWS) {
            AddressPool read = pool(row.spec());
            assertThat(read.adjusted()).as(row.rule()).isEqualTo(row.adjusted());
            assertThat(read.unreadable()).as(row.rule()).isEqualTo(row.unreadable());
            assertThat(read.getMetadata().getName()).as(row.rule()).isEqualTo("edge");
        }
        assertThat(pool("{\"addresses\": [\"192.0.2.1\", {\"a\": 1}]}")
                        .getSpec()
                        .addresses())
                .containsExactly("192.0.2.1", null);
    }

    @Test
    void metadata_isRead_withoutManagedFields_whateverElseTheObjectHas() {
        assertThat(JSON.unmarshal("""
                        {"kind": "AddressPool", "later": {"metadata": {"name": "no"}}, "also": [{"a": {}}],
                        "metadata": {"managedFields": [{"fieldsV1": {"f:spec": {"f:a": [{}]}}}], "name": "edge",
                          "labels": {"managedFields": "a"}, "generation": {"odd": 1}},
                        "spec": {"priority": 5}, "status": null}
                        """, AddressPool.class)).satisfies(pool -> {
            assertThat(pool.getMetadata().getName()).isEqualTo("edge");
            assertThat(pool.getMetadata().getLabels()).containsExactly(Map.entry("managedFields", "a"));
            assertThat(pool.getMetadata().getManagedFields()).isEmpty();
            assertThat(pool.getSpec().priority()).isEqualTo(5);
            assertThat(pool.getStatus()).isNull();
        });
        for (String none : List.of("{}", "{\"metadata\": null}", "{\"metadata\": 5, \"spec\": {}}")) {
            assertThat(JSON.unmarshal(none, AddressPool.class).getMetadata())
                    .as(none)
                    .isNotNull();
        }
    }

    @Test
    void list_withOneThatHasAnOverflow_isReadWhole() {
        String list = "{\"apiVersion\": \"berth.dev/v1alpha1\", \"kind\": \"AddressPoolList\", \"items\": ["
                + json("{\"quota\": {\"perNamespace\": 5000000000}}") + ", " + json("{\"priority\": 5}") + "]}";

        assertThat(JSON.unmarshal(list, Pools.class).getItems())
                .extracting(pool -> pool.getSpec().priority())
                .containsExactly(null, 5);
    }

    private static final class Pools extends DefaultKubernetesResourceList<AddressPool> {
        private static final long serialVersionUID = 1;
    }

    /** What is remembered of the reading is no part of the object. */
    @Test
    void object_isWrittenAsItWasRead() {
        HasMetadata read = pool("{\"priority\": 5, \"suspended\": {}}");

        assertThat(JSON.asJson(read)).doesNotContain("unreadable", "adjusted").contains("\"priority\":5");
    }
}
