package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatedAnnouncementsTest {
    private final RepeatedAnnouncements repeats = new RepeatedAnnouncements(0);

    @Test
    void addressIsAnnouncedFiveTimes_onceASecond() {
        repeats.begin(List.of("192.0.2.1"));

        List<Long> announced = new ArrayList<>();
        for (long now = 0; now <= 10_000; now += 250) {
            if (!repeats.take(now).isEmpty()) {
                announced.add(now);
            }
        }

        assertThat(announced).containsExactly(0L, 1_000L, 2_000L, 3_000L, 4_000L);
    }

    @Test
    void addressThatIsNew_isAnnouncedAtOnce_andOneThatIsReleasedNoMore() {
        repeats.begin(List.of("192.0.2.1"));
        assertThat(repeats.take(0)).containsExactly("192.0.2.1");

        repeats.begin(List.of("192.0.2.2"));
        assertThat(repeats.take(100)).isEmpty();
        repeats.hurry(100);
        assertThat(repeats.take(100)).containsExactly("192.0.2.1", "192.0.2.2");

        repeats.end(List.of("192.0.2.1"));
        assertThat(repeats.take(1_100)).containsExactly("192.0.2.2");
    }
}
