package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When neighbours are told. */
class RepeatScheduleTest {
    private static List<Long> rest(RepeatSchedule tellings) {
        List<Long> times = new ArrayList<>();
        for (long next = tellings.next(); next < Long.MAX_VALUE; next = tellings.next()) {
            times.add(next);
            tellings.announced();
        }
        return times;
    }

    @Test
    void series_beginsAtOnce_andEnds() {
        assertThat(rest(new RepeatSchedule(10_000)))
                .containsExactly(10_000L, 10_100L, 10_500L, 11_000L, 12_000L, 14_000L, 18_000L);
    }

    @Test
    void seriesThatBeginsAgain_isWhole() {
        RepeatSchedule tellings = new RepeatSchedule(10_000);
        assertThat(rest(tellings)).hasSize(7);
        tellings.begin(50_000);
        assertThat(rest(tellings)).hasSize(7).startsWith(50_000L, 50_100L);
    }
}
