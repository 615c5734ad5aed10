package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.RenderedManifests;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The component {@code haproxy}, as kubectl renders it. */
class HaproxyComponentIT {
    @TempDir
    private Path overlay;

    private RenderedManifests manifests;

    @BeforeEach
    void render() {
        manifests = RenderedManifests.withComponent(overlay, "haproxy");
    }

    private PodSpec pod(String deployment) {
        return manifests
                .all(Deployment.class)
                .filter(object -> object.getMetadata().getName().equals(deployment))
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec();
    }

    private String pluginSettings(String file) {
        return manifests
                .all(ConfigMap.class)
                .filter(object -> object.getMetadata().getName().startsWith("berth-plugins"))
                .findFirst()
                .map(object -> object.getData().get(file))
                .orElseThrow();
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
    void haproxy_servesItsMetrics() {
        assertThat(pod("berth-haproxy").getContainers().getFirst().getArgs()).contains("--metrics=0.0.0.0:9444");
        assertThat(manifests
                        .all(Service.class)
                        .filter(object -> object.getMetadata().getName().equals("berth-haproxy")))
                .singleElement()
                .satisfies(service -> assertThat(service.getSpec().getPorts())
                        .extracting(port -> port.getName() + " " + port.getPort())
                        .containsExactlyInAnyOrder("grpc 9443", "metrics 9444"));
    }

    @Test
    void theOperator_isToldWhereItIs_overTls() {
        Container operator = pod("berth").getContainers().getFirst();

        assertThat(operator.getArgs()).contains("--plugin-dir=/etc/berth/plugins");
        assertThat(pluginSettings("lb.grpc.properties"))
                .contains("target=dns:///berth-haproxy.berth-system.svc:9443")
                .contains("key=/etc/berth/haproxy-tls/tls.key");
        assertThat(operator.getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .contains("/etc/berth/plugins", "/etc/berth/haproxy-tls");
    }
}
