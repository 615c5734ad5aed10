package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TellingsTest {
    private final Tellings tellings = new Tellings(0);

    @Test
    void networkIsToldFiveTimes_onceASecond() {
        tellings.begin(List.of("192.0.2.1"));

        List<Long> told = new ArrayList<>();
        for (long now = 0; now <= 10_000; now += 250) {
            if (!tellings.take(now).isEmpty()) {
                told.add(now);
            }
        }

        assertThat(told).containsExactly(0L, 1_000L, 2_000L, 3_000L, 4_000L);
    }

    @Test
    void addressThatIsNew_isToldAtOnce_andOneThatIsReleasedNoMore() {
        tellings.begin(List.of("192.0.2.1"));
        assertThat(tellings.take(0)).containsExactly("192.0.2.1");

        tellings.begin(List.of("192.0.2.2"));
        assertThat(tellings.take(100)).isEmpty();
        tellings.hurry(100);
        assertThat(tellings.take(100)).containsExactly("192.0.2.1", "192.0.2.2");

        tellings.end(List.of("192.0.2.1"));
        assertThat(tellings.take(1_100)).containsExactly("192.0.2.2");
    }
}
