package dev.berth.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Usage;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds {@code crds/} to what the classes of {@code dev.berth.api.v1alpha1} generate. */
class CrdGenerationTest {
    private static final Path CHECKED_IN = Path.of("crds");

    @Test
    void kubectlExplain_hasAWordOnEachKind_itsSpec_andItsStatus(@TempDir Path generated) throws IOException {
        CrdFiles.generate(generated);

        assertThat(CrdFiles.list(generated))
                .filteredOn(file -> !file.endsWith("kustomization.yaml"))
                .hasSize(7)
                .allSatisfy(file -> {
                    JSONSchemaProps schema = new KubernetesSerialization()
                            .unmarshal(Files.readString(file), CustomResourceDefinition.class)
                            .getSpec()
                            .getVersions()
                            .getFirst()
                            .getSchema()
                            .getOpenAPIV3Schema();
                    // An AgentReport has no status.
                    assertThat(Stream.concat(
                                    Stream.of(schema, schema.getProperties().get("spec")),
                                    Stream.ofNullable(schema.getProperties().get("status"))))
                            .as("%s", file.getFileName())
                            .extracting(JSONSchemaProps::getDescription)
                            .doesNotContainNull()
                            .doesNotHaveDuplicates();
                });
    }

    @Test
    void kubectlExplain_hasAWordOnEachField_andItsDefault(@TempDir Path generated) throws IOException {
        CrdFiles.generate(generated);

        for (Path file : CrdFiles.list(generated)) {
            if (!file.endsWith("kustomization.yaml")) {
                JsonNode schema = new KubernetesSerialization()
                        .unmarshal(Files.readString(file), JsonNode.class)
                        .at("/spec/versions/0/schema/openAPIV3Schema/properties");
                for (String part : schema.has("status") ? List.of("spec", "status") : List.of("spec")) {
                    assertThat(unexplained(schema.path(part), part))
                            .as("%s", file.getFileName())
                            .isEmpty();
                }
            }
        }
    }

    private static List<String> unexplained(JsonNode schema, String path) {
        List<String> found = new ArrayList<>();
        String description = schema.path("description").asText();
        JsonNode byDefault = schema.path("default");
        if (description.isEmpty()
                || (!byDefault.isMissingNode() && !description.contains("Defaults to " + byDefault.asText() + "."))) {
            found.add(path);
        }
        schema.path("properties")
                .properties()
                .forEach(field -> found.addAll(unexplained(field.getValue(), path + "." + field.getKey())));
        schema.path("items")
                .path("properties")
                .properties()
                .forEach(field -> found.addAll(unexplained(field.getValue(), path + "[]." + field.getKey())));
        return found;
    }

    @Test
    void crds_areWhatTheCodeGenerates(@TempDir Path generated) throws IOException {
        CrdFiles.generate(generated);

        for (Path file : CrdFiles.list(generated)) {
            assertThat(CHECKED_IN.resolve(file.getFileName()))
                    .as("%s is out of date: run make manifests", file.getFileName())
                    .exists()
                    .hasSameTextualContentAs(file);
        }
        assertThat(CrdFiles.list(CHECKED_IN).stream().map(Path::getFileName))
                .as("files in crds/ that no class generates: run make manifests")
                .containsExactlyElementsOf(
                        CrdFiles.list(generated).stream().map(Path::getFileName).toList());
    }

    /** Of what else Berth wrote, the API server would refuse the whole status. */
    @Test
    void wordsInTheStatusOfAPolicy_areThoseThatBerthWrites() throws IOException {
        JsonNode status = new KubernetesSerialization()
                .unmarshal(Files.readString(CHECKED_IN.resolve("servicecidrpolicies.berth.dev.yaml")), JsonNode.class)
                .at("/spec/versions/0/schema/openAPIV3Schema/properties/status/properties");

        assertThat(words(status.at("/findings/properties/first/items/properties/severity")))
                .containsExactlyElementsOf(texts(Finding.Severity.values()));
        assertThat(words(status.at("/ranges/items/properties/state")))
                .containsExactlyElementsOf(texts(Usage.State.values()));
    }

    private static List<String> words(JsonNode field) {
        return field.path("enum").valueStream().map(JsonNode::asText).toList();
    }

    private static List<String> texts(Enum<?>[] words) {
        return Stream.of(words).map(Enum::toString).toList();
    }

    @Test
    void daysAndPercentages_areBoundedAsWhatTheyAre() throws IOException {
        JsonNode family = new KubernetesSerialization()
                .unmarshal(Files.readString(CHECKED_IN.resolve("servicecidrpolicies.berth.dev.yaml")), JsonNode.class)
                .at("/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/ipv4/properties");

        assertThat(family.at("/fullOn/format").asText()).isEqualTo("date");
        assertThat(family.at("/usedPercent/minimum").asDouble()).isZero();
        assertThat(family.at("/usedPercent/maximum").asDouble()).isEqualTo(100);
    }

    /** What has no maximum overflows somewhere, and one such object keeps a whole list from being read. */
    @Test
    void numbers_haveAMinimumAndAMaximum(@TempDir Path generated) throws IOException {
        CrdFiles.generate(generated);

        for (Path file : CrdFiles.list(generated)) {
            if (!file.endsWith("kustomization.yaml")) {
                JsonNode schema = new KubernetesSerialization()
                        .unmarshal(Files.readString(file), JsonNode.class)
                        .at("/spec/versions/0/schema/openAPIV3Schema");
                assertThat(schema.isObject()).isTrue();
                assertThat(unbounded(schema, "")).as("%s", file.getFileName()).isEmpty();
            }
        }
    }

    private static List<String> unbounded(JsonNode schema, String path) {
        List<String> found = new ArrayList<>();
        String type = schema.path("type").asText();
        if ((type.equals("integer") || type.equals("number")) && !(schema.has("minimum") && schema.has("maximum"))) {
            found.add(path);
        }
        schema.properties().forEach(field -> found.addAll(unbounded(field.getValue(), path + "/" + field.getKey())));
        return found;
    }
}
