package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeartbeatTest {
    private static final long BEGAN = 5_000_000;

    @Test
    void leaseIsRenewed_atOnce_andThenAsOftenAsItHasTo() {
        Heartbeat heartbeat = new Heartbeat(new Random(1), BEGAN);
        int renewals = 0;
        for (long now = BEGAN; now < BEGAN + 3_600_000; now += 1_000) {
            renewals += heartbeat.begins(now) ? 1 : 0;
        }
        assertThat(renewals).isBetween(116, 134);
        assertThat(3 * Heartbeat.RENEW).isEqualTo(1_000 * Heartbeat.DURATION_SECONDS);
    }

    @Test
    void lease_goesWithItsNode() throws IOException {
        JsonNode lease = new ObjectMapper()
                .readTree(Heartbeat.applied("berth-agents", "worker-1", "u1", Instant.parse("2026-01-01T00:00:00Z")));
        assertThat(lease.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo("u1");
        assertThat(lease.at("/spec/renewTime").asText()).isEqualTo("2026-01-01T00:00:00.000000Z");
    }
}
