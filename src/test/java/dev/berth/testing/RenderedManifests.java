package dev.berth.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code kubectl kustomize}, or {@code helm template}, makes of Berth's manifests. */
public final class RenderedManifests {
    private static final Path MANIFESTS = Path.of(Installation.MANIFESTS).toAbsolutePath();

    private final List<String> documents;

    private RenderedManifests(List<String> documents) {
        this.documents = documents;
    }

    /**
     * The manifests with one of their components.
     *
     * @param folder empty; gets the kustomization
     */
    public static RenderedManifests withComponent(Path folder, String component) {
        return withComponents(folder, component);
    }

    /** The same with several, in their order. */
    public static RenderedManifests withComponents(Path folder, String... components) {
        return withKustomization(folder, List.of(components), "");
    }

    /**
     * The manifests with some of their components.
     *
     * @param folder empty; gets the kustomization
     * @param changes further fields of the kustomization, as YAML
     */
    public static RenderedManifests withKustomization(Path folder, List<String> components, String changes) {
        try {
            Path manifests = folder.toRealPath().relativize(MANIFESTS);
            String added = components.stream()
                    .map(component -> manifests + "/components/" + component)
                    .collect(Collectors.joining(", "));
            return ofKustomization(folder, """
                    apiVersion: kustomize.config.k8s.io/v1beta1
                    kind: Kustomization
                    resources: [%s]
                    components: [%s]
                    """.formatted(manifests, added) + changes);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * What such a kustomization makes.
     *
     * @param folder gets it
     * @param text as YAML
     */
    public static RenderedManifests ofKustomization(Path folder, String text) {
        try {
            Files.writeString(folder.resolve("kustomization.yaml"), text);
            Process kubectl = new ProcessBuilder(
                            KubeBinaries.ofThisMachine().kubectl().toString(), "kustomize", folder.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (InputStream rendered = kubectl.getInputStream()) {
                return of(new String(rendered.readAllBytes(), UTF_8));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Of YAML documents; those that are empty do not count. */
    static RenderedManifests of(String documents) {
        return new RenderedManifests(Stream.of(documents.split("(?m)^---$"))
                .filter(document -> !document.isBlank())
                .toList());
    }

    /** All of them, as they are written. */
    public Stream<GenericKubernetesResource> all() {
        return documents.stream().map(document -> Serialization.unmarshal(document, GenericKubernetesResource.class));
    }

    /** All of a kind, in the order of their names. */
    public <T extends HasMetadata> Stream<T> all(Class<T> kind) {
        return documents.stream()
                .filter(document -> document.contains("\nkind: " + kind.getSimpleName() + "\n"))
                .map(document -> Serialization.unmarshal(document, kind));
    }
}
