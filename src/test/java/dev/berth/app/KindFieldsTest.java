package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.kube.ApiSerialization;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KindFieldsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** As an API server publishes our kinds: their schemas, each with what it is of. */
    private final ObjectNode served = JSON.createObjectNode();

    private ObjectNode serve(Class<? extends CustomResource<?, ?>> kind) {
        try {
            JsonNode crd = Serialization.unmarshal(
                    Files.readString(Path.of("crds", CustomResource.getCRDName(kind) + ".yaml")), JsonNode.class);
            ObjectNode schema =
                    crd.at("/spec/versions/0/schema/openAPIV3Schema").deepCopy();
            schema.putArray("x-kubernetes-group-version-kind")
                    .addObject()
                    .put("group", "berth.dev")
                    .put("kind", HasMetadata.getKind(kind))
                    .put("version", "v1alpha1");
            served.withObject("/components/schemas").set("dev.berth.v1alpha1." + HasMetadata.getKind(kind), schema);
            return schema;
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    private static Stream<Class<? extends CustomResource<?, ?>>> kinds() {
        return ApiSerialization.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void ownCustomResourceDefinition_lacksNothing(Class<? extends CustomResource<?, ?>> kind) {
        serve(kind);

        assertThat(KindFields.missing(kind, served)).contains(List.of());
        assertThat(OperatorPreflight.older(served)).isEmpty();
    }

    @Test
    void fieldsThatAreMissing_areNamed_andNotThoseWithin() {
        ObjectNode schema = serve(Address.class);
        ((ObjectNode) schema.at("/properties/spec/properties")).remove("class");
        ((ObjectNode) schema.at("/properties/spec/properties/claims/items/properties")).remove("uid");
        ((ObjectNode) schema.at("/properties")).remove("status");

        assertThat(KindFields.missing(Address.class, served).orElseThrow())
                .containsExactly("spec.class", "spec.claims.uid", "status");
        assertThat(OperatorPreflight.older(served))
                .hasValue("CustomResourceDefinition addresses.berth.dev is from an older version of Berth: field"
                        + " spec.class and 2 more are missing; apply this version's manifests, which include the CRDs"
                        + " (with Helm: upgrade with crds.enabled=true, or apply crds/)");
    }

    @Test
    void fieldThatIsMore_asANewerBerthHasIt_isNoMatter() {
        ObjectNode schema = serve(Address.class);
        ((ObjectNode) schema.at("/properties/spec/properties")).putObject("announced");

        assertThat(KindFields.missing(Address.class, served)).contains(List.of());
    }

    @Test
    void laxerSchema_lacksNothing() {
        ObjectNode schema = serve(AddressPool.class);
        ((ObjectNode) schema.at("/properties/spec/properties"))
                .putObject("quota")
                .put("x-kubernetes-preserve-unknown-fields", true);

        assertThat(KindFields.missing(AddressPool.class, served)).contains(List.of());
    }

    @Test
    void kindThatIsNotPublishedYet_isNotJudged() {
        serve(Address.class);

        assertThat(KindFields.missing(BGPPeer.class, served)).isEmpty();
        assertThat(OperatorPreflight.older(served)).isEmpty();
    }
}
