package dev.berth.controller.service;

import dev.berth.controller.service.EffectResult.End;
import dev.berth.controller.service.EffectResult.Learned;
import dev.berth.loadbalancer.Facts;
import dev.berth.loadbalancer.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What came of a decision that was carried out one effect at a time.
 *
 * @param end of the pass, by the last effect; absent: nothing is left to do here, and the pass goes on
 * @param facts what came of all effects before
 */
record EffectLoop(Optional<End> end, Facts facts) {
    private static final int OUTCOMES_NAMED = 5;

    /**
     * Has the next effect decided and performed, adds what came of it to the facts, and so on to the end.
     *
     * @param most how many effects there can be
     * @param next decides by the facts, and performs one effect; absent: nothing is left to do
     * @throws IllegalStateException after {@code most} effects without an end: the decision has a bug
     */
    static EffectLoop of(int most, Function<Facts, Optional<EffectResult>> next) {
        Facts facts = Facts.NONE;
        for (int effects = 0; effects < most; effects++) {
            Optional<EffectResult> performed = next.apply(facts);
            if (performed.isEmpty()) {
                return new EffectLoop(Optional.empty(), facts);
            }
            switch (performed.get()) {
                case Learned(List<Outcome> outcomes) -> facts = facts.with(outcomes);
                case End end -> {
                    return new EffectLoop(Optional.of(end), facts);
                }
            }
        }
        List<Outcome> outcomes = facts.outcomes();
        throw new IllegalStateException("a pass does not end: " + most + " effects were performed, and the last of "
                + outcomes.size() + " outcomes are "
                + outcomes.subList(Math.max(0, outcomes.size() - OUTCOMES_NAMED), outcomes.size())
                + "; this is a bug of Berth, please report it");
    }
}
