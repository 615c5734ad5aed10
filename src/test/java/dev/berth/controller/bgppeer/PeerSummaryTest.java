package dev.berth.controller.bgppeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.BGPPeer.NodeSession;
import dev.berth.reason.Reason;
import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What follows from the sessions of all nodes. */
class PeerSummaryTest {
    private static final long GENERATION = 3;

    private static NodeSession established(String node) {
        return new NodeSession(node, "Established", "2026-01-01T00:00:00Z", 2, null, List.of("IPv4"), GENERATION);
    }

    private static NodeSession failing(String node, String state, String lastError) {
        return new NodeSession(node, state, "2026-01-01T00:00:00Z", null, lastError, null, GENERATION);
    }

    @Test
    void peerIsReady_onceAllNodesHaveASession() {
        NodeSession waiting = failing("a", "Connecting", "192.0.2.254 does not answer at port 179");
        assertThat(PeerSummary.of(GENERATION, List.of(), List.of(established("b"), waiting)))
                .isEqualTo(new PeerSummary(
                        "1/2",
                        false,
                        Reason.NotEstablished,
                        "1 of 2 nodes have a session; a: 192.0.2.254 does not answer at port 179"));
        assertThat(PeerSummary.of(GENERATION, List.of(), List.of(established("b"), established("a"))))
                .isEqualTo(new PeerSummary(
                        "2/2",
                        true,
                        Reason.Established,
                        "2 of 2 nodes have a session; IPv6 was not negotiated on 2 nodes"));
    }

    @Test
    void whatCannotBeUsed_isTheReason_andThreeNodesAreNamed() {
        PeerSummary summary = PeerSummary.of(
                GENERATION,
                List.of(),
                Stream.of("d", "b", "c", "a")
                        .map(node -> failing(node, "Unusable", "Secret \"x\" is missing"))
                        .toList());
        assertThat(summary.reason()).isEqualTo(Reason.Unusable);
        assertThat(summary.message())
                .isEqualTo("0 of 4 nodes have a session; a: Secret \"x\" is missing; b: Secret \"x\" is missing;"
                        + " c: Secret \"x\" is missing; and 1 more");
    }

    @Test
    void agentThatIsNotHeardOf_isTheReason_unlessSomethingCannotBeUsed() {
        NodeSession silent = failing("a", "Unknown", "its agent has no Lease");
        NodeSession waiting = failing("b", "Connecting", "no answer");
        assertThat(PeerSummary.of(GENERATION, List.of(), List.of(waiting, silent))
                        .reason())
                .isEqualTo(Reason.Unknown);
        assertThat(PeerSummary.of(GENERATION, List.of(), List.of(failing("c", "Unusable", "no Secret"), silent))
                        .reason())
                .isEqualTo(Reason.Unusable);
    }

    @Test
    void peerIsNotReady_beforeAllNodesHaveTakenOverWhatItSays() {
        assertThat(PeerSummary.of(4, List.of(), List.of(established("a"))))
                .isEqualTo(new PeerSummary(
                        "1/1",
                        false,
                        Reason.NotApplied,
                        "1 of 1 nodes have a session; a: has not applied generation 4 yet"));
    }

    @Test
    void familyThatWasNotNegotiated_isSaid_andIsAFault_ifItIsAskedFor() {
        assertThat(PeerSummary.of(GENERATION, List.of("IPv4"), List.of(established("a")))
                        .isReady())
                .isTrue();
        assertThat(PeerSummary.of(GENERATION, List.of("IPv6", "IPv4"), List.of(established("a"))))
                .isEqualTo(new PeerSummary(
                        "1/1",
                        false,
                        Reason.FamilyNotNegotiated,
                        "1 of 1 nodes have a session; a: IPv6 was not negotiated"));
    }

    @Test
    void sessionWithoutAnyFamily_isAFault_whateverIsAskedFor() {
        NodeSession unusable =
                new NodeSession("a", "Established", "2026-01-01T00:00:00Z", 0, null, List.of(), GENERATION);
        for (List<String> asked : List.of(List.<String>of(), List.of("IPv4"))) {
            assertThat(PeerSummary.of(GENERATION, asked, List.of(unusable)))
                    .isEqualTo(new PeerSummary(
                            "1/1",
                            false,
                            Reason.FamilyNotNegotiated,
                            "1 of 1 nodes have a session; a: no address family was negotiated"));
        }
    }

    @Test
    void peerThatNoNodeHas_saysSo() {
        assertThat(PeerSummary.of(GENERATION, List.of(), List.of()).reason()).isEqualTo(Reason.NoNode);
    }

    @Test
    void row_isAsDocsBgpMdHasIt() throws IOException {
        List<String> cells = List.of(TypedPage.step(Path.of("docs/bgp.md"), "kubectl get bgppeers")
                .printed()
                .lines()
                .toList()
                .getLast()
                .split("\\s+", -1));
        PeerSummary all = PeerSummary.of(
                GENERATION,
                List.of(),
                Stream.of("worker-1", "worker-2", "worker-3")
                        .map(PeerSummaryTest::established)
                        .toList());

        assertThat(cells.subList(4, 6)).containsExactly(all.sessions(), all.isReady() ? "True" : "False");
    }

    @Test
    void message_isAsDocsBgpMdHasIt() throws IOException {
        TypedPage.Step step = TypedPage.step(Path.of("docs/bgp.md"), "kubectl get bgppeer router -o jsonpath");
        String why = step.printed().substring(step.printed().indexOf("Secret "));
        assertThat(PeerSummary.of(
                                GENERATION,
                                List.of(),
                                List.of(
                                        established("worker-1"),
                                        failing("worker-2", "Unusable", why),
                                        established("worker-3")))
                        .message())
                .isEqualTo(step.printed());
    }
}
