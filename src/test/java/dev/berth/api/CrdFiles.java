package dev.berth.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Generates the CustomResourceDefinitions of {@code dev.berth.api.v1alpha1}, one file for each kind, and the list of them. */
final class CrdFiles {
    /** Makes the folder a kustomize base: a kustomization may take in other folders, but no single file from outside. */
    private static final String KUSTOMIZATION = "kustomization.yaml";

    private static final List<Class<? extends CustomResource<?, ?>>> KINDS = List.of(
            AddressPool.class,
            Address.class,
            AgentReport.class,
            BGPPeer.class,
            ClusterIPReservation.class,
            LoadBalancerClass.class,
            ServiceCIDRPolicy.class);

    private static final JSONSchemaProps TEXT =
            new JSONSchemaPropsBuilder().withType("string").build();

    /** {@code ^(Auto|VIP)$}, or one word. */
    private static final Pattern WORDS =
            Pattern.compile("\\^\\(?([A-Za-z][A-Za-z0-9]*(?:[|][A-Za-z][A-Za-z0-9]*)*)\\)?\\$");

    /** The fields of all kinds that are times. */
    private static final List<String> TIMES = List.of("releasedAt", "at", "since", "lastTransitionTime");

    /** The fields of all kinds that are days. */
    private static final List<String> DAYS = List.of("fullOn");

    private static final double MANY = 1e9;

    /** Of the whole numbers that every JSON parser keeps. */
    private static final double LARGEST_EXACT = 9_007_199_254_740_991.0;

    private CrdFiles() {}

    /** Replaces what {@code args[0]}, a folder, holds; {@code make manifests} calls it. */
    static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        Files.createDirectories(directory);
        for (Path old : list(directory)) {
            Files.delete(old);
        }
        generate(directory);
    }

    /**
     * Writes {@code <plural>.berth.dev.yaml} for each kind, and the {@code kustomization.yaml} that names
     * them, into {@code directory}, which exists and is empty.
     */
    static void generate(Path directory) throws IOException {
        generateKinds(directory);
        String resources = list(directory).stream()
                .map(file -> "  - " + file.getFileName() + "\n")
                .collect(Collectors.joining());
        Files.writeString(
                directory.resolve(KUSTOMIZATION),
                "# Generated, as the files beside it are: run make manifests.\n"
                        + "apiVersion: kustomize.config.k8s.io/v1beta1\n"
                        + "kind: Kustomization\n"
                        + "resources:\n"
                        + resources
                        // An uninstall tells by it what to keep: with its kind every Address goes.
                        + "labels:\n"
                        + "  - pairs:\n"
                        + "      app.kubernetes.io/component: crds\n");
    }

    private static void generateKinds(Path directory) throws IOException {
        KubernetesSerialization yaml = new KubernetesSerialization();
        for (Class<? extends CustomResource<?, ?>> kind : KINDS) {
            new CRDGenerator()
                    .inOutputDir(directory.toFile())
                    .customResourceClasses(kind)
                    .forCRDVersions("v1")
                    .generate();
            Path raw = list(directory).stream()
                    .filter(file -> file.toString().endsWith("-v1.yml"))
                    .findFirst()
                    .orElseThrow();
            CustomResourceDefinition crd = yaml.unmarshal(Files.readString(raw), CustomResourceDefinition.class);
            polish(crd, kind);
            Files.delete(raw);
            Files.writeString(
                    directory.resolve(crd.getMetadata().getName() + ".yaml"),
                    "# Generated from " + kind.getName() + "; change that, then run make manifests.\n"
                            + yaml.asYaml(crd));
        }
    }

    static List<Path> list(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /**
     * Puts right what the generator does to records: it sorts the printer columns by path, takes each
     * rule from both the field and its accessor, and leaves {@code spec} optional. Priority 0 it writes
     * out and the API server drops, so that every {@code kubectl apply} would find a difference.
     */
    private static void polish(CustomResourceDefinition crd, Class<?> kind) {
        List<String> declared = Arrays.stream(kind.getAnnotationsByType(AdditionalPrinterColumn.class))
                .map(AdditionalPrinterColumn::name)
                .toList();
        crd.getSpec().getVersions().forEach(version -> {
            List<CustomResourceColumnDefinition> columns = version.getAdditionalPrinterColumns();
            columns.sort(Comparator.comparingInt(column -> declared.indexOf(column.getName())));
            columns.stream().filter(column -> column.getPriority() == 0).forEach(column -> column.setPriority(null));
            JSONSchemaProps schema = version.getSchema().getOpenAPIV3Schema();
            schema.setRequired(List.of("spec"));
            if (kind == AgentReport.class) {
                // All of it is its spec.
                schema.getProperties().remove("status");
                version.setSubresources(null);
            }
            describe(schema, kind);
            tellOfTheName(schema, kind);
            bound(schema.getProperties().get("status"), "");
            giveTheConditionsTheirSchema(schema);
            giveWordsAndTimesTheirSchema(schema, "");
            giveListsTheirKeys(schema, kind);
            tellDefaults(schema);
            dropRepeatedRules(schema);
        });
    }

    /** The generator takes the descriptions of properties only: {@code kubectl explain} would have nothing to say of a kind. */
    private static void describe(JSONSchemaProps schema, Class<?> kind) {
        schema.setDescription(description(kind));
        for (Class<?> part : kind.getDeclaredClasses()) {
            JSONSchemaProps property =
                    schema.getProperties().get(part.getSimpleName().toLowerCase(Locale.ROOT));
            if (property != null) {
                property.setDescription(description(part));
            }
        }
    }

    private static String description(Class<?> described) {
        return described.getAnnotation(JsonClassDescription.class).value();
    }

    /**
     * Of metadata a schema may describe the name only. An Address' name is an address: saying so is also what lets the
     * API
     * server afford the CEL rule on it. A rule can only point at what the schema describes.
     */
    private static void tellOfTheName(JSONSchemaProps schema, Class<?> kind) {
        if (kind == Address.class) {
            JSONSchemaProps bounded =
                    new JSONSchemaPropsBuilder(TEXT).withMaxLength(39L).build();
            metadata(
                    schema,
                    new JSONSchemaPropsBuilder()
                            .addToProperties(
                                    "name",
                                    new JSONSchemaPropsBuilder(bounded)
                                            .withPattern(
                                                    "^([0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-f]{4}(-[0-9a-f]{4}){7})$")
                                            .build())
                            .addToProperties("generateName", bounded));
        } else if (kind == ServiceCIDRPolicy.class) {
            metadata(schema, new JSONSchemaPropsBuilder().addToProperties("name", TEXT));
        }
    }

    private static void metadata(JSONSchemaProps schema, JSONSchemaPropsBuilder metadata) {
        schema.getProperties().put("apiVersion", TEXT);
        schema.getProperties().put("kind", TEXT);
        schema.getProperties().put("metadata", metadata.withType("object").build());
    }

    /** The one of metav1.Condition, which the client's class does not have. */
    private static void giveTheConditionsTheirSchema(JSONSchemaProps schema) {
        if (!schema.getProperties().containsKey("status")) {
            return;
        }
        JSONSchemaProps status = property(schema, "status");
        explain(status, "conditions", "The current conditions, one of each type.");
        explain(status, "observedGeneration", "The metadata.generation that the status describes.");
        JSONSchemaProps conditions = property(status, "conditions");
        key(conditions, "type");
        JSONSchemaProps condition = Objects.requireNonNull(conditions.getItems().getSchema());
        explain(condition, "type", "The type of the condition, such as Ready.");
        explain(condition, "status", "True, False or Unknown.");
        explain(condition, "reason", "The reason for the last transition, in one stable CamelCase word.");
        explain(condition, "message", "A human-readable explanation.");
        explain(condition, "lastTransitionTime", "When the status last changed.");
        explain(condition, "observedGeneration", "The metadata.generation that the condition describes.");
        condition.setRequired(List.of("lastTransitionTime", "message", "reason", "status", "type"));
        property(condition, "message").setMaxLength(32_768L);
        JSONSchemaProps reason = property(condition, "reason");
        reason.setMinLength(1L);
        reason.setMaxLength(1_024L);
        reason.setPattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$");
        property(condition, "status").setEnum(texts("True", "False", "Unknown"));
        JSONSchemaProps type = property(condition, "type");
        type.setMaxLength(316L);
        type.setPattern("^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
                + "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$");
    }

    private static void explain(JSONSchemaProps schema, String name, String description) {
        JSONSchemaProps property = schema.getProperties().get(name);
        if (property != null && property.getDescription() == null) {
            property.setDescription(description);
        }
    }

    /** {@code kubectl explain} shows none but what a description says. */
    private static void tellDefaults(JSONSchemaProps schema) {
        if (schema.getDefault() != null) {
            schema.setDescription(schema.getDescription() + " Defaults to "
                    + schema.getDefault().asText() + ".");
        }
        schema.getProperties().values().forEach(CrdFiles::tellDefaults);
        if (schema.getItems() != null && schema.getItems().getSchema() != null) {
            tellDefaults(schema.getItems().getSchema());
        }
    }

    /** The generator knows patterns only: one that names words is an enum, which {@code kubectl explain} shows. */
    private static void giveWordsAndTimesTheirSchema(JSONSchemaProps schema, String name) {
        Matcher words = WORDS.matcher(Objects.requireNonNullElse(schema.getPattern(), ""));
        if (words.matches()) {
            schema.setPattern(null);
            schema.setMaxLength(null);
            schema.setEnum(texts(words.group(1).split("[|]")));
        }
        if (TIMES.contains(name)) {
            schema.setFormat("date-time");
        }
        if (DAYS.contains(name)) {
            schema.setFormat("date");
        }
        schema.getProperties().forEach((field, property) -> giveWordsAndTimesTheirSchema(property, field));
        if (schema.getItems() != null) {
            giveWordsAndTimesTheirSchema(schema.getItems().getSchema(), "");
        }
    }

    /** So that who applies one entry does not own the others, and none is there twice. */
    private static void giveListsTheirKeys(JSONSchemaProps schema, Class<?> kind) {
        if (kind == Address.class) {
            // Each is required, or has a default: the API server refuses any other key.
            key(property(property(schema, "spec"), "claims"), "namespace", "name", "kind");
        } else if (kind == AddressPool.class) {
            JSONSchemaProps quota = property(property(schema, "spec"), "quota");
            key(property(quota, "namespaces"), "namespace");
        } else if (kind == BGPPeer.class) {
            key(property(property(schema, "status"), "nodes"), "node");
            property(property(schema, "spec"), "families").setXKubernetesListType("set");
        }
    }

    private static void key(JSONSchemaProps list, String... fields) {
        list.setXKubernetesListType("map");
        list.setXKubernetesListMapKeys(List.of(fields));
    }

    private static List<JsonNode> texts(String... texts) {
        return Stream.of(texts)
                .<JsonNode>map(JsonNodeFactory.instance::textNode)
                .toList();
    }

    private static JSONSchemaProps property(JSONSchemaProps schema, String name) {
        return Objects.requireNonNull(schema.getProperties().get(name), name);
    }

    /** Numbers of a status count objects, but for these. Those of a spec say themselves what they may be. */
    private static double largest(String name) {
        return switch (name) {
            case "observedGeneration" -> LARGEST_EXACT;
            case "usedPercent" -> 100;
            default -> MANY;
        };
    }

    private static void bound(@Nullable JSONSchemaProps schema, String name) {
        if (schema == null) {
            return;
        }
        if ("integer".equals(schema.getType())) {
            schema.setMinimum(0.0);
            schema.setMaximum(largest(name));
        }
        schema.getProperties().forEach((field, property) -> bound(property, field));
        if (schema.getItems() != null) {
            bound(schema.getItems().getSchema(), "");
        }
        if (schema.getAdditionalProperties() != null) {
            bound(schema.getAdditionalProperties().getSchema(), "");
        }
    }

    private static void dropRepeatedRules(JSONSchemaProps schema) {
        schema.setXKubernetesValidations(
                new LinkedHashSet<>(schema.getXKubernetesValidations()).stream().toList());
        schema.getProperties().values().forEach(CrdFiles::dropRepeatedRules);
        if (schema.getItems() != null) {
            dropRepeatedRules(schema.getItems().getSchema());
        }
    }
}
