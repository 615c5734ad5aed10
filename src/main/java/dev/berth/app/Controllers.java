package dev.berth.app;

import dev.berth.controller.Workers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.config.ExecutorServiceManager;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The reconcilers of an operator. Each has workers of its own: many objects of one kind keep none of another waiting. */
final class Controllers implements AutoCloseable {
    /** For each kind: more than the 16 calls to the API server that may be under way, so that one is ready for the next turn. */
    static final int AT_ONCE = 32;

    /** How long to wait, at the end, for what is just being done, and as long again when it is interrupted. */
    private static final Duration ENDING = Duration.ofSeconds(1);

    private final Operator operator;
    private final Function<Workers, ConfigurationService> configurations;
    private final List<ConfigurationService> own = new ArrayList<>();
    private final List<Workers> workers = new ArrayList<>();
    private final Duration ending;

    /**
     * None yet.
     *
     * @param configurations the operator's configuration, with these workers
     */
    Controllers(Operator operator, Function<Workers, ConfigurationService> configurations) {
        this(operator, configurations, ENDING);
    }

    /** With another time to wait at the end, twice at most. */
    Controllers(Operator operator, Function<Workers, ConfigurationService> configurations, Duration ending) {
        this.operator = operator;
        this.configurations = configurations;
        this.ending = ending;
    }

    Operator operator() {
        return operator;
    }

    /**
     * Registers a reconciler. The SDK's retry is for bugs alone; every delay that is meant comes from the control loops.
     */
    <T extends HasMetadata> void register(Reconciler<T> reconciler, String name, InformerConfiguration<T> informer) {
        Workers itsOwn = new Workers(AT_ONCE);
        workers.add(itsOwn);
        ConfigurationService configuration = configurations.apply(itsOwn);
        own.add(configuration);
        keepThread(configuration.getExecutorServiceManager().scheduledExecutorService());
        operator.register(
                reconciler,
                new ReconcilerConfiguration<>(name, reconciler.getClass().getName(), configuration, informer));
    }

    /** Without a thread that it keeps, a timer that has anything to do later wakes up 100 times a second. */
    private static void keepThread(ScheduledExecutorService timer) {
        if (timer instanceof ScheduledThreadPoolExecutor threads) {
            threads.setCorePoolSize(1);
        }
    }

    /**
     * Stops the operator, and then the workers and timers, which the SDK leaves running. What is being reconciled may end,
     * and is interrupted if it does not.
     *
     * @throws IllegalStateException if some of it is still running: it may still write
     */
    @Override
    public void close() {
        try {
            operator.stop();
        } finally {
            workers.forEach(Workers::shutdown);
            if (!haveEnded()) {
                workers.forEach(Workers::shutdownNow);
            }
            for (ConfigurationService configuration : own) {
                ExecutorServiceManager threads = configuration.getExecutorServiceManager();
                threads.scheduledExecutorService().shutdownNow();
                threads.stop(Duration.ZERO);
            }
        }
        if (!haveEnded()) {
            throw new IllegalStateException(
                    workers.stream().mapToInt(Workers::getActiveCount).sum() + " reconciliations are still running");
        }
    }

    private boolean haveEnded() {
        long until = System.nanoTime() + ending.toNanos();
        try {
            for (Workers one : workers) {
                if (!one.awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    return false;
                }
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            return false;
        }
        return true;
    }
}
