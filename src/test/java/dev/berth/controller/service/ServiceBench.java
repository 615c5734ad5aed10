package dev.berth.controller.service;

import dev.berth.bench.Medians;
import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.SampleService;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;

/**
 * How long Berth's own code takes for a Service, on a cluster in memory: no JSON, no network. The JVM compiles as in the
 * image.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 3,
        jvmArgsAppend = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx112m"})
public class ServiceBench {
    /** A logger that nobody refers to is recreated, and loud. */
    private static final Logger LOG = Logger.getLogger("dev.berth");

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    /** An operator with one pool, and no Service yet. */
    @State(Scope.Benchmark)
    public static class Running {
        private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
            @Override
            public boolean isRead() {
                return false;
            }
        });
        private final PoolOperator berth = new PoolOperator(cluster, () -> NOW);
        private int made;

        /** What is logged is not measured. */
        public Running() {
            LOG.setLevel(Level.OFF);
        }

        private void reconcile(ServiceKey key) {
            berth.due.add(key);
            berth.reconcileUnchecked();
        }
    }

    /** A Service is created, gets its address, and is looked at once more; then it is deleted. */
    @Benchmark
    public void serveAndTearDown(Running running) {
        ServiceKey key = new ServiceKey("prod", "web-" + running.made++);
        running.cluster.put(key, SampleService.named(key, "uid-" + key.name()));
        running.reconcile(key);
        running.reconcile(key);
        if (Objects.requireNonNull(running.cluster.services.get(key)).ingress().isEmpty()) {
            throw new IllegalStateException("it got no address");
        }
        running.cluster.deleteService(key);
        running.reconcile(key);
        if (running.cluster.services.containsKey(key)) {
            throw new IllegalStateException("it is still there");
        }
        running.berth.later.clear();
    }

    public static void main(String[] args) throws RunnerException, CommandLineOptionException {
        Medians.print(ServiceBench.class, "", args);
    }
}
