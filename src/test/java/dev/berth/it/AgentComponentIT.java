package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.RenderedManifests;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The component {@code agent}, as kubectl renders it. */
class AgentComponentIT {
    @TempDir
    private Path overlay;

    private RenderedManifests manifests;

    @BeforeEach
    void render() {
        manifests = RenderedManifests.withComponent(overlay, "agent");
    }

    private PodSpec pod() {
        return manifests
                .all(DaemonSet.class)
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec();
    }

    @Test
    void agent_hasTheNetworkOfItsNode_twoCapabilities_andTheImageThatAnOverlayNames() {
        Container container = pod().getContainers().getFirst();
        assertThat(pod().getHostNetwork()).isTrue();
        assertThat(container.getImage()).isEqualTo("berth");
        assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(container.getSecurityContext().getCapabilities().getAdd()).containsExactly("NET_ADMIN", "NET_RAW");
        assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    }

    @Test
    void agent_hasAServiceAccountOfItsOwn_thatReadsAndWritesNothing() {
        assertThat(pod().getServiceAccountName()).isEqualTo("berth-agent");
        ClusterRole role = manifests
                .all(ClusterRole.class)
                .filter(one -> one.getMetadata().getName().equals("berth-agent"))
                .findFirst()
                .orElseThrow();
        assertThat(role.getRules()).flatExtracting(PolicyRule::getVerbs).containsOnly("list", "watch");
        assertThat(role.getRules())
                .flatExtracting(PolicyRule::getResources)
                .containsExactlyInAnyOrder("services", "nodes", "endpointslices", "addresses", "loadbalancerclasses");
    }

    @Test
    void agent_isOnEveryNodeThatKubeProxyIsOn_andServesPeopleOfItsNodeAlone() {
        assertThat(pod().getTolerations())
                .singleElement()
                .satisfies(toleration -> assertThat(toleration.getOperator()).isEqualTo("Exists"));
        assertThat(pod().getContainers().getFirst().getArgs()).contains("--http=127.0.0.1:7947");
    }
}
