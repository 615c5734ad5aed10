package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LookScheduleTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final LookSchedule LOOKED = LookSchedule.NEVER.looks(NOW);

    private static Instant after(int seconds) {
        return NOW.plusSeconds(seconds);
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }

    @Test
    void providerThatSaysNothing_isNotLookedAtByItself() {
        assertThat(LOOKED.isDue(false, after(1_000))).isFalse();
        assertThat(LOOKED.next(false, after(1_000))).isEmpty();
    }

    @Test
    void providerThatSaysHowItsTargetsAre_isLookedAtTwiceAMinute() {
        assertThat(LOOKED.next(true, NOW)).contains(seconds(30));
        assertThat(LOOKED.isDue(true, after(29))).isFalse();
        assertThat(LOOKED.isDue(true, after(30))).isTrue();
    }

    @Test
    void targetsAreLookedAtSoon_afterAChange() {
        LookSchedule changed = LOOKED.changed(after(1));

        assertThat(changed.next(true, after(1))).contains(seconds(5));
        assertThat(changed.isDue(true, after(5))).isFalse();
        assertThat(changed.isDue(true, after(6))).isTrue();
    }

    @Test
    void targetsThatAreOverdue_areNotLookedAtWithoutPause() {
        assertThat(LOOKED.next(true, after(100))).contains(seconds(5));
    }

    @Test
    void whatIsReported_isLookedAtAtOnce_butNotSoonAfterAnotherLook() {
        LookSchedule reported = LOOKED.reported();

        assertThat(LookSchedule.NEVER.reported().untilReport(NOW)).isEqualTo(Duration.ZERO);
        assertThat(reported.untilReport(after(2))).isEqualTo(seconds(3));
        assertThat(reported.isDue(false, after(4))).isFalse();
        assertThat(reported.isDue(false, after(5))).isTrue();
        assertThat(reported.untilReport(after(60))).isEqualTo(Duration.ZERO);
    }

    @Test
    void whatIsReported_andMayNotBeLookedAtYet_staysReported_andIsLookedAtByItself() {
        LookSchedule reported = LOOKED.reported().begun(after(4));

        assertThat(reported.isReported()).isTrue();
        assertThat(reported.next(false, after(4))).contains(seconds(1));
        assertThat(reported.next(true, after(4))).contains(seconds(1));
    }

    @Test
    void whatIsReported_isLookedAtOnce() {
        LookSchedule begun = LOOKED.reported().begun(after(5));

        assertThat(begun.isReported()).isFalse();
        assertThat(begun.isDue(false, after(5))).isFalse();
        assertThat(begun.next(false, after(5))).isEmpty();
    }

    /** Between the beginning of a pass and its look, or before the look of a resync. */
    @Test
    void whatIsReportedBeforeALook_isSeenByIt() {
        LookSchedule looked = LOOKED.reported().begun(after(5)).reported().looks(after(5));

        assertThat(looked.isReported()).isFalse();
        assertThat(looked.next(false, after(5))).isEmpty();
    }

    @Test
    void whatIsReportedDuringALook_isLookedAtAfterAPause() {
        LookSchedule reported = LOOKED.reported();

        assertThat(reported.untilReport(NOW)).isEqualTo(seconds(5));
        assertThat(reported.begun(after(5))).isEqualTo(LOOKED);
    }

    @Test
    void ofTargetsAndAReport_theFirstCounts() {
        assertThat(LOOKED.reported().next(true, NOW)).contains(seconds(5));
        assertThat(LookSchedule.NEVER
                        .looks(after(-100))
                        .looks(after(-27))
                        .reported()
                        .next(true, NOW))
                .contains(Duration.ZERO);
        assertThat(LOOKED.next(true, after(20))).contains(seconds(10));
    }
}
