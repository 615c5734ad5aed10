package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Installation;
import dev.berth.testing.RenderedManifests;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The component {@code agent}, as kubectl renders it. */
@ExtendWith(SharedInstallation.class)
class AgentComponentIT {
    @TempDir
    private Path overlay;

    private RenderedManifests manifests;

    @BeforeEach
    void render() {
        manifests = RenderedManifests.withComponent(overlay, "agent");
    }

    private DaemonSet agents() {
        return manifests.all(DaemonSet.class).findFirst().orElseThrow();
    }

    private PodSpec pod() {
        return agents().getSpec().getTemplate().getSpec();
    }

    @Test
    void podOfAnAgent_isLetInByPodSecurity(Installation berth) {
        String namespace = agents().getMetadata().getNamespace();
        manifests
                .all(Namespace.class)
                .filter(one -> one.getMetadata().getName().equals(namespace))
                .forEach(one -> berth.client().resource(one).serverSideApply());
        manifests
                .all(ServiceAccount.class)
                .filter(one -> namespace.equals(one.getMetadata().getNamespace()))
                .forEach(one -> berth.client().resource(one).serverSideApply());
        Pod pod = new PodBuilder()
                .withNewMetadataLike(agents().getSpec().getTemplate().getMetadata())
                .withName("agent")
                .withNamespace(namespace)
                .endMetadata()
                .withSpec(pod())
                .build();
        Pod created = berth.client().resource(pod).dryRun(true).create();
        assertThat(created.getSpec().getHostNetwork()).isTrue();
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
        assertThat(role.getRules())
                .filteredOn(rule -> rule.getNonResourceURLs().isEmpty())
                .flatExtracting(PolicyRule::getVerbs)
                .containsOnly("list", "watch");
        assertThat(role.getRules())
                .filteredOn(rule -> !rule.getNonResourceURLs().isEmpty())
                .singleElement()
                .satisfies(rule -> {
                    assertThat(rule.getNonResourceURLs()).containsExactly("/version");
                    assertThat(rule.getVerbs()).containsExactly("get");
                });
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
