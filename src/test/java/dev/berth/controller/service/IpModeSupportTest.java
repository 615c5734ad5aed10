package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class IpModeSupportTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void gateOff_neverPublishes_andNeverAsks() {
        IpModeSupport support = new IpModeSupport(false);

        assertThat(support.isPublished(false, NOW)).isFalse();
        assertThat(support.isUnknown(NOW)).isFalse();
        assertThat(support.isMissing(true, NOW)).isFalse();
    }

    @Test
    void dropped_isNewsOnce_andHoldsTenMinutes() {
        IpModeSupport support = new IpModeSupport(true);

        assertThat(support.learn(false, NOW)).isTrue();
        assertThat(support.learn(false, NOW)).isFalse();
        assertThat(support.isPublished(false, NOW.plusSeconds(599))).isFalse();
        assertThat(support.isUnknown(NOW.plus(IpModeSupport.ASK_AGAIN))).isTrue();
    }

    @Test
    void kept_holdsForEver() {
        IpModeSupport support = new IpModeSupport(true);
        support.learn(true, NOW);

        assertThat(support.isPublished(false, NOW.plusSeconds(1_000_000))).isTrue();
        assertThat(support.isUnknown(NOW.plusSeconds(1_000_000))).isFalse();
    }

    @Test
    void oneAsks_untilItIsDone() {
        IpModeSupport support = new IpModeSupport(true);

        assertThat(support.mayAsk()).isTrue();
        assertThat(support.mayAsk()).isFalse();
        support.asked();
        assertThat(support.mayAsk()).isTrue();
    }

    @Test
    void whoWasWrittenWithoutTheField_missesIt_thoughAnotherLearnedThatItIsKept() {
        IpModeSupport support = new IpModeSupport(true);
        support.learn(true, NOW);

        assertThat(support.isMissing(false, NOW)).isTrue();
        assertThat(support.isMissing(true, NOW)).isFalse();
    }

    @Test
    void dropped_isStillWritten_whereItIsInUse() {
        IpModeSupport support = new IpModeSupport(true);
        support.learn(false, NOW);

        assertThat(support.isPublished(true, NOW)).isTrue();
        assertThat(new IpModeSupport(false).isPublished(true, NOW)).isFalse();
    }
}
