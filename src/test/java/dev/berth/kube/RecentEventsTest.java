package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.kube.Events.About;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RecentEventsTest {
    private static final About WEB = new About("v1", "Service", "prod", "web", "u1");

    private final RecentEvents recent = new RecentEvents();
    private Instant now = Instant.EPOCH;

    private boolean add(String message) {
        return recent.add(WEB, "Reason", message, now);
    }

    @Test
    void theSameEvent_isWrittenOnceInTenMinutes() {
        assertThat(add("one")).isTrue();
        assertThat(add("one")).isFalse();
        assertThat(add("other")).isTrue();

        now = now.plus(RecentEvents.REPEAT).minusMillis(1);
        assertThat(add("one")).isFalse();
        now = now.plusMillis(1);
        assertThat(add("one")).isTrue();
        assertThat(add("one")).isFalse();
    }

    @Test
    void whatIsOlder_isForgotten_andTheOldestBeyondTenThousand() {
        for (int i = 0; i <= RecentEvents.REMEMBERED; i++) {
            add("number " + i);
        }
        assertThat(recent.size()).isEqualTo(RecentEvents.REMEMBERED);
        assertThat(add("number 1")).isFalse();
        assertThat(add("number 0")).isTrue();

        now = now.plus(RecentEvents.REPEAT);
        add("next");
        assertThat(recent.size()).isEqualTo(1);
    }
}
