package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.BGPPeer.NodeSession;
import dev.berth.ip.IpFamily;
import dev.berth.kube.ApiBudget;
import dev.berth.kube.Conditions;
import dev.berth.kube.FieldManagers;
import dev.berth.kube.StatusWriter;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The status of a BGPPeer on a real API server: what agents apply with the rights of their manifests, and the operator makes of it. */
@ExtendWith(SharedInstallation.class)
class PeerEntryIT {
    private static final String STATUS = WatchedKind.PEERS.path() + "/router/status";

    private Installation berth;
    private ApiServer agents;

    @BeforeEach
    void begin(Installation installation) throws IOException {
        berth = installation;
        for (String file : List.of("agent/namespace", "agent/rbac", "bgp/rbac")) {
            berth.controlPlane().kubectl("apply", "-f", "src/main/kubernetes/components/" + file + ".yaml");
        }
        agents = ApiServer.ofKubeconfig(berth.controlPlane().serviceAccountKubeconfig("berth-agents", "berth-agent"));
        berth.client().resource(Serialization.unmarshal("""
                        apiVersion: berth.dev/v1alpha1
                        kind: BGPPeer
                        metadata: {name: router}
                        spec: {peerAddress: 192.0.2.254, peerASN: 64512, myASN: 64513}
                        """, BGPPeer.class)).create();
        for (String node : List.of("worker-1", "worker-2")) {
            berth.client()
                    .resource(new NodeBuilder()
                            .withNewMetadata()
                            .withName(node)
                            .endMetadata()
                            .build())
                    .create();
        }
        berth.operator();
    }

    private void say(String node, String state, String lastError) throws IOException, InterruptedException {
        List<IpFamily> families = state.equals(PeerEntry.ESTABLISHED) ? List.of(IpFamily.values()) : List.of();
        PeerEntry entry = new PeerEntry(node, state, "2026-01-01T00:00:00Z", -1, lastError, families, 1);
        apply(node, Optional.of(entry));
    }

    private void apply(String node, Optional<PeerEntry> entry) throws IOException, InterruptedException {
        agents.apply(STATUS, FieldManagers.agent(node), PeerEntry.applied("router", entry), ApiServer.ANSWER);
    }

    private BGPPeer peer() {
        return berth.client().resources(BGPPeer.class).withName("router").get();
    }

    private BGPPeer awaitPeer(Predicate<BGPPeer> wanted) {
        return await().until(this::peer, wanted);
    }

    private static List<String> nodes(BGPPeer peer) {
        BGPPeer.Status status = peer.getStatus();
        List<NodeSession> nodes = status == null ? null : status.nodes();
        return nodes == null
                ? List.of()
                : nodes.stream().map(node -> node.node() + " " + node.state()).toList();
    }

    private static Predicate<BGPPeer> says(String message) {
        return peer -> Conditions.find(Conditions.of(peer.getStatus()), Conditions.READY)
                .filter(ready -> message.equals(ready.getMessage()))
                .isPresent();
    }

    private static boolean isReady(BGPPeer peer) {
        return Conditions.find(Conditions.of(peer.getStatus()), Conditions.READY)
                .filter(ready -> ready.getStatus().equals("True"))
                .isPresent();
    }

    @Test
    void agents_writeTheirOwnEntry_andTheOperatorTheRest() throws Exception {
        say("worker-2", PeerEntry.ESTABLISHED, "");
        say("worker-1", PeerEntry.CONNECTING, "no route");
        awaitPeer(says("1 of 2 nodes have a session; worker-1: no route"));
        say("worker-1", PeerEntry.ESTABLISHED, "");
        BGPPeer ready = awaitPeer(PeerEntryIT::isReady);
        assertThat(Objects.requireNonNull(ready.getStatus()).sessions()).isEqualTo("2/2");
        assertThat(nodes(ready)).containsExactlyInAnyOrder("worker-1 Established", "worker-2 Established");

        apply("worker-1", Optional.empty());
        assertThat(nodes(awaitPeer(says("1 of 1 nodes have a session")))).containsExactly("worker-2 Established");
        apply("worker-1", Optional.empty());
        assertThat(nodes(peer())).as("it has none any more").containsExactly("worker-2 Established");
    }

    @Test
    void lease_isRenewedByTheAgent_andReadByTheOperator() throws Exception {
        for (int renewal = 0; renewal < 2; renewal++) {
            agents.apply(
                    Heartbeat.path("berth-agents", "worker-1"),
                    FieldManagers.agent("worker-1"),
                    Heartbeat.applied("berth-agents", "worker-1", "", Instant.parse("2026-01-01T00:00:00Z")),
                    ApiServer.ANSWER);
        }
        say("worker-1", PeerEntry.ESTABLISHED, "");
        await().until(() -> berth.controlPlane().auditEvents().stream()
                .filter(event -> event.user().equals("system:serviceaccount:berth-system:berth"))
                .filter(event -> event.verb().equals("list") && event.resource().equals("leases"))
                .anyMatch(AuditEvent::succeeded));
    }

    /** As the operator does for an agent that it does not hear of. */
    @Test
    void whatAnAgentSays_takesThePlaceOfWhatIsSaidOfIt() throws Exception {
        say("worker-1", PeerEntry.ESTABLISHED, "");
        boolean isSaid = new StatusWriter(berth.client(), new ApiBudget())
                .apply(
                        peer(),
                        FieldManagers.agent("worker-1"),
                        Map.of(
                                "nodes",
                                List.of(new NodeSession(
                                        "worker-1",
                                        "Unknown",
                                        "2026-01-01T00:00:00Z",
                                        null,
                                        "not heard of",
                                        null,
                                        null))));
        assertThat(isSaid).isTrue();
        awaitPeer(says("0 of 1 nodes have a session; worker-1: not heard of"));
        say("worker-1", PeerEntry.ESTABLISHED, "");
        awaitPeer(PeerEntryIT::isReady);
        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(peer().getStatus()).nodes())
                        .getFirst()
                        .lastError())
                .isNull();
    }

    @Test
    void entryOfANodeThatIsGone_isRemoved_withAllThatIsKnownOfItsManager() throws Exception {
        say("worker-1", PeerEntry.ESTABLISHED, "");
        say("worker-2", PeerEntry.ESTABLISHED, "");
        say("gone", PeerEntry.ESTABLISHED, "");
        BGPPeer without = awaitPeer(
                says("2 of 2 nodes have a session").and(peer -> nodes(peer).size() == 2));
        assertThat(nodes(without)).containsExactlyInAnyOrder("worker-1 Established", "worker-2 Established");
        List<String> managers = berth
                .client()
                .genericKubernetesResources("berth.dev/v1alpha1", "BGPPeer")
                .withName("router")
                .get()
                .getMetadata()
                .getManagedFields()
                .stream()
                .map(ManagedFieldsEntry::getManager)
                .toList();
        assertThat(managers).contains("berth-agent/worker-1", "berth-agent/worker-2");
        assertThat(managers).doesNotContain("berth-agent/gone");
    }
}
