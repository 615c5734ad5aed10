package dev.berth.app;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.config.dependent.DependentResourceSpec;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.processing.event.rate.LinearRateLimiter;
import io.javaoperatorsdk.operator.processing.event.rate.RateLimiter;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import java.time.Duration;
import java.util.Optional;

/**
 * How the operator SDK runs one reconciler.
 *
 * @param service its configuration of the operator, with the workers of this reconciler
 */
record ReconcilerConfiguration<T extends HasMetadata>(
        String name, String reconciler, ConfigurationService service, InformerConfiguration<T> informer)
        implements ControllerConfiguration<T> {
    @Override
    public String getName() {
        return name;
    }

    @Override
    public String getAssociatedReconcilerClassName() {
        return reconciler;
    }

    @Override
    public ConfigurationService getConfigurationService() {
        return service;
    }

    @Override
    public InformerConfiguration<T> getInformerConfig() {
        return informer;
    }

    /** Statuses, labels and annotations count, too. */
    @Override
    public boolean isGenerationAware() {
        return false;
    }

    /** Else the deletion of an object without a finalizer never arrives. */
    @Override
    public boolean triggerReconcilerOnAllEvents() {
        return true;
    }

    /** For bugs alone. */
    @Override
    public Retry getRetry() {
        return new GenericRetry()
                .setInitialInterval(Duration.ofSeconds(5))
                .setIntervalMultiplier(2)
                .setMaxInterval(Duration.ofMinutes(5).toMillis())
                .withoutMaxAttempts();
    }

    @Override
    @SuppressWarnings("rawtypes") // As the SDK has it.
    public RateLimiter getRateLimiter() {
        return LinearRateLimiter.deactivatedRateLimiter();
    }

    /** None: the control loops say when to look again. */
    @Override
    public Optional<Duration> maxReconciliationInterval() {
        return Optional.empty();
    }

    @Override
    public String fieldManager() {
        return "berth";
    }

    /** Berth has no dependent resources. */
    @Override
    public <C> C getConfigurationFor(DependentResourceSpec<?, T, C> spec) {
        throw new UnsupportedOperationException("dependent resources");
    }
}
