package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.controller.Next;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Outcome;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EffectLoopTest {
    private static final EffectResult.End END = new EffectResult.Finished(Next.ON_EVENT);

    @Test
    void effectIsDecided_byWhatCameOfThoseBefore() {
        EffectLoop way = EffectLoop.of(
                3,
                facts -> Optional.of(
                        facts.outcomes().size() < 2
                                ? new EffectResult.Learned(
                                        new Outcome.StepsDone(facts.outcomes().size()))
                                : END));

        assertThat(way.end()).contains(END);
        assertThat(way.facts().outcomes()).containsExactly(new Outcome.StepsDone(0), new Outcome.StepsDone(1));
    }

    @Test
    void whereNothingIsLeftToDo_thePassGoesOn() {
        assertThat(EffectLoop.of(1, facts -> Optional.empty()).end()).isEmpty();
    }

    @Test
    void decisionThatNeverEnds_isABug_andSaysWhatCameOfItLast() {
        assertThatThrownBy(() -> EffectLoop.of(
                        7, facts -> Optional.of(new EffectResult.Learned(new Outcome.Did(Done.REPORTED)))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("7 effects")
                .hasMessageContaining("REPORTED")
                .hasMessageContaining("bug of Berth");
    }
}
