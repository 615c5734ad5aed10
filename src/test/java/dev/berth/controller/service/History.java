package dev.berth.controller.service;

import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** What one seed brings, with all of its steps or without some. */
final class History {
    private final long seed;
    private final int operators;
    private final int steps;
    private final BitSet without;
    private final SimulatedParts parts;

    private History(long seed, int operators, int steps, BitSet without, SimulatedParts parts) {
        this.parts = parts;
        this.seed = seed;
        this.operators = operators;
        this.steps = steps;
        this.without = without;
    }

    /** With all steps. */
    static History of(long seed, int operators, int steps) {
        return new History(seed, operators, steps, new BitSet(), SimulatedParts.HEALTHY);
    }

    /** The same of operators that are wired of these parts. */
    History with(SimulatedParts other) {
        return new History(seed, operators, steps, without, other);
    }

    /**
     * A rule that it breaks.
     *
     * @param rule where it is checked
     * @param story the end of what happened; empty if it was not written
     */
    record Broken(String rule, String message, String story, Throwable cause) {}

    /** Lives it; absent: no rule is broken. */
    Optional<Broken> live(boolean isTold) {
        AtomicReference<Optional<Broken>> broken = new AtomicReference<>(Optional.empty());
        // Its operators' tasks are virtual threads, too: who goes on is then no matter for the operating system.
        Thread life = Thread.ofVirtual().start(() -> {
            try {
                broken.set(lived(isTold));
            } catch (Throwable thrown) {
                // Whatever ended it: it must not pass for one that breaks no rule.
                broken.set(Optional.of(new Broken(rule(thrown), String.valueOf(thrown), "", thrown)));
            }
        });
        try {
            life.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        return broken.get();
    }

    private Optional<Broken> lived(boolean isTold) {
        Simulation simulation = new Simulation(seed, operators, isTold, parts);
        try {
            simulation.run(steps, without);
            return Optional.empty();
        } catch (AssertionError | RuntimeException broken) {
            return Optional.of(
                    new Broken(rule(broken), String.valueOf(broken.getMessage()), simulation.story(), broken));
        } finally {
            simulation.end();
        }
    }

    /** The line that has a rule checked. */
    private static String rule(Throwable broken) {
        StackTraceElement[] lines = broken.getStackTrace();
        return lines.length > 1 ? lines[1].getMethodName() + ":" + lines[1].getLineNumber() : "";
    }

    /** The same without the steps that it takes nothing from: it breaks the same rule. */
    History shortened(Broken broken) {
        BitSet gone = (BitSet) without.clone();
        for (int size = steps / 2; size > 0; size /= 2) {
            for (int from = 0; from < steps; from += size) {
                BitSet tried = (BitSet) gone.clone();
                tried.set(from, Math.min(from + size, steps));
                if (tried.cardinality() > gone.cardinality() && without(tried).breaks(broken)) {
                    gone = tried;
                }
            }
        }
        return without(gone);
    }

    private History without(BitSet these) {
        return new History(seed, operators, steps, these, parts);
    }

    private boolean breaks(Broken broken) {
        return live(false).filter(found -> found.rule().equals(broken.rule())).isPresent();
    }

    int length() {
        return steps - without.cardinality();
    }

    @Override
    public String toString() {
        return "seed " + seed + " with " + operators + (operators == 1 ? " operator" : " operators");
    }
}
