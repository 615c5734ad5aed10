package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long BEGAN = 5_000_000;

    private final Pace pace = new Pace(BEGAN);

    @Test
    void withoutAnyChange_itDecidesAtOnce_andThenEverySecond() {
        assertThat(pace.begins(BEGAN)).isTrue();
        assertThat(pace.begins(BEGAN)).isFalse();
        assertThat(pace.next()).isEqualTo(BEGAN + Pace.LOOK_AGAIN);
        assertThat(pace.begins(BEGAN + Pace.LOOK_AGAIN)).isTrue();
    }

    @Test
    void aChangeAfterAQuietWhile_isDecidedAboutAtOnce() {
        assertThat(pace.begins(BEGAN)).isTrue();
        pace.change();
        assertThat(pace.isHeldUp(BEGAN + Pace.SHORTEST)).isFalse();
        assertThat(pace.begins(BEGAN + Pace.SHORTEST)).isTrue();
    }

    /** Else one of ten would wait, by 50 ms on the average. */
    @Test
    void aChangeJustAfterALookThatFoundNothing_isDecidedAboutAtOnce() {
        assertThat(pace.begins(BEGAN)).isTrue();
        pace.change();
        assertThat(pace.isHeldUp(BEGAN + 1)).isFalse();
        assertThat(pace.begins(BEGAN + 1)).isTrue();
    }

    @Test
    void aChangeJustAfterAnother_waits_andIsNotForgotten() {
        pace.change();
        assertThat(pace.begins(BEGAN)).isTrue();
        pace.change();
        assertThat(pace.isHeldUp(BEGAN + 1)).isTrue();
        assertThat(pace.begins(BEGAN + 1)).isFalse();
        assertThat(pace.next()).isEqualTo(BEGAN + Pace.SHORTEST);
        assertThat(pace.begins(pace.next())).isTrue();
        assertThat(pace.isHeldUp(BEGAN + Pace.SHORTEST + 1)).isFalse();
    }

    @Test
    void underAStormOfChanges_itDecidesTenTimesASecond() {
        int decisions = 0;
        for (long now = BEGAN; now < BEGAN + 10_000; now++) {
            pace.change();
            decisions += pace.begins(now) ? 1 : 0;
        }
        assertThat(decisions).isEqualTo(100);
    }
}
