package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceManifestTest {
    private static final String SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {}\n";

    @TempDir
    private Path folder;

    private final KubernetesClient client = new KubernetesClientBuilder().build();

    @AfterEach
    void close() {
        client.close();
    }

    private record Row(String rule, String text, String says) {}

    private static final List<Row> UNFIT = List.of(
            new Row("no YAML", SERVICE + "status: [1\n", "line 6, column 1: expected ',' or ']', but got <stream end>"),
            new Row("a tab", "kind: Service\n\tname: web\n", "line 2, column 1: "),
            new Row(
                    "a field of another type",
                    SERVICE.replace("{}", "{ports: 80}"),
                    "spec.ports: Cannot deserialize value of type"),
            new Row(
                    "two Services",
                    SERVICE + "---\n" + SERVICE,
                    "it has to be the manifest of one Service, and has 2 objects (Service, Service)"),
            new Row("something else", SERVICE.replace("Service", "ConfigMap").replace("spec: {}", ""), "one Service"),
            new Row("no name", SERVICE.replace("name: web", ""), "one Service with a name"));

    @Test
    void whatIsNotOneService_isRefused_sayingWhere() throws IOException {
        for (Row row : UNFIT) {
            Path file = Files.writeString(folder.resolve("manifest"), row.text());

            assertThatThrownBy(() -> ServiceManifest.read(client, file.toString()))
                    .as(row.rule())
                    .isInstanceOf(CannotLook.class)
                    .hasMessageStartingWith("reading " + file + ": ")
                    .hasMessageContaining(row.says())
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void fileThatIsMissing_isSaidToBe() {
        assertThatThrownBy(() -> ServiceManifest.read(client, "/nope"))
                .hasMessage("reading /nope: there is no such file");
    }

    @Test
    void fieldThatNobodyKnows_isKept_forTheApiServerToRefuse() throws Exception {
        Path file = Files.writeString(folder.resolve("manifest"), SERVICE.replace("{}", "{selectr: {app: web}}"));

        assertThat(ServiceManifest.read(client, file.toString()).getSpec().getAdditionalProperties())
                .containsKey("selectr");
    }
}
