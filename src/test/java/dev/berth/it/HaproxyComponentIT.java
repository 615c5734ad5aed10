package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.KubeBinaries;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The component {@code haproxy}, as kubectl renders it. */
class HaproxyComponentIT {
    private static final Path MANIFESTS = Path.of("src/main/kubernetes").toAbsolutePath();

    @TempDir
    private Path overlay;

    private List<String> documents;

    @BeforeEach
    void render() throws IOException {
        Path manifests = overlay.toRealPath().relativize(MANIFESTS);
        Files.writeString(overlay.resolve("kustomization.yaml"), """
                apiVersion: kustomize.config.k8s.io/v1beta1
                kind: Kustomization
                resources: [%s]
                components: [%s/components/haproxy]
                """.formatted(manifests, manifests));
        Process kubectl = new ProcessBuilder(
                        KubeBinaries.ofThisMachine().kubectl().toString(), "kustomize", overlay.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (InputStream rendered = kubectl.getInputStream()) {
            documents = Stream.of(new String(rendered.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^---$"))
                    .toList();
        }
    }

    private <T extends HasMetadata> T rendered(Class<T> kind, String name) {
        return documents.stream()
                .filter(document -> document.contains("\nkind: " + kind.getSimpleName() + "\n"))
                .map(document -> Serialization.unmarshal(document, kind))
                .filter(object -> object.getMetadata().getName().startsWith(name))
                .findFirst()
                .orElseThrow();
    }

    private PodSpec pod(String deployment) {
        return documents.stream()
                .filter(document -> document.contains("\nkind: Deployment\n"))
                .map(document -> Serialization.unmarshal(document, Deployment.class))
                .filter(object -> object.getMetadata().getName().equals(deployment))
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec();
    }

    @Test
    void haproxy_hasTheNetworkOfItsNode_twoCapabilities_andNoToken() {
        PodSpec pod = pod("berth-haproxy");
        Container container = pod.getContainers().getFirst();

        assertThat(pod.getHostNetwork()).isTrue();
        assertThat(pod.getAutomountServiceAccountToken()).isFalse();
        assertThat(pod.getNodeSelector()).containsEntry("berth.dev/haproxy", "");
        assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(container.getSecurityContext().getCapabilities().getAdd())
                .containsExactly("NET_ADMIN", "NET_BIND_SERVICE");
        assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    }

    @Test
    void theOperator_isToldWhereItIs_overTls() {
        Container operator = pod("berth").getContainers().getFirst();

        assertThat(operator.getArgs()).contains("--plugin-dir=/etc/berth/plugins");
        assertThat(rendered(ConfigMap.class, "berth-plugins").getData().get("lb.grpc.properties"))
                .contains("target=dns:///berth-haproxy.berth-system.svc:9443")
                .contains("key=/etc/berth/haproxy-tls/tls.key");
        assertThat(operator.getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .contains("/etc/berth/plugins", "/etc/berth/haproxy-tls");
    }
}
