package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.testing.Installation;
import dev.berth.testing.RenderedManifests;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
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

    /** All that it has put on the node is the kernel's, which a reboot empties. */
    @Test
    void agent_hasNoFileOnItsNode_soAReboot_leavesNothingBehind(@TempDir Path other) {
        RenderedManifests withBgp = RenderedManifests.withComponents(other, "agent", "bgp");
        assertThat(withBgp.all(DaemonSet.class)).singleElement().satisfies(agents -> {
            PodSpec pod = agents.getSpec().getTemplate().getSpec();
            assertThat(pod.getVolumes()).allSatisfy(volume -> {
                assertThat(volume.getHostPath()).isNull();
                assertThat(volume.getPersistentVolumeClaim()).isNull();
            });
            assertThat(pod.getContainers())
                    .allSatisfy(container -> assertThat(
                                    container.getSecurityContext().getReadOnlyRootFilesystem())
                            .isTrue());
        });
    }

    @Test
    void withStrictValidation_anAgent_writesForItsOwnNodeAlone(Installation berth, @TempDir Path other) {
        install(berth, RenderedManifests.withComponents(other, "agent", "bgp", "strict-validation"));
        berth.client().resource(BGP_PEER).serverSideApply();
        try (KubernetesClient agent = agentOf("agents-node-a", berth)) {
            // A policy takes a moment to be seen.
            Awaitility.await()
                    .untilAsserted(() -> assertThat(denial(agent, REPORT.formatted("agents-node-b")))
                            .hasValueSatisfying(said -> assertThat(said)
                                    .contains("the agent of node agents-node-a writes the object of that name")));
            assertThat(denial(agent, REPORT.formatted("agents-node-a"))).isEmpty();
            assertThat(denial(agent, LEASE.formatted("agents-node-b"))).isPresent();
            assertThat(denial(agent, LEASE.formatted("agents-node-a"))).isEmpty();

            assertThat(denialOfStatus(agent, "a", "agents-node-a")).isEmpty();
            assertThat(denialOfStatus(agent, "b", "agents-node-b"))
                    .hasValueSatisfying(said ->
                            assertThat(said).contains("the agent of node agents-node-a writes the entry of that node"));
            // With the name of another agent's field manager it would take that one's entry away.
            assertThat(denialOfStatus(berth.client(), "b", "agents-node-b")).isEmpty();
            assertThat(denialOfStatus(agent, "b", "agents-node-a")).isPresent();
            assertThat(denial(() -> agent.resource(Serialization.unmarshal(READY, BGPPeer.class))
                            .subresource("status")
                            .patch(applyAs("c"))))
                    .isPresent();
        } finally {
            berth.client().resource(BGP_PEER).delete();
        }
    }

    private static final String REPORT = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "AgentReport",
             "metadata": {"name": "%s", "labels": {"strict": "agents"}}, "spec": {}}
            """;
    private static final String LEASE = """
            {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
             "metadata": {"name": "%s", "namespace": "berth-agents", "labels": {"strict": "agents"}}}
            """;
    private static final String BGP_PEER = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "BGPPeer",
             "metadata": {"name": "strict-agents", "labels": {"strict": "agents"}},
             "spec": {"peerAddress": "192.0.2.254", "peerASN": 64512, "myASN": 64513}}
            """;

    private static final String READY = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "BGPPeer", "metadata": {"name": "strict-agents"},
             "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Established", "message": "",
               "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
            """;

    /** The policy looks at nothing but what has the label. */
    private static void install(Installation berth, RenderedManifests agents) {
        Stream.of(
                        agents.all(Namespace.class),
                        agents.all(ServiceAccount.class),
                        agents.all(ClusterRole.class),
                        agents.all(ClusterRoleBinding.class),
                        agents.all(Role.class),
                        agents.all(RoleBinding.class),
                        agents.all(ValidatingAdmissionPolicy.class),
                        agents.all(ValidatingAdmissionPolicyBinding.class)
                                .map(binding -> new ValidatingAdmissionPolicyBindingBuilder(binding)
                                        .editSpec()
                                        .withNewMatchResources()
                                        .withNewObjectSelector()
                                        .addToMatchLabels("strict", "agents")
                                        .endObjectSelector()
                                        .endMatchResources()
                                        .endSpec()
                                        .build()))
                .flatMap(objects -> objects)
                .filter(object -> object.getMetadata().getName().startsWith("berth-agent"))
                .forEach(object -> berth.client().resource(object).serverSideApply());
    }

    /** A client with the token that a Pod of the DaemonSet has on that node. */
    private static KubernetesClient agentOf(String node, Installation berth) {
        Pod pod = berth.client()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("agent-of-" + node)
                        .withNamespace("berth-agents")
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(node)
                        .withServiceAccountName("berth-agent")
                        .addNewContainer()
                        .withName("agent")
                        .withImage("berth")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        String token = berth.client()
                .serviceAccounts()
                .inNamespace("berth-agents")
                .withName("berth-agent")
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withNewBoundObjectRef()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withName(pod.getMetadata().getName())
                        .withUid(pod.getMetadata().getUid())
                        .endBoundObjectRef()
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
        Config admin = berth.client().getConfiguration();
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl(admin.getMasterUrl())
                        .withCaCertData(admin.getCaCertData())
                        .withCaCertFile(admin.getCaCertFile())
                        .withOauthToken(token)
                        .build())
                .build();
    }

    /** What the API server says against it; absent: it is done. */
    private static Optional<String> denial(KubernetesClient agent, String object) {
        return denial(() -> agent.resource(object).fieldManager("agent").serverSideApply());
    }

    private static Optional<String> denial(Runnable write) {
        try {
            write.run();
            return Optional.empty();
        } catch (KubernetesClientException denied) {
            return Optional.of(String.valueOf(denied.getMessage()));
        }
    }

    private static Optional<String> denialOfStatus(KubernetesClient agent, String manager, String node) {
        BGPPeer entry = Serialization.unmarshal("""
                {"apiVersion": "berth.dev/v1alpha1", "kind": "BGPPeer", "metadata": {"name": "strict-agents"},
                 "status": {"nodes": [{"node": "%s", "state": "Connecting", "since": "2026-01-01T00:00:00Z"}]}}
                """.formatted(node), BGPPeer.class);
        return denial(() -> agent.resource(entry).subresource("status").patch(applyAs(manager)));
    }

    private static PatchContext applyAs(String manager) {
        return new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(manager)
                .withForce(true)
                .build();
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
