package dev.berth.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MeteredProviderTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void whetherAProviderIsAvailable_isShownAsItIsNow() {
        AtomicBoolean isAvailable = new AtomicBoolean();
        MeteredProvider.showAvailability("lb", isAvailable::get, registry);

        assertThat(available()).isZero();
        isAvailable.set(true);
        assertThat(available()).isOne();
    }

    private double available() {
        return registry.get("berth.provider.available")
                .tags("provider", "lb")
                .gauge()
                .value();
    }
}
