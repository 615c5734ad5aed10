package dev.berth.bench;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the JMH benchmarks of one class, and prints the median of each. */
public final class Medians {
    private Medians() {}

    /**
     * Runs them.
     *
     * @param where the parameter, beside {@code held}, that says what is measured
     * @param args JMH's own options; without a name in them, all of {@code benchmarks}
     */
    public static void print(Class<?> benchmarks, String where, String... args)
            throws RunnerException, CommandLineOptionException {
        CommandLineOptions given = new CommandLineOptions(args);
        ChainedOptionsBuilder options = new OptionsBuilder().parent(given).verbosity(VerboseMode.SILENT);
        if (given.getIncludes().isEmpty()) {
            options.include(Pattern.quote(benchmarks.getName()));
        }
        Collection<RunResult> results = new Runner(options.build()).run();
        System.out.printf("%-28s %-15s %10s %14s%n", "medians", where, "held", "microseconds");
        for (RunResult result : results) {
            System.out.printf(
                    "%-28s %-15s %10s %14.2f%n",
                    result.getPrimaryResult().getLabel(),
                    orNothing(result.getParams().getParam(where)),
                    orNothing(result.getParams().getParam("held")),
                    result.getPrimaryResult().getStatistics().getPercentile(50) / 1_000);
        }
    }

    private static String orNothing(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** The bytes of the heap that are in use after a collection. */
    static long usedHeap() {
        var memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }
}
