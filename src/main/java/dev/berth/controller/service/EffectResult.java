package dev.berth.controller.service;

import dev.berth.controller.Next;
import dev.berth.loadbalancer.Outcome;
import java.util.List;

/** An effect is performed. */
sealed interface EffectResult {
    /** This came of it; what is next is asked again. */
    record Learned(List<Outcome> outcomes) implements EffectResult {
        public Learned {
            outcomes = List.copyOf(outcomes);
        }

        Learned(Outcome... outcomes) {
            this(List.of(outcomes));
        }
    }

    /** It was the last of the pass. */
    sealed interface End extends EffectResult {}

    record Finished(Next next) implements End {}

    /** Something is not as the plan thought: plan again, from a live read or from the cache. */
    record Again(boolean live) implements End {}
}
