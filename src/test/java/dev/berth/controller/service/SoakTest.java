package dev.berth.controller.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Silently;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What make soak prints. */
@ExtendWith(Silently.class)
@Tag("slow")
class SoakTest {
    /** Almost each seed fails with it. */
    private static final SimulatedParts LOWER_TOKENS = new SimulatedParts() {
        @Override
        long fencingToken(long leader) {
            return 1_000_000 - leader;
        }
    };

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private boolean run(SimulatedParts parts) throws InterruptedException {
        return new Soak(0, 3, 1, Duration.ofDays(1), parts, new PrintStream(printed, true, UTF_8)).run(1);
    }

    private List<String> lines() {
        return printed.toString(UTF_8).lines().toList();
    }

    @Test
    void seedsOfWhichNoneFails_areCounted() throws Exception {
        assertThat(run(SimulatedParts.HEALTHY)).isTrue();

        assertThat(lines()).containsExactly("seeds from 0 on, 1 at once", "seeds 0 to 2: 3 histories, 0 failed");
    }

    @Test
    void eachSeedThatFails_isPrinted_withTheCommandThatReplaysIt_andAShortenedHistory() throws Exception {
        assertThat(run(LOWER_TOKENS)).isFalse();

        long failed =
                lines().stream().filter(line -> line.startsWith("FAILED seed ")).count();
        assertThat(lines())
                .startsWith("seeds from 0 on, 1 at once")
                .endsWith("seeds 0 to 2: 3 histories, " + failed + " failed")
                .anyMatch(line -> line.startsWith("FAILED seed 0 with 1 operator: "))
                .anyMatch(line -> line.startsWith("  replay: ")
                        && line.endsWith(" -Dtest=SimulationTest -Dsimulation.seeds=1 -Dsimulation.first=0"))
                .anyMatch(line -> line.matches("  rule .+:[0-9]+; the same with [0-9]+ steps:"));
    }

    @Test
    void aShortenedHistory_breaksTheSameRule_inFewerSteps() {
        History whole = History.of(0, 1, SimulationTest.STEPS).with(LOWER_TOKENS);
        History.Broken broken = whole.live(false).orElseThrow();

        History shortened = whole.shortened(broken);

        assertThat(shortened.length()).isLessThan(whole.length());
        assertThat(shortened.live(true))
                .hasValueSatisfying(again -> assertThat(again.rule()).isEqualTo(broken.rule()));
    }
}
