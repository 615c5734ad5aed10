package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.Capabilities.Targets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BackendsTest {
    @Test
    void endpoints_areReadOnce_andOnlyForAProviderThatTargetsThem() {
        AtomicInteger reads = new AtomicInteger();
        Backends backends = new Backends(List.of(), true, () -> {
            reads.incrementAndGet();
            return List.of();
        });

        assertThat(backends.read(Targets.NODE_PORTS).endpoints().get()).isEmpty();
        assertThat(reads).hasValue(0);
        Backends now = backends.read(Targets.ENDPOINTS);
        assertThat(now.endpoints().get()).isEmpty();
        assertThat(now.endpoints().get()).isEmpty();
        assertThat(reads).hasValue(1);
    }
}
