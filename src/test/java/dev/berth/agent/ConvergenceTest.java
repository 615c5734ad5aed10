package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConvergenceTest {
    private long now;
    private final List<Double> seconds = new ArrayList<>();
    private final Convergence convergence = new Convergence(() -> now, seconds::add);

    @BeforeEach
    void begin() {
        convergence.end(Set.of());
    }

    private void announce(String... addresses) {
        convergence.end(Set.of(addresses));
    }

    private void at(long millis) {
        now = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void itLastsFromTheChange_untilTheNodeAnnouncesOtherwise() {
        at(100);
        convergence.change();
        at(150);
        convergence.begin();
        at(350);
        announce("a");

        assertThat(seconds).containsExactly(0.25);
    }

    @Test
    void whatIsAnnouncedFirst_isNoChange() {
        Convergence restarted = new Convergence(() -> now, seconds::add);
        restarted.change();
        restarted.begin();
        restarted.end(Set.of("a"));

        assertThat(seconds).isEmpty();
    }

    @Test
    void changeFromWhichNothingFollows_isNotCounted_andNeitherIsWhatFollowsFromNoChange() {
        convergence.change();
        convergence.begin();
        announce();
        at(500);
        convergence.begin();
        announce("a");

        assertThat(seconds).isEmpty();
    }

    @Test
    void changeThatComesWhileItIsDecided_counts_ifTheDecisionKnowsOfIt() {
        convergence.begin();
        at(100);
        convergence.change();
        at(150);
        announce("a");
        convergence.begin();
        announce("a");

        assertThat(seconds).containsExactly(0.05);
    }

    @Test
    void changesThatAreDecidedAboutTogether_areCountedOnce_fromTheFirst() {
        at(100);
        convergence.change();
        at(200);
        convergence.change();
        convergence.begin();
        at(600);
        announce("a");

        assertThat(seconds).containsExactly(0.5);
    }

    @Test
    void changeThatComesWhileItIsDecided_isCountedWithTheNextDecision() {
        convergence.change();
        convergence.begin();
        at(100);
        convergence.change();
        at(200);
        announce("a");
        at(300);
        convergence.begin();
        at(400);
        announce("a", "b");

        assertThat(seconds).containsExactly(0.2, 0.3);
    }

    @Test
    void decisionThatFails_goesOnWithTheNext() {
        at(100);
        convergence.change();
        convergence.begin();
        at(1_000);
        convergence.change();
        convergence.begin();
        at(1_100);
        announce("a");

        assertThat(seconds).containsExactly(1.0);
    }
}
