package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceList;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

    static Stream<Arguments> watched() {
        return ApiSerialization.WATCHED.stream()
                .flatMap(kind -> Stream.of(
                        Arguments.of(kind, "\"kind\": \"%s\", \"apiVersion\": \"%s\""),
                        Arguments.of(kind, "\"apiVersion\": \"%2$s\", \"kind\": \"%1$s\"")));
    }

    /** The API server's own kinds begin with the kind, custom resources with the version. */
    @ParameterizedTest
    @MethodSource("watched")
    void eventOfAWatch_isReadStraightIntoTheClassOfItsKind(Class<? extends KubernetesResource> kind, String begin) {
        String event = "{\"type\": \"ADDED\", \"object\": {"
                + begin.formatted(HasMetadata.getKind(kind), HasMetadata.getApiVersion(kind)) + ", \"metadata\": {}}}";

        WatchEvent read = Objects.requireNonNull(new ApiSerialization().event(event));

        assertThat(read.getType()).isEqualTo("ADDED");
        assertThat(read.getObject()).isExactlyInstanceOf(kind);
    }

    @Test
    void eventOfAWatch_whoseKindComesLate_isLeftToTheClient() {
        String event = """
                {"object": {"metadata": {"name": "web"}, "apiVersion": "v1", "kind": "Service"}, "type": "ADDED"}
                """;
        ApiSerialization serialization = new ApiSerialization();

        assertThat(serialization.event(event)).isNull();
        WatchEvent read = serialization.unmarshal(event, WatchEvent.class);
        assertThat(read.getType()).isEqualTo("ADDED");
        assertThat(read.getObject())
                .isInstanceOfSatisfying(
                        Service.class,
                        service -> assertThat(service.getMetadata().getName()).isEqualTo("web"));
    }

    @Test
    void eventOfAWatch_isReadWithoutManagedFields_andWithFieldNamesOfAnyLength() {
        WatchEvent read = Objects.requireNonNull(new ApiSerialization().event("""
                {"type": "MODIFIED", "object": {"kind": "Node", "apiVersion": "v1",
                 "metadata": {"name": "n", "managedFields": [{"fieldsV1": {"k:%s": {}}}]}}}
                """.formatted("u".repeat(1_000_000))));

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
