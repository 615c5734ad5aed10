package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.agent.PeerStatus.Node;
import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What agents write into the status of a BGPPeer. */
class PeerStatusTest {
    private static final String BEFORE = "2026-01-01T00:00:00Z";
    private static final String NOW = "2026-01-02T00:00:00Z";
    private static final Set<String> NODES = Set.of("a", "b", "c", "d", "e", "worker-1", "worker-2", "worker-3");
    private static final PeerStatus NONE = new PeerStatus(3, 0, List.of(), Optional.empty());

    private static Node established(String node) {
        return new Node(node, PeerStatus.ESTABLISHED, BEFORE, 2, "");
    }

    private static Node connecting(String node, String lastError) {
        return new Node(node, PeerStatus.CONNECTING, BEFORE, -1, lastError);
    }

    private static PeerStatus with(PeerStatus status, Node node) {
        return status.next(node.name(), Optional.of(node), NODES, NOW);
    }

    private static PeerStatus.Ready ready(PeerStatus status) {
        return status.ready().orElseThrow();
    }

    @Test
    void nodesWriteTheirOwnPart_andPeerIsReady_onceAllHaveASession() {
        PeerStatus one = with(with(NONE, established("b")), connecting("a", "192.0.2.254 does not answer at port 179"));
        assertThat(one.nodes()).extracting(Node::name).containsExactly("a", "b");
        assertThat(ready(one))
                .isEqualTo(new PeerStatus.Ready(
                        false,
                        "NotEstablished",
                        "1 of 2 nodes have a session; a: 192.0.2.254 does not answer at port 179",
                        NOW));
        assertThat(ready(with(one, established("a"))))
                .isEqualTo(new PeerStatus.Ready(true, "Established", "2 of 2 nodes have a session", NOW));
    }

    @Test
    void whatCannotBeUsed_isTheReason_andThreeNodesAreNamed() {
        PeerStatus status = NONE;
        for (String node : List.of("a", "b", "c", "d")) {
            status = with(status, new Node(node, PeerStatus.UNUSABLE, BEFORE, -1, "Secret \"x\" is missing"));
        }
        assertThat(ready(status).reason()).isEqualTo("Unusable");
        assertThat(ready(status).message())
                .isEqualTo("0 of 4 nodes have a session; a: Secret \"x\" is missing; b: Secret \"x\" is missing;"
                        + " c: Secret \"x\" is missing; and 1 more");
    }

    @Test
    void message_isAsDocsBgpMdHasIt() throws IOException {
        TypedPage.Step step = TypedPage.step(Path.of("docs/bgp.md"), "kubectl get bgppeer router -o jsonpath");
        String why = step.printed().substring(step.printed().indexOf("Secret "));
        PeerStatus status = with(with(NONE, established("worker-1")), established("worker-3"));
        assertThat(ready(with(status, new Node("worker-2", PeerStatus.UNUSABLE, BEFORE, -1, why)))
                        .message())
                .isEqualTo(step.printed());
    }

    @Test
    void peerThatNoNodeHas_saysSo() {
        assertThat(ready(NONE.next("a", Optional.empty(), NODES, NOW)).reason()).isEqualTo("NoNode");
    }

    @Test
    void nodeThatIsGone_orSelectedNoMore_isLeftOut() {
        PeerStatus two = with(with(NONE, established("a")), established("b"));
        assertThat(two.next("a", Optional.empty(), NODES, NOW).nodes())
                .extracting(Node::name)
                .containsExactly("b");
        assertThat(two.next("a", Optional.of(established("a")), Set.of("a"), NOW)
                        .nodes())
                .extracting(Node::name)
                .containsExactly("a");
    }

    @Test
    void sameAgain_isNoChange_alsoLater() throws IOException {
        PeerStatus status = with(NONE, established("a"));
        assertThat(status.next("a", Optional.of(established("a")), NODES, "2026-01-03T00:00:00Z"))
                .isEqualTo(status);
        ObjectNode written = (ObjectNode) new ObjectMapper().readTree(status.patch("7"));
        assertThat(written.at("/metadata/resourceVersion").asText()).isEqualTo("7");
        assertThat(written.at("/status/sessions").asText()).isEqualTo("1/1");
        written.withObject("/metadata").put("generation", 3);
        assertThat(PeerStatus.read(written)).isEqualTo(status);
    }

    @Test
    void anotherGeneration_isObserved() {
        PeerStatus status = with(NONE, established("a"));
        PeerStatus edited = new PeerStatus(4, 3, status.nodes(), status.ready());
        assertThat(with(edited, established("a")).observed()).isEqualTo(4);
    }

    @Test
    void anotherNumberOfRoutes_isAlmostTheSame() {
        assertThat(established("a").isAlmost(established("a").withRoutes(7))).isTrue();
        assertThat(established("a").isAlmost(connecting("a", ""))).isFalse();
    }

    @Test
    void errorOfAnyLength_fitsIntoTheStatus() {
        assertThat(connecting("a", "x".repeat(9_999)).lastError()).hasSize(512);
    }
}
