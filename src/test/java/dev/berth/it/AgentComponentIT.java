package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The components {@code agent} and {@code bgp}, as kubectl renders them. */
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
    void agent_hasAServiceAccountOfItsOwn_thatReads_andWritesItsReportAlone() {
        assertThat(pod().getServiceAccountName()).isEqualTo("berth-agent");
        ClusterRole role = manifests
                .all(ClusterRole.class)
                .filter(one -> one.getMetadata().getName().equals("berth-agent"))
                .findFirst()
                .orElseThrow();
        assertThat(role.getRules())
                .filteredOn(rule -> rule.getResources().equals(List.of("agentreports")))
                .singleElement()
                .satisfies(rule -> assertThat(rule.getVerbs()).containsExactly("create", "patch"));
        assertThat(role.getRules())
                .filteredOn(rule -> rule.getNonResourceURLs().isEmpty()
                        && !rule.getResources().equals(List.of("agentreports")))
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
                .containsExactlyInAnyOrder(
                        "services", "nodes", "endpointslices", "addresses", "loadbalancerclasses", "agentreports");
    }

    @Test
    void agentWithBgp_hasASpeakerBesideIt_withoutAnyCapability_thatOnlyItReaches(@TempDir Path other) {
        RenderedManifests withBgp = RenderedManifests.withComponents(other, "agent", "bgp");
        PodSpec pod = withBgp.all(DaemonSet.class)
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(pod.getContainers().getFirst().getArgs()).contains("--gobgp=unix:///run/gobgp/gobgp.sock");
        Container speaker = pod.getContainers().getLast();
        assertThat(speaker.getName()).isEqualTo("gobgpd");
        assertThat(speaker.getCommand().getLast()).contains("--api-hosts=unix:///run/gobgp/gobgp.sock ");
        assertThat(speaker.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(speaker.getSecurityContext().getCapabilities().getAdd()).isEmpty();
        assertThat(speaker.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    }

    @Test
    void agentWithBgp_writesTheStatusOfPeers_andReadsSecretsOfItsNamespaceAlone(@TempDir Path other) {
        RenderedManifests withBgp = RenderedManifests.withComponents(other, "agent", "bgp");
        assertThat(withBgp.all(ClusterRole.class)
                        .filter(one -> one.getMetadata().getName().equals("berth-agent-bgp"))
                        .flatMap(one -> one.getRules().stream()))
                .extracting(PolicyRule::getResources, PolicyRule::getVerbs)
                .containsExactly(
                        tuple(List.of("bgppeers"), List.of("list", "watch")),
                        tuple(List.of("bgppeers/status"), List.of("patch")));
        assertThat(withBgp.all(Role.class)
                        .filter(one -> one.getMetadata().getName().equals("berth-agent-bgp")))
                .singleElement()
                .satisfies(role -> {
                    assertThat(role.getMetadata().getNamespace()).isEqualTo("berth-agents");
                    assertThat(role.getRules())
                            .extracting(PolicyRule::getResources, PolicyRule::getVerbs)
                            .containsExactly(tuple(List.of("secrets"), List.of("list", "watch")));
                });
    }

    @Test
    void agents_writeLeasesOfTheirNamespace_whichTheOperatorLists() {
        assertThat(manifests
                        .all(Role.class)
                        .filter(one -> List.of("berth-agent", "berth-leases")
                                .contains(one.getMetadata().getName()))
                        .flatMap(one -> one.getRules().stream()))
                .extracting(PolicyRule::getResources, PolicyRule::getVerbs)
                .containsExactlyInAnyOrder(
                        tuple(List.of("leases"), List.of("create", "patch")),
                        tuple(List.of("leases"), List.of("list")));
    }

    @Test
    void agent_isOnEveryNodeThatKubeProxyIsOn_andServesPeopleOfItsNodeAlone() {
        assertThat(pod().getTolerations())
                .singleElement()
                .satisfies(toleration -> assertThat(toleration.getOperator()).isEqualTo("Exists"));
        assertThat(pod().getContainers().getFirst().getArgs()).contains("--http=127.0.0.1:7947");
    }
}
