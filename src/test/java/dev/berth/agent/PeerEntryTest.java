package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A node's entry in the status of a BGPPeer. */
class PeerEntryTest {
    private static final PeerEntry ENTRY = new PeerEntry("a", PeerEntry.CONNECTING, "09:00", -1, "no answer", 3);

    @Test
    void whatIsApplied_isThisNodesEntryAlone_andIsReadAgain() throws IOException {
        JsonNode object = new ObjectMapper().readTree(PeerEntry.applied("router", Optional.of(ENTRY)));
        assertThat(object.path("metadata").properties())
                .extracting(field -> field.getKey())
                .containsExactly("name");
        assertThat(object.path("status").properties())
                .extracting(field -> field.getKey())
                .containsExactly("nodes");
        assertThat(PeerEntry.Seen.read(object, "a")).isEqualTo(new PeerEntry.Seen(Optional.of(ENTRY), 1));
        assertThat(PeerEntry.Seen.read(object, "b")).isEqualTo(new PeerEntry.Seen(Optional.empty(), 1));
    }

    @Test
    void removal_appliesNoStatusAtAll() throws IOException {
        assertThat(new ObjectMapper()
                        .readTree(PeerEntry.applied("router", Optional.empty()))
                        .has("status"))
                .isFalse();
    }

    @Test
    void anotherNumberOfRoutes_isAlmostTheSame() {
        assertThat(ENTRY.isAlmost(ENTRY.withRoutes(7))).isTrue();
        assertThat(ENTRY.isAlmost(new PeerEntry("a", PeerEntry.ESTABLISHED, "09:00", -1, "no answer", 3)))
                .isFalse();
    }

    @Test
    void errorOfAnyLength_fitsIntoTheStatus() {
        assertThat(new PeerEntry("a", PeerEntry.CONNECTING, "09:00", -1, "x".repeat(9_999), 3).lastError())
                .hasSize(512);
    }
}
