package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class LeaderLeaseTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.006Z");

    @Test
    void token_whereNothingIsRememberedOfLeadersBefore_isTheTime() {
        assertThat(LeaderLease.token(NOW, null)).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void token_isHigherThanTheOneBefore_whateverTheClockSays() {
        String before = Long.toString(NOW.toEpochMilli());

        assertThat(LeaderLease.token(NOW, before)).isEqualTo(NOW.toEpochMilli() + 1);
        assertThat(LeaderLease.token(NOW.minusSeconds(3600), before)).isEqualTo(NOW.toEpochMilli() + 1);
        assertThat(LeaderLease.token(NOW.plusSeconds(1), before)).isEqualTo(NOW.toEpochMilli() + 1000);
    }

    @Test
    void token_afterWhatIsNoNumberThatAnotherCanFollow_isTheTime() {
        assertThat(LeaderLease.token(NOW, "")).isEqualTo(NOW.toEpochMilli());
        assertThat(LeaderLease.token(NOW, "seven")).isEqualTo(NOW.toEpochMilli());
        assertThat(LeaderLease.token(NOW, Long.toString(Long.MAX_VALUE))).isEqualTo(NOW.toEpochMilli());
    }
}
