package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class WithoutManagedFieldsTest {
    /** The API server writes the uid of an owner into the name of a field, and bounds neither. */
    @Test
    void fieldNameOfAnyLength_endsNoList() {
        ServiceList list = WithoutManagedFields.serialization()
                .unmarshal(
                        "{\"kind\": \"ServiceList\", \"apiVersion\": \"v1\", \"items\": [{\"metadata\": {\"name\": \"web\","
                                + " \"managedFields\": [{\"fieldsV1\": {\"k:" + "u".repeat(1_000_000) + "\": {}}}]}}]}",
                        ServiceList.class);

        assertThat(list.getItems()).hasSize(1);
    }

    @Test
    void managedFieldsAndOwners_areNotRead_andNotWritten_andTheRestIs() {
        KubernetesSerialization serialization = WithoutManagedFields.serialization();

        Service service = serialization.unmarshal("""
                {"kind": "Service", "apiVersion": "v1",
                 "metadata": {"name": "web", "uid": "u1", "managedFields": [{"manager": "kubectl"}],
                  "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u2"}]},
                 "spec": {"type": "LoadBalancer"}}
                """, Service.class);

        assertThat(service.getMetadata().getManagedFields()).isNullOrEmpty();
        assertThat(service.getMetadata().getOwnerReferences()).isNullOrEmpty();
        assertThat(service.getMetadata().getUid()).isEqualTo("u1");
        assertThat(service.getSpec().getType()).isEqualTo("LoadBalancer");
        assertThat(serialization.asJson(service)).doesNotContain("managedFields", "ownerReferences");
    }
}
