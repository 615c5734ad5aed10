package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Installation;
import dev.berth.testing.RenderedManifests;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The component {@code haproxy}, as kubectl renders it. */
@ExtendWith(SharedInstallation.class)
class HaproxyComponentIT {
    @TempDir
    private Path overlay;

    private RenderedManifests manifests;

    @BeforeEach
    void render() {
        manifests = RenderedManifests.withComponent(overlay, "haproxy");
    }

    private Deployment deployment(String name) {
        return manifests
                .all(Deployment.class)
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private PodSpec pod(String deployment) {
        return deployment(deployment).getSpec().getTemplate().getSpec();
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
    void podOfHaproxy_isLetInByPodSecurity(Installation berth) {
        Deployment haproxy = deployment("berth-haproxy");
        String namespace = haproxy.getMetadata().getNamespace();
        manifests
                .all(Namespace.class)
                .filter(one -> one.getMetadata().getName().equals(namespace))
                .forEach(one -> berth.client().resource(one).serverSideApply());
        manifests
                .all(ServiceAccount.class)
                .filter(one -> namespace.equals(one.getMetadata().getNamespace()))
                .forEach(one -> berth.client().resource(one).serverSideApply());
        Pod pod = new PodBuilder()
                .withNewMetadataLike(haproxy.getSpec().getTemplate().getMetadata())
                .withName("haproxy")
                .withNamespace(namespace)
                .endMetadata()
                .withSpec(haproxy.getSpec().getTemplate().getSpec())
                .build();

        Pod created = berth.client().resource(pod).dryRun(true).create();

        assertThat(created.getSpec().getHostNetwork()).isTrue();
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
                .contains("target=dns:///berth-haproxy.berth-haproxy.svc:9443")
                .contains("key=/etc/berth/haproxy-tls/tls.key");
        assertThat(operator.getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .contains("/etc/berth/plugins", "/etc/berth/haproxy-tls");
    }
}
