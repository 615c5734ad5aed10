package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.berth.testing.Installation;
import dev.berth.testing.RenderedManifests;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who can call the API server in the Pods of each component, as kubectl renders them. */
class ServiceAccountTokenIT {
    private static final String WHERE_CLIENTS_LOOK = "/var/run/secrets/kubernetes.io/serviceaccount";

    private static final List<String> BERTHS_CONTAINERS = List.of("operator", "agent");

    @TempDir
    private Path overlay;

    /** Each beside the agents, which some of them change. */
    static List<String> components() throws IOException {
        try (var folders = Files.list(Path.of(Installation.MANIFESTS, "components"))) {
            return folders.map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("components")
    void theServiceAccountsToken_isInTheContainersOfBerth_andInNoOther(String component) {
        for (PodSpec pod : pods(component)) {
            boolean mountedByTheApiServer = !Boolean.FALSE.equals(pod.getAutomountServiceAccountToken());
            List<String> withToken = pod.getVolumes().stream()
                    .filter(ServiceAccountTokenIT::hasToken)
                    .map(Volume::getName)
                    .toList();
            for (Container container : containers(pod)) {
                List<VolumeMount> tokens = container.getVolumeMounts().stream()
                        .filter(mount -> withToken.contains(mount.getName()))
                        .toList();
                if (!BERTHS_CONTAINERS.contains(container.getName())) {
                    assertThat(mountedByTheApiServer)
                            .as("the API server mounts it into all containers, also %s", container.getName())
                            .isFalse();
                    assertThat(tokens).as(container.getName()).isEmpty();
                } else if (!mountedByTheApiServer) {
                    assertThat(tokens)
                            .as(container.getName())
                            .extracting(VolumeMount::getMountPath, VolumeMount::getReadOnly)
                            .containsExactly(tuple(WHERE_CLIENTS_LOOK, true));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("components")
    void whatIsMountedInstead_isWhatTheApiServerWouldHaveMounted(String component) {
        assertThat(pods(component))
                .flatExtracting(PodSpec::getVolumes)
                .filteredOn(ServiceAccountTokenIT::hasToken)
                .isNotEmpty()
                .allSatisfy(volume -> assertThat(volume.getProjected().getSources())
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

    /** Those of the operator, of the agents and of what the component brings. */
    private List<PodSpec> pods(String component) {
        List<String> components = Stream.of("agent", component).distinct().toList();
        RenderedManifests manifests = RenderedManifests.withKustomization(overlay, components, "");
        List<PodSpec> pods = new ArrayList<>();
        manifests
                .all(Deployment.class)
                .forEach(one -> pods.add(one.getSpec().getTemplate().getSpec()));
        manifests
                .all(DaemonSet.class)
                .forEach(one -> pods.add(one.getSpec().getTemplate().getSpec()));
        assertThat(pods).hasSizeGreaterThanOrEqualTo(2);
        return pods;
    }

    private static List<Container> containers(PodSpec pod) {
        return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .toList();
    }

    private static boolean hasToken(Volume volume) {
        return volume.getProjected() != null
                && volume.getProjected().getSources().stream()
                        .anyMatch(source -> source.getServiceAccountToken() != null);
    }
}
