package dev.berth.app;

import dev.berth.controller.Workers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.config.ResolvedControllerConfiguration;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.rate.LinearRateLimiter;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Function;

/** The reconcilers of an operator. Each has workers of its own: many objects of one kind keep none of another waiting. */
final class Controllers implements AutoCloseable {
    /** Of each kind: more than calls to the API server may be under way, so that there is always a next one. */
    static final int AT_ONCE = 32;

    private final Operator operator;
    private final Function<Workers, ConfigurationService> configurations;
    private final List<ConfigurationService> own = new ArrayList<>();

    /**
     * None yet.
     *
     * @param configurations the operator's configuration, with these workers
     */
    Controllers(Operator operator, Function<Workers, ConfigurationService> configurations) {
        this.operator = operator;
        this.configurations = configurations;
    }

    Operator operator() {
        return operator;
    }

    /**
     * Registers a reconciler with the SDK's own configuration class: Quarkus' one drops the flag that
     * brings deletions of objects without a finalizer. The SDK's retry is for bugs alone; every delay that
     * is meant comes from the control loops.
     */
    <T extends HasMetadata> void register(Reconciler<T> reconciler, String name, InformerConfiguration<T> informer) {
        ConfigurationService configuration = configurations.apply(new Workers(AT_ONCE));
        own.add(configuration);
        keepThread(configuration.getExecutorServiceManager().scheduledExecutorService());
        operator.register(
                reconciler,
                new ResolvedControllerConfiguration<>(
                        name,
                        false,
                        reconciler.getClass().getName(),
                        new GenericRetry()
                                .setInitialInterval(Duration.ofSeconds(5))
                                .setIntervalMultiplier(2)
                                .setMaxInterval(Duration.ofMinutes(5).toMillis())
                                .withoutMaxAttempts(),
                        LinearRateLimiter.deactivatedRateLimiter(),
                        null,
                        null,
                        Map.of(),
                        "berth",
                        configuration,
                        informer,
                        true,
                        null));
    }

    /** Without a thread that it keeps, a timer that has anything to do later wakes up 100 times a second. */
    private static void keepThread(ScheduledExecutorService timer) {
        if (timer instanceof ScheduledThreadPoolExecutor threads) {
            threads.setCorePoolSize(1);
        }
    }

    /** Stops the operator, and then their workers, which the SDK leaves running. */
    @Override
    public void close() {
        try {
            operator.stop();
        } finally {
            own.forEach(configuration ->
                    configuration.getExecutorServiceManager().stop(configuration.reconciliationTerminationTimeout()));
        }
    }
}
