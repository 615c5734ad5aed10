package dev.berth.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OperatorMetricsTest {
    private static final int SEEDS = 200;
    private static final ResourceID WEB = new ResourceID("web", "prod");
    static final Service SERVICE = new ServiceBuilder()
            .withNewMetadata()
            .withNamespace("prod")
            .withName("web")
            .withUid("u1")
            .endMetadata()
            .withNewSpec()
            .withType("LoadBalancer")
            .endSpec()
            .build();

    @Test
    void eventsOfAnyShape_inAnyOrder_areAllCounted() {
        for (long seed = 0; seed < SEEDS; seed++) {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            OperatorMetrics metrics = new OperatorMetrics(registry, new ServiceTimes(registry));
            List<Event> events = new ArrayList<>();
            for (ResourceAction action : ResourceAction.values()) {
                events.add(new ResourceEvent(action, WEB, SERVICE));
            }
            // A wake-up, and what a secondary informer sends: no action, no object.
            events.add(new Event(WEB));
            events.add(new Event(WEB));
            Collections.shuffle(events, new Random(seed));

            events.forEach(event -> metrics.eventReceived(event, Map.of(Constants.CONTROLLER_NAME, "service")));
            events.forEach(event -> metrics.eventReceived(event, Map.of()));

            double counted = registry.find("berth.controller.events").counters().stream()
                    .mapToDouble(Counter::count)
                    .sum();
            assertThat(counted).as("seed %s", seed).isEqualTo(2.0 * events.size());
            assertThat(registry.scrape()).as("seed %s", seed).contains("event=\"wakeup\"");
        }
    }

    @Test
    void reconciliations_areCountedByOutcome() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        OperatorMetrics metrics = new OperatorMetrics(registry, new ServiceTimes(registry));
        Map<String, Object> of = Map.of(Constants.CONTROLLER_NAME, "service");

        metrics.reconciliationSucceeded(new Service(), of);

        assertThat(registry.get("berth.controller.reconciliations")
                        .tag("outcome", "done")
                        .counter()
                        .count())
                .isEqualTo(1.0);
    }
}
