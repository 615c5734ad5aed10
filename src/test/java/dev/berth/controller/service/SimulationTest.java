package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.fail;

import dev.berth.controller.Silently;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Crashes, failures, strangers and stale caches, in every order that the seeds bring. */
@ExtendWith(Silently.class)
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 1_000);
    private static final long FIRST = Long.getLong("simulation.first", 0);
    static final int STEPS = 400;

    @Test
    void whateverHappens_noAddressHasTwoServices_andEverythingSettles() {
        live(1, SEEDS);
    }

    @Test
    void twoOperatorsThatKnowNothingOfEachOther_neverPublishOneAddressTwice_andEverythingSettles() {
        live(2, (SEEDS + 3) / 4);
    }

    private static void live(int operatorsAtOnce, int seeds) {
        for (long seed = FIRST; seed < FIRST + seeds; seed++) {
            History history = History.of(seed, operatorsAtOnce, STEPS);
            history.live(false).ifPresent(broken -> {
                History shortened = history.shortened(broken);
                fail(
                        history + ": " + broken.message() + "; the same with " + shortened.length() + " steps:\n"
                                + shortened
                                        .live(true)
                                        .map(History.Broken::story)
                                        .orElse(""),
                        broken.cause());
            });
        }
    }
}
