package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        assertThat(pace.isHeldUp(BEGAN + Pace.LONGEST)).isFalse();
        assertThat(pace.begins(BEGAN + Pace.LONGEST)).isTrue();
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
        assertThat(pace.next()).isEqualTo(BEGAN + Pace.LONGEST);
        assertThat(pace.begins(pace.next())).isTrue();
        assertThat(pace.isHeldUp(BEGAN + Pace.LONGEST + 1)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 1000", "1, 1000", "4, 500", "19, 105", "20, 100", "70, 100"})
    void underAStormOfChanges_decisionsTakeAFifthOfTheTime_andAreTenASecondAtMostWhereTheyAreLong(
            long millis, int decisionsInTenSeconds) {
        pace.change();
        pace.begins(BEGAN);
        pace.took(millis);
        int decisions = 0;
        for (long now = BEGAN + 1; now <= BEGAN + 10_000; now++) {
            pace.change();
            if (pace.begins(now)) {
                decisions++;
                pace.took(millis);
            }
        }
        assertThat(decisions).isEqualTo(decisionsInTenSeconds);
    }
}
