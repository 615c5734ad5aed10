package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What docs/cluster-addresses*.md and the example beside them hold to. */
class ClusterAddressesPagesTest {
    private static final Path DOCS = Path.of("docs");

    /** Five pages, one for each task, are read at one sitting. */
    private static final int BYTES = 15 * 1024;

    @Test
    void pages_areFive_andShort() throws IOException {
        long bytes = 0;
        int pages = 0;
        try (var all = Files.newDirectoryStream(DOCS, "cluster-addresses*.md")) {
            for (Path page : all) {
                bytes += Files.size(page);
                pages++;
            }
        }
        assertThat(pages).isEqualTo(5);
        assertThat(bytes).isLessThanOrEqualTo(BYTES);
    }

    @Test
    void exampleOverlay_isTheControllerOnlyWhereNobodyElseIs() throws IOException {
        Path overlay = DOCS.resolve("examples/cluster-addresses");
        Kustomization example =
                Serialization.unmarshal(Files.readString(overlay.resolve("kustomization.yaml")), Kustomization.class);

        assertThat(example.components())
                .singleElement()
                .satisfies(component -> assertThat(overlay.resolve(component).normalize())
                        .isEqualTo(Path.of("src/main/kubernetes/components/cluster-addresses"))
                        .isDirectory());
        assertThat(example.patches())
                .singleElement()
                .satisfies(patch -> assertThat(operations(patch.patch()))
                        .extracting(operation -> operation.get("value"))
                        .containsExactly("--service-cidr-controller=Auto"));
    }

    private static List<Map<String, String>> operations(String patch) {
        return Serialization.unmarshal(patch, new TypeReference<>() {});
    }

    private record Kustomization(
            String apiVersion, String kind, List<String> resources, List<String> components, List<Patch> patches) {}

    private record Patch(Map<String, String> target, String patch) {}
}
