package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.fail;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Crashes, failures, strangers and stale caches, in every order that the seeds bring. */
class SimulationTest {
    private static final Logger LOG = Logger.getLogger("dev.berth");
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 1_000);
    private static final int FIRST = Integer.getInteger("simulation.first", 0);
    static final int STEPS = 400;

    @BeforeAll
    static void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        LOG.setLevel(null);
    }

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
