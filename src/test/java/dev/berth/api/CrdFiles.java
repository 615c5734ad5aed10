package dev.berth.api;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
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

/** Generates the CustomResourceDefinitions of {@code dev.berth.api.v1alpha1}, one file a kind. */
final class CrdFiles {
    private static final List<Class<? extends CustomResource<?, ?>>> KINDS =
            List.of(AddressPool.class, Address.class, LoadBalancerClass.class);

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

    /** Writes {@code <plural>.berth.dev.yaml} for each kind into {@code directory}, which exists and is empty. */
    static void generate(Path directory) throws IOException {
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
     * rule from both the field and its accessor, and leaves {@code spec} optional.
     */
    private static void polish(CustomResourceDefinition crd, Class<?> kind) {
        List<String> declared = Arrays.stream(kind.getAnnotationsByType(AdditionalPrinterColumn.class))
                .map(AdditionalPrinterColumn::name)
                .toList();
        crd.getSpec().getVersions().forEach(version -> {
            version.getAdditionalPrinterColumns()
                    .sort(Comparator.comparingInt(column -> declared.indexOf(column.getName())));
            JSONSchemaProps schema = version.getSchema().getOpenAPIV3Schema();
            schema.setRequired(List.of("spec"));
            boundTheName(schema, kind);
            dropRepeatedRules(schema);
        });
    }

    /** An Address' name is an address: saying so is also what lets the API server afford the CEL rule on it. */
    private static void boundTheName(JSONSchemaProps schema, Class<?> kind) {
        if (kind != Address.class) {
            return;
        }
        JSONSchemaProps text = new JSONSchemaPropsBuilder().withType("string").build();
        JSONSchemaProps name = new JSONSchemaPropsBuilder()
                .withType("string")
                .withMaxLength(39L)
                .withPattern("^([0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-f]{4}(-[0-9a-f]{4}){7})$")
                .build();
        schema.getProperties().put("apiVersion", text);
        schema.getProperties().put("kind", text);
        schema.getProperties()
                .put(
                        "metadata",
                        new JSONSchemaPropsBuilder()
                                .withType("object")
                                .addToProperties("name", name)
                                .addToProperties(
                                        "generateName",
                                        new JSONSchemaPropsBuilder()
                                                .withType("string")
                                                .withMaxLength(39L)
                                                .build())
                                .build());
    }

    private static void dropRepeatedRules(JSONSchemaProps schema) {
        schema.setXKubernetesValidations(
                new LinkedHashSet<>(schema.getXKubernetesValidations()).stream().toList());
        schema.getProperties().values().forEach(CrdFiles::dropRepeatedRules);
    }
}
