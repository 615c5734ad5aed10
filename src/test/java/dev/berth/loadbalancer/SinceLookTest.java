package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import org.junit.jupiter.api.Test;

class SinceLookTest {
    private static ServiceState service(String uid, String resourceVersion) {
        return SampleService.named(new ServiceKey("prod", "web"), uid)
                .resourceVersion(resourceVersion)
                .build();
    }

    @Test
    void whatWasWrittenOfAddresses_counts_whileTheServiceIsAsItWas() {
        ServiceState read = service("u1", "7");

        assertThat(SinceLook.stillCounts(service("u1", "7"), read)).isTrue();
        assertThat(SinceLook.stillCounts(service("u1", "6"), read)).isFalse();
        assertThat(SinceLook.stillCounts(service("u0", "7"), read)).isFalse();
        assertThat(SinceLook.stillCounts(null, read)).isFalse();
    }
}
