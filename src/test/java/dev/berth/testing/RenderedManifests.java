package dev.berth.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

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

/** What {@code kubectl kustomize} makes of Berth's manifests. */
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
        try {
            Path manifests = folder.toRealPath().relativize(MANIFESTS);
            Files.writeString(folder.resolve("kustomization.yaml"), """
                    apiVersion: kustomize.config.k8s.io/v1beta1
                    kind: Kustomization
                    resources: [%s]
                    components: [%s]
                    """.formatted(
                            manifests,
                            Stream.of(components)
                                    .map(component -> manifests + "/components/" + component)
                                    .collect(Collectors.joining(", "))));
            Process kubectl = new ProcessBuilder(
                            KubeBinaries.ofThisMachine().kubectl().toString(), "kustomize", folder.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (InputStream rendered = kubectl.getInputStream()) {
                return new RenderedManifests(Stream.of(new String(rendered.readAllBytes(), UTF_8).split("(?m)^---$"))
                        .toList());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** All of a kind, in the order of their names. */
    public <T extends HasMetadata> Stream<T> all(Class<T> kind) {
        return documents.stream()
                .filter(document -> document.contains("\nkind: " + kind.getSimpleName() + "\n"))
                .map(document -> Serialization.unmarshal(document, kind));
    }
}
