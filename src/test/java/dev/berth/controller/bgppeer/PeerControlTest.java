package dev.berth.controller.bgppeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.kube.Cache;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the operator writes into the status of a BGPPeer, and how often. */
class PeerControlTest {
    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
    private static final String WORKER1 = "{node: worker-1, state: Established, since: 2026-01-01T00:00:00Z}";
    private static final String GONE = "{node: gone, state: Established, since: 2026-01-01T00:00:00Z}";

    private final List<Map<String, Object>> summaries = new ArrayList<>();
    private final List<List<Map<String, Object>>> changes = new ArrayList<>();
    private Optional<BGPPeer> peer = Optional.empty();
    private Instant steady = NOW;
    private boolean succeeds = true;

    private final StartGate gate = new StartGate();

    private final PeerControl control = new PeerControl(
            gate,
            Set.of("worker-1", "worker-2")::contains,
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
            },
            () -> NOW,
            () -> steady);

    @BeforeEach
    void begin() {
        gate.open();
        control.peers(new Cache<>() {
            @Override
            public Optional<BGPPeer> get(@Nullable String namespace, String name) {
                return peer;
            }

            @Override
            public Stream<BGPPeer> list() {
                return peer.stream();
            }
        });
    }

    private Next reconcile(String status) {
        peer = Optional.of(new KubernetesSerialization().unmarshal("""
                metadata: {name: router, uid: u1, generation: 3}
                spec: {peerAddress: 192.0.2.254, peerASN: 64512, myASN: 64513}
                status: %s
                """.formatted(status), BGPPeer.class));
        return control.reconcile("router");
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
