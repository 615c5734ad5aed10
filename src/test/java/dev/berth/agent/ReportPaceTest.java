package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** How often an agent writes its report. */
class ReportPaceTest {
    private final ReportPace pace = new ReportPace(new Random(1), 0);

    @Test
    void firstChangeAfterAQuietTime_isWrittenAtOnce() {
        assertThat(pace.isDue(true, 100, 0)).isTrue();
        pace.wrote(0);
        assertThat(pace.isDue(true, 100, 60_000)).isTrue();
    }

    @Test
    void hundredNodes_writeTenReportsASecondAtMost_togetherWhateverChanges() {
        pace.wrote(0);
        int written = 0;
        for (long now = 0; now < 600_000; now += 1_000) {
            if (pace.isDue(true, 100, now)) {
                pace.wrote(now);
                written++;
            }
        }
        assertThat(written).isEqualTo(59);
    }

    @Test
    void fewNodes_writeOnceASecondAtMost() {
        pace.wrote(0);
        assertThat(pace.isDue(true, 3, 999)).isFalse();
        assertThat(pace.isDue(true, 3, 1_000)).isTrue();
    }

    @Test
    void whatSaysTheSame_isWrittenEveryTenMinutes_forSomebodyMayHaveDeletedIt() {
        pace.wrote(0);
        assertThat(pace.isDue(false, 3, ReportPace.REPEAT - 1)).isFalse();
        assertThat(pace.isDue(false, 3, ReportPace.REPEAT + ReportPace.REPEAT / 10))
                .isTrue();
    }

    @Test
    void failure_isTriedAgainLater_andLessAndLessOften() {
        pace.failed(0);
        assertThat(pace.isDue(true, 3, 499)).isFalse();
        assertThat(pace.isDue(true, 3, 1_500)).isTrue();
        for (int failures = 0; failures < 10; failures++) {
            pace.failed(0);
        }
        assertThat(pace.isDue(true, 3, 29_999)).isFalse();
        assertThat(pace.isDue(true, 3, 90_000)).isTrue();
    }
}
