package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;

/** A way through a decision: pairs of the effect that must be next, and what comes of it. */
final class Way<E> {
    private final Function<Facts, E> next;
    private Facts facts = Facts.NONE;

    private Way(Function<Facts, E> next) {
        this.next = next;
    }

    static <E> Way<E> of(Function<Facts, E> next) {
        return new Way<>(next);
    }

    /** This is next, and {@code outcomes} come of it. */
    Way<E> then(E effect, Outcome... outcomes) {
        assertThat(next.apply(facts)).isEqualTo(effect);
        facts = facts.with(outcomes);
        return this;
    }

    /** This is the last. */
    void ends(E effect) {
        assertThat(next.apply(facts)).isEqualTo(effect);
    }
}
