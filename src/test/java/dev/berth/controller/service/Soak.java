package dev.berth.controller.service;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;

/**
 * Runs seeds that the tests do not have, from a base that it prints, and goes on when one fails.
 *
 * <p>Options: {@code --minutes N} or {@code --seeds N}, else one minute; {@code --first N}, else by chance; {@code
 * --operators N}, else one and, with each fourth seed, two as well; {@code --workers N}, else one for each processor.
 */
final class Soak {
    /** A logger that nobody refers to is recreated, and loud. */
    private static final Logger LOG = Logger.getLogger("dev.berth");

    private final long first;
    private final long seeds;
    private final int operators;
    private final Instant end;
    private final AtomicLong next;
    private final AtomicLong lived = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final SimulatedParts parts;
    private final PrintStream out;

    /**
     * One that has not begun.
     *
     * @param first seed
     * @param seeds how many, at most
     * @param operators at once, 1 or 2; 0: one, and with each fourth seed two as well
     * @param most how long, at most
     * @param parts that operators are wired of
     * @param out what it prints
     */
    Soak(long first, long seeds, int operators, Duration most, SimulatedParts parts, PrintStream out) {
        this.parts = parts;
        this.out = out;
        this.first = first;
        this.seeds = seeds;
        this.operators = operators;
        end = Instant.now().plus(most);
        next = new AtomicLong(first);
    }

    public static void main(String[] args) throws InterruptedException {
        LOG.setLevel(Level.OFF);
        List<String> words = List.of(args);
        long first = number(words, "--first")
                .orElseGet(() -> RandomGenerator.getDefault().nextLong(1L << 40));
        Optional<Long> seeds = number(words, "--seeds");
        Optional<Long> minutes = number(words, "--minutes");
        Soak soak = new Soak(
                first,
                seeds.orElse(Long.MAX_VALUE - first),
                number(words, "--operators").orElse(0L).intValue(),
                Duration.ofMinutes(minutes.orElse(seeds.isPresent() ? 60L * 24 * 365 : 1L)),
                SimulatedParts.HEALTHY,
                System.out);
        int workers = number(words, "--workers")
                .orElse((long) Runtime.getRuntime().availableProcessors())
                .intValue();
        System.exit(soak.run(workers) ? 0 : 1);
    }

    private static Optional<Long> number(List<String> words, String option) {
        int at = words.indexOf(option);
        return at < 0 ? Optional.empty() : Optional.of(Long.valueOf(words.get(at + 1)));
    }

    /** Whether none has failed. */
    boolean run(int workers) throws InterruptedException {
        out.println("seeds from " + first + " on, " + workers + " at once");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            threads.add(Thread.ofPlatform().start(this::work));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        out.println("seeds " + first + " to " + (next.get() - workers - 1) + ": " + lived + " histories, " + failed
                + " failed");
        return failed.get() == 0;
    }

    private void work() {
        for (long seed;
                (seed = next.getAndIncrement()) - first < seeds && Instant.now().isBefore(end); ) {
            if (operators != 2) {
                live(seed, 1);
            }
            if (operators == 2 || (operators == 0 && seed % 4 == 0)) {
                live(seed, 2);
            }
        }
    }

    private void live(long seed, int operatorsAtOnce) {
        History history =
                History.of(seed, operatorsAtOnce, SimulationTest.STEPS).with(parts);
        history.live(false).ifPresent(broken -> tell(seed, history, broken));
        if (lived.incrementAndGet() % 10_000 == 0) {
            out.println(lived + " histories");
        }
    }

    private void tell(long seed, History history, History.Broken broken) {
        failed.incrementAndGet();
        History shortened = history.shortened(broken);
        String story = shortened.live(true).map(History.Broken::story).orElse("");
        synchronized (this) {
            out.println("FAILED " + history + ": " + broken.message());
            out.println("  replay: src/build/with-jdk mvn -B -q -ntp test -Djacoco.skip=true"
                    + " -Dtest=SimulationTest -Dsimulation.seeds=1 -Dsimulation.first=" + seed);
            out.println("  rule " + broken.rule() + "; the same with " + shortened.length() + " steps:");
            story.lines().forEach(line -> out.println("    " + line));
        }
    }
}
