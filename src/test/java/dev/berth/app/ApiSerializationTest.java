package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceList;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiSerializationTest {
    /** The API server writes the uid of an owner into the name of a field, and bounds neither. */
    @Test
    void fieldNameOfAnyLength_endsNoList() {
        ServiceList list = new ApiSerialization()
                .unmarshal(
                        "{\"kind\": \"ServiceList\", \"apiVersion\": \"v1\", \"items\": [{\"metadata\": {\"name\": \"web\","
                                + " \"managedFields\": [{\"fieldsV1\": {\"k:" + "u".repeat(1_000_000) + "\": {}}}]}}]}",
                        ServiceList.class);

        assertThat(list.getItems()).hasSize(1);
    }

    @Test
    void managedFieldsAndOwners_areNotRead_andNotWritten_andTheRestIs() {
        KubernetesSerialization serialization = new ApiSerialization();

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

    /** The API server's own kinds begin with the kind, custom resources with the version. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\": \"ADDED\", \"object\": {\"kind\": \"Service\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"web\"}}}",
                "{\"type\": \"ADDED\", \"object\": {\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"web\"}}}",
                "{\"object\": {\"metadata\": {\"name\": \"web\"}, \"apiVersion\": \"v1\", \"kind\": \"Service\"}, \"type\": \"ADDED\"}",
            })
    void eventOfAWatch_isOfTheClassOfItsKind_inWhateverOrderItComes(String event) {
        WatchEvent read = new ApiSerialization().unmarshal(event, WatchEvent.class);

        assertThat(read.getType()).isEqualTo("ADDED");
        assertThat(read.getObject())
                .isInstanceOfSatisfying(
                        Service.class,
                        service -> assertThat(service.getMetadata().getName()).isEqualTo("web"));
    }

    @Test
    void eventOfAWatch_withManagedFields_isReadWithoutThem() {
        WatchEvent read = new ApiSerialization().unmarshal("""
                {"type": "MODIFIED", "object": {"kind": "Node", "apiVersion": "v1",
                 "metadata": {"name": "n", "managedFields": [{"manager": "kubelet"}]}}}
                """, WatchEvent.class);

        assertThat(read.getObject())
                .isInstanceOfSatisfying(
                        Node.class,
                        node -> assertThat(node.getMetadata().getManagedFields())
                                .isNullOrEmpty());
    }

    @Test
    void eventOfAWatch_ofAKindThatIsNotKnown_isGeneric() {
        WatchEvent read = new ApiSerialization()
                .unmarshal(
                        "{\"type\": \"ADDED\", \"object\": {\"kind\": \"Other\", \"apiVersion\": \"example.com/v1\"}}",
                        WatchEvent.class);

        assertThat(read.getObject()).isInstanceOf(GenericKubernetesResource.class);
    }

    @Test
    void endOfAWatch_isAStatus() {
        WatchEvent read = new ApiSerialization().unmarshal("""
                {"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "code": 410, "reason": "Expired"}}
                """, WatchEvent.class);

        assertThat(read.getObject())
                .isInstanceOfSatisfying(
                        Status.class, status -> assertThat(status.getCode()).isEqualTo(410));
    }

    @Test
    void eventOfAWatch_thatCannotBeRead_failsAsTheClientHasIt() {
        String event =
                "{\"type\": \"ADDED\", \"object\": {\"kind\": \"Service\", \"apiVersion\": \"v1\", \"spec\": 5}}";
        Throwable ofTheClient = catchThrowable(() -> new KubernetesSerialization().unmarshal(event, WatchEvent.class));

        assertThat(ofTheClient).isNotNull();
        assertThatThrownBy(() -> new ApiSerialization().unmarshal(event, WatchEvent.class))
                .isInstanceOf(ofTheClient.getClass());
    }
}
