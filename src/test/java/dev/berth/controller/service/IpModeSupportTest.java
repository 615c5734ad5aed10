package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.IpModes;
import dev.berth.loadbalancer.IpModes.Answer;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class IpModeSupportTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void gateOff_neverPublishes_andNeverAsks() {
        IpModeSupport support = new IpModeSupport(false);

        assertThat(support.known(NOW).isPublished(false)).isFalse();
        assertThat(support.known(NOW).isUnknown()).isFalse();
        assertThat(support.known(NOW).isMissing(true)).isFalse();
    }

    @Test
    void dropped_isNewsOnce_andHoldsTenMinutes() {
        IpModeSupport support = new IpModeSupport(true);

        assertThat(support.learn(Answer.DROPPED, NOW)).isTrue();
        assertThat(support.learn(Answer.DROPPED, NOW)).isFalse();
        assertThat(support.known(NOW.plusSeconds(599)).isPublished(false)).isFalse();
        assertThat(support.known(NOW.plus(IpModes.ASK_AGAIN)).isUnknown()).isTrue();
    }

    @Test
    void kept_holdsForEver() {
        IpModeSupport support = new IpModeSupport(true);
        support.learn(Answer.KEPT, NOW);

        assertThat(support.known(NOW.plusSeconds(1_000_000)).isPublished(false)).isTrue();
        assertThat(support.known(NOW.plusSeconds(1_000_000)).isUnknown()).isFalse();
    }

    @Test
    void oneAsks_untilItIsDone() {
        IpModeSupport support = new IpModeSupport(true);

        assertThat(support.beginToAsk()).isTrue();
        assertThat(support.beginToAsk()).isFalse();
        support.asked();
        assertThat(support.beginToAsk()).isTrue();
    }

    @Test
    void whoWasWrittenWithoutTheField_missesIt_thoughAnotherLearnedThatItIsKept() {
        IpModeSupport support = new IpModeSupport(true);
        support.learn(Answer.KEPT, NOW);

        assertThat(support.known(NOW).isMissing(false)).isTrue();
        assertThat(support.known(NOW).isMissing(true)).isFalse();
    }

    @Test
    void dropped_isStillWritten_whereItIsInUse() {
        IpModeSupport support = new IpModeSupport(true);
        support.learn(Answer.DROPPED, NOW);

        assertThat(support.known(NOW).isPublished(true)).isTrue();
        assertThat(new IpModeSupport(false).known(NOW).isPublished(true)).isFalse();
    }
}
