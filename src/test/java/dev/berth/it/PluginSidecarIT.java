package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.berth.testing.RenderedManifests;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the component plugin-sidecar makes of the Deployment, as kubectl renders it. */
class PluginSidecarIT {
    private static final String WHERE_CLIENTS_LOOK = "/var/run/secrets/kubernetes.io/serviceaccount";

    @TempDir
    private Path overlay;

    private PodSpec pod;

    @BeforeEach
    void render() {
        pod = RenderedManifests.withComponent(overlay, "plugin-sidecar")
                .all(Deployment.class)
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec();
    }

    @Test
    void theServiceAccountsToken_isInTheOperatorsContainer_andInNoOther() {
        assertThat(pod.getAutomountServiceAccountToken())
                .as("a token that the API server mounts is in all containers")
                .isFalse();
        List<String> withToken = pod.getVolumes().stream()
                .filter(PluginSidecarIT::hasToken)
                .map(Volume::getName)
                .toList();
        assertThat(mounts("operator"))
                .filteredOn(mount -> withToken.contains(mount.getName()))
                .extracting(VolumeMount::getMountPath, VolumeMount::getReadOnly)
                .containsExactly(tuple(WHERE_CLIENTS_LOOK, true));
        assertThat(pod.getContainers()).extracting(Container::getName).containsExactly("operator", "plugin");
        assertThat(mounts("plugin")).extracting(VolumeMount::getName).doesNotContainAnyElementsOf(withToken);
    }

    @Test
    void whatTheOperatorFindsThere_isWhatTheApiServerWouldHaveMounted() {
        assertThat(pod.getVolumes())
                .filteredOn(PluginSidecarIT::hasToken)
                .singleElement()
                .satisfies(volume -> assertThat(volume.getProjected().getSources())
                        .flatExtracting(source -> Stream.of(
                                        Stream.ofNullable(source.getServiceAccountToken())
                                                .map(token -> token.getPath()),
                                        Stream.ofNullable(source.getConfigMap())
                                                .flatMap(map -> map.getItems().stream())
                                                .map(item -> item.getPath()),
                                        Stream.ofNullable(source.getDownwardAPI())
                                                .flatMap(fields -> fields.getItems().stream())
                                                .map(item -> item.getPath()))
                                .flatMap(paths -> paths)
                                .toList())
                        .containsExactly("token", "ca.crt", "namespace"));
    }

    private List<VolumeMount> mounts(String container) {
        return pod.getContainers().stream()
                .filter(one -> one.getName().equals(container))
                .findFirst()
                .orElseThrow()
                .getVolumeMounts();
    }

    private static boolean hasToken(Volume volume) {
        return volume.getProjected() != null
                && volume.getProjected().getSources().stream()
                        .anyMatch(source -> source.getServiceAccountToken() != null);
    }
}
