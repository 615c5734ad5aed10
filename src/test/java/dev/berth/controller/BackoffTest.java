package dev.berth.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void delays_doubleFromFiveSecondsToFiveMinutes_lessATenthAtMost() {
        List<Integer> full = List.of(5, 10, 20, 40, 80, 160, 300, 300, 300);
        for (long seed = 0; seed < 200; seed++) {
            Backoff backoff = new Backoff(new Random(seed));
            for (int failures = 1; failures <= full.size(); failures++) {
                Duration most = Duration.ofSeconds(full.get(failures - 1));
                assertThat(backoff.after(failures))
                        .as("seed %s, failure %s", seed, failures)
                        .isBetween(most.multipliedBy(9).dividedBy(10), most);
            }
        }
        assertThat(new Backoff(new Random(1)).after(1_000_000)).isLessThanOrEqualTo(Duration.ofMinutes(5));
    }
}
