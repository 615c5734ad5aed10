package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.Delivery;
import dev.berth.loadbalancer.WellKnownNames;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A class that serves no Service whose source ranges its provider cannot enforce. */
class RefusedSourceRangesTest extends CloudStage {
    private static final Delivery RANGES = new Delivery(List.of("198.51.100.0/24"), null, 0);

    @BeforeEach
    void refuse() {
        cloud.enforcesSourceRanges = false;
        classes = SampleClasses.refusingUnenforcedSourceRanges(CLASS, "cloud", cloud.capabilities());
        control = operator();
    }

    private void change(Delivery delivery) {
        put(SampleService.from(service("web")).delivery(delivery));
        reconcile("web");
    }

    @Test
    void serviceWithSourceRanges_isNotServed_andConditionAndEventSayWhy() {
        put(SampleService.named(key("web"), "uid-web").delivery(RANGES));

        reconcile("web");

        assertThat(cloud.calls).noneMatch(call -> call.startsWith("ensure"));
        assertThat(service("web").ingress()).isEmpty();
        assertThat(service("web")
                        .condition(WellKnownNames.UNSUPPORTED)
                        .orElseThrow()
                        .reason())
                .isEqualTo("SourceRangesRefused");
        assertThat(service("web").condition(WellKnownNames.ADDRESS_ASSIGNED).map(Condition::reason))
                .contains("SourceRangesRefused");
        assertThat(recorded.events)
                .anyMatch(event -> event.startsWith("Warning SourceRangesRefused: provider \"cloud\""));
    }

    @Test
    void onceTheRangesAreRemoved_itIsServed_andNotAnyMoreOnceTheyAreBack() {
        put(SampleService.named(key("web"), "uid-web").delivery(RANGES));
        reconcile("web");
        cloud.calls.clear();

        change(Delivery.PLAIN);
        assertThat(service("web").ingress()).extracting(Object::toString).containsExactly("203.0.113.1 (Proxy)");
        assertThat(service("web").condition(WellKnownNames.UNSUPPORTED)).isEmpty();

        change(RANGES);
        assertThat(service("web").ingress()).isEmpty();
        assertThat(cloud.calls).containsExactly("ensure web[n1]", "delete web[n1]");

        change(Delivery.PLAIN);
        assertThat(service("web").ingress()).hasSize(1);
    }
}
