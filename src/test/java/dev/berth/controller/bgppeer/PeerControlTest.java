package dev.berth.controller.bgppeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.controller.Heartbeats;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.kube.OneObject;
import dev.berth.testing.Mutation;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operator writes into the status of a BGPPeer, and how often. */
class PeerControlTest {
    private static final long SEEDS = Long.getLong("property.seeds", 2_000);
    private static final long FIRST = Long.getLong("property.first", 0);

    private static final KubernetesSerialization JSON = new KubernetesSerialization();
    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
    private static final String WORKER1 =
            "{node: worker-1, state: Established, since: 2026-01-01T00:00:00Z, observedGeneration: 3}";
    private static final String GONE = "{node: gone, state: Established, since: 2026-01-01T00:00:00Z}";

    private final List<Map<String, Object>> summaries = new ArrayList<>();
    private final List<List<Map<String, Object>>> changes = new ArrayList<>();
    private Optional<BGPPeer> peer = Optional.empty();
    private Instant steady = NOW;
    private final List<BGPPeer.NodeSession> entries = new ArrayList<>();
    private Optional<Map<String, String>> renewals = Optional.empty();
    private boolean succeeds = true;

    private final StartGate gate = new StartGate();

    private final PeerControl control = new PeerControl(
            gate,
            Set.of("worker-1", "worker-2")::contains,
            () -> renewals,
            new PeerControl.Writes() {
                @Override
                public boolean summary(BGPPeer to, Map<String, Object> fields) {
                    summaries.add(fields);
                    return succeeds;
                }

                @Override
                public boolean entries(BGPPeer of, List<Map<String, Object>> operations) {
                    changes.add(operations);
                    return succeeds;
                }

                @Override
                public boolean entry(BGPPeer of, BGPPeer.NodeSession session) {
                    entries.add(session);
                    return succeeds;
                }
            },
            () -> NOW,
            () -> steady);

    @BeforeEach
    void begin() {
        gate.open();
        control.peers(new OneObject<>(() -> peer));
    }

    private Next reconcile(String status) {
        peer = Optional.of(new KubernetesSerialization().unmarshal("""
                metadata: {name: router, uid: u1, generation: 3}
                spec: {peerAddress: 192.0.2.254, peerASN: 64512, myASN: 64513}
                status: %s
                """.formatted(status), BGPPeer.class));
        return control.reconcile("router");
    }

    /** Whatever schema let it in; and the entries of other nodes keep their places. */
    @ParameterizedTest
    @ValueSource(strings = {"null", "{}", "{node: null}", "{node: '', state: Established}", "{node: [worker-2]}"})
    void anEntryThatNamesNoNode_countsForNothing(String odd) {
        renewals = Optional.of(Map.of("worker-1", "2026-01-01T23:59:00Z"));

        reconcile("{nodes: [%s, %s]}".formatted(odd, WORKER1));

        assertThat(summaries)
                .singleElement()
                .satisfies(summary -> assertThat(summary).containsEntry("sessions", "1/1"));

        steady = steady.plusSeconds(60);
        reconcile("{nodes: [%s, %s, %s]}".formatted(odd, WORKER1, GONE));
        assertThat(changes)
                .containsExactly(List.of(
                        Map.of("op", "test", "path", "/status/nodes/2/node", "value", "gone"),
                        Map.of("op", "remove", "path", "/status/nodes/2")));
    }

    @Test
    void anyContentThatASchemaLetIn_isReadWithoutAFailure() {
        JsonNode sample = JSON.unmarshal("""
                {"metadata": {"name": "router", "uid": "u1", "generation": 3},
                "spec": {"peerAddress": "192.0.2.254", "peerASN": 64512, "myASN": 64513, "families": ["IPv4"]},
                "status": {"observedGeneration": 3, "sessions": "1/2",
                  "conditions": [{"type": "Ready", "status": "True", "reason": "Established", "message": "m",
                    "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 3}],
                  "nodes": [{"node": "worker-1", "state": "Established", "since": "2026-01-01T00:00:00Z",
                    "families": ["IPv4"], "observedGeneration": 3}, {"node": "worker-2", "state": "Active"}]}}
                """, JsonNode.class);
        renewals = Optional.of(Map.of("worker-1", "2026-01-01T23:59:00Z"));

        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            JsonNode odd = new Mutation(new Random(seed), false).of(sample, "spec", "status");
            steady = steady.plus(Heartbeats.PATIENCE);
            assertThatCode(() -> {
                        peer = Optional.of(JSON.unmarshal(odd.toString(), BGPPeer.class));
                        control.reconcile("router");
                    })
                    .as("seed %s: %s", seed, odd)
                    .doesNotThrowAnyException();
        });
    }

    @Test
    void statusThatIsAsItShouldBe_isNotWritten() {
        reconcile("{nodes: [%s]}".formatted(WORKER1));
        assertThat(summaries).singleElement().satisfies(summary -> {
            assertThat(summary).containsEntry("sessions", "1/1").containsEntry("observedGeneration", 3L);
            assertThat(summary).doesNotContainKey("nodes");
        });

        steady = steady.plusSeconds(60);
        String conditions =
                new KubernetesSerialization().asJson(summaries.getFirst().get("conditions"));
        assertThat(reconcile("{observedGeneration: 3, sessions: 1/1, conditions: %s, nodes: [%s]}"
                        .formatted(conditions, WORKER1)))
                .isEqualTo(Next.after(PeerControl.LOOK));
        assertThat(summaries).hasSize(1);
        assertThat(changes).isEmpty();
    }

    @Test
    void sessions_areCountedByState_ofEntriesThatNameANode() {
        assertThat(control.countSessions("Established")).isZero();
        reconcile("{nodes: [%s, {node: worker-2, state: Connecting}, {state: Connecting}, {node: worker-3}]}"
                .formatted(WORKER1));

        assertThat(control.countSessions("Established")).isEqualTo(1);
        assertThat(control.countSessions("Connecting")).isEqualTo(1);
        assertThat(control.countSessions("Unknown")).isZero();
    }

    @Test
    void manyChanges_areOneWriteASecond() {
        reconcile("{nodes: []}");
        for (int change = 0; change < 10; change++) {
            assertThat(reconcile("{nodes: [%s]}".formatted(WORKER1)).delay()).contains(PeerControl.PAUSE);
        }
        assertThat(summaries).hasSize(1);
        steady = steady.plus(PeerControl.PAUSE);
        reconcile("{nodes: [%s]}".formatted(WORKER1));
        assertThat(summaries).hasSize(2);
    }

    @Test
    void entryOfANodeThatIsGone_isRemoved_andNoOther_evenIfTheyHaveMovedMeanwhile() {
        reconcile("{nodes: [%s, %s]}".formatted(GONE, WORKER1));
        assertThat(changes)
                .containsExactly(List.of(
                        Map.of("op", "test", "path", "/status/nodes/0/node", "value", "gone"),
                        Map.of("op", "remove", "path", "/status/nodes/0")));
        assertThat(summaries).as("what follows is written once that is seen").isEmpty();
    }

    /** Looks as often as the operator does, and returns what is written of a node then. */
    private List<BGPPeer.NodeSession> after(Duration time, String status) {
        entries.clear();
        for (Instant end = steady.plus(time); steady.isBefore(end); ) {
            steady = steady.plus(PeerControl.LOOK);
            reconcile(status);
        }
        return List.copyOf(entries);
    }

    @Test
    void entryOfAnAgentThatIsNotHeardOf_saysSo_once() {
        String status = "{nodes: [%s]}".formatted(WORKER1);
        renewals = Optional.of(Map.of("worker-1", "2026-01-01T23:59:00Z"));
        reconcile(status);
        assertThat(after(Heartbeats.PATIENCE.minus(PeerControl.LOOK), status)).isEmpty();
        assertThat(after(PeerControl.LOOK, status))
                .containsExactly(new BGPPeer.NodeSession(
                        "worker-1",
                        "Unknown",
                        "2026-01-02T00:00:00Z",
                        null,
                        "its agent last renewed its Lease at 2026-01-01T23:59:00Z; its speaker, if running, keeps"
                                + " announcing its current routes",
                        null,
                        null));
        // It may write its entry and not be let renew its Lease.
        assertThat(after(Heartbeats.PATIENCE, status)).isEmpty();

        renewals = Optional.of(Map.of("worker-1", "2026-01-02T00:05:00Z"));
        assertThat(after(Heartbeats.PATIENCE, status)).isEmpty();
        assertThat(after(PeerControl.LOOK, status)).hasSize(1);
    }

    /** A zone that loses its power: the summary is not to wait for a write for each node. */
    @Test
    void ofManyAgentsThatAreNotHeardOf_theSummaryComesFirst_andOneThatCannotBeWrittenKeepsNoOtherBack() {
        String status = "{nodes: [%s, %s]}".formatted(WORKER1, WORKER1.replace("worker-1", "worker-2"));
        renewals = Optional.of(Map.of());
        reconcile(status);
        summaries.clear();
        succeeds = false;

        steady = steady.plus(Heartbeats.PATIENCE);
        reconcile(status);

        assertThat(summaries)
                .singleElement()
                .satisfies(summary -> assertThat(summary).containsEntry("sessions", "0/2"));

        String counted = JSON.asJson(summaries.getFirst());
        for (int again = 0; again < 2; again++) {
            steady = steady.plus(PeerControl.PAUSE);
            reconcile(counted.substring(0, counted.lastIndexOf('}')) + ", " + status.substring(1));
        }

        assertThat(entries).extracting(BGPPeer.NodeSession::node).containsExactly("worker-1", "worker-2", "worker-1");
    }

    @Test
    void entryOfAnAgentThatNeverHadALease_saysSo() {
        renewals = Optional.of(Map.of());
        reconcile("{nodes: [%s]}".formatted(WORKER1));
        assertThat(after(Heartbeats.PATIENCE, "{nodes: [%s]}".formatted(WORKER1)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.lastError()).startsWith("its agent has no Lease; "));
    }

    @Test
    void nobodyIsMissed_whereLeasesCannotBeRead_orAreRenewed() {
        String status = "{nodes: [%s]}".formatted(WORKER1);
        reconcile(status);
        assertThat(after(Duration.ofHours(1), status)).isEmpty();
        for (int renewal = 0; renewal < 20; renewal++) {
            renewals = Optional.of(Map.of("worker-1", "renewal " + renewal));
            assertThat(after(PeerControl.LOOK, status)).isEmpty();
        }
    }

    @Test
    void writeThatFails_isTriedAgainSoon() {
        succeeds = false;
        assertThat(reconcile("{nodes: [%s]}".formatted(GONE))).isEqualTo(Next.after(PeerControl.PAUSE));
        steady = steady.plus(PeerControl.PAUSE);
        reconcile("{nodes: [%s]}".formatted(GONE));
        assertThat(changes).hasSize(2);
    }

    @Test
    void peerThatIsGone_isForgotten() {
        assertThat(control.reconcile("router")).isEqualTo(Next.ON_EVENT);
    }
}
