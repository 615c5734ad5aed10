package dev.berth.app;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.config.ResolvedControllerConfiguration;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.rate.LinearRateLimiter;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.time.Duration;
import java.util.Map;

/** The reconcilers of an operator. */
record Controllers(Operator operator, ConfigurationService configuration) {
    /**
     * Registers a reconciler with the SDK's own configuration class: Quarkus' one drops the flag that
     * brings deletions of objects without a finalizer. The SDK's retry is for bugs alone; every delay that
     * is meant comes from the control loops.
     */
    <T extends HasMetadata> void register(Reconciler<T> reconciler, String name, InformerConfiguration<T> informer) {
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
}
