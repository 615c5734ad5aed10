package dev.berth.telemetry;

import dev.berth.controller.Wakeups;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.source.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.Map;

/**
 * What the operator SDK counts, with the same tags on every meter of a name.
 *
 * <p>The SDK's own bean tags an event on an object with {@code event,action} and any other with {@code
 * event} alone. The Prometheus registry refuses the second shape, by an exception in the informer's
 * handler: the event would be lost.
 */
public final class OperatorMetrics implements Metrics {
    private final MeterRegistry registry;
    private final ServiceTimes serviceTimes;

    public OperatorMetrics(MeterRegistry registry, ServiceTimes serviceTimes) {
        this.registry = registry;
        this.serviceTimes = serviceTimes;
    }

    @Override
    public void eventReceived(Event event, Map<String, Object> metadata) {
        String kind = event instanceof ResourceEvent of && !(event instanceof Wakeups.Wakeup)
                ? name(of.getAction())
                : "wakeup";
        registry.counter("berth.controller.events", "controller", controller(metadata), "event", kind)
                .increment();
        if (event instanceof ResourceEvent of && of.getResource().orElse(null) instanceof Service service) {
            if (of.getAction() == ResourceAction.DELETED) {
                serviceTimes.deleted(service);
            } else if (of.getAction() == ResourceAction.ADDED) {
                serviceTimes.seen(service);
            }
        }
    }

    private static String name(ResourceAction action) {
        return action.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void reconciliationSucceeded(HasMetadata resource, Map<String, Object> metadata) {
        reconciled(metadata, "done");
    }

    @Override
    public void reconciliationFailed(
            HasMetadata resource, RetryInfo retryInfo, Exception exception, Map<String, Object> metadata) {
        reconciled(metadata, "failed");
    }

    private void reconciled(Map<String, Object> metadata, String outcome) {
        registry.counter("berth.controller.reconciliations", "controller", controller(metadata), "outcome", outcome)
                .increment();
    }

    private static String controller(Map<String, Object> metadata) {
        Object name = metadata.get(Constants.CONTROLLER_NAME);
        return name == null ? "unknown" : name.toString();
    }
}
