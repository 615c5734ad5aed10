package dev.berth.plugin.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SufferingServicesTest {
    private static final Duration LASTING = Duration.ofMinutes(5);

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final SufferingServices suffering = new SufferingServices(() -> now, LASTING);

    private static ServiceIdentity service(String namespace, String name) {
        return new ServiceIdentity(namespace, name, "uid-" + name);
    }

    @Test
    void serviceCountsOnce_untilACallForItSucceeds() {
        assertThat(suffering.failed(service("a", "web"))).isTrue();
        assertThat(suffering.failed(service("a", "web"))).isFalse();

        suffering.succeeded(service("a", "web"));

        assertThat(suffering.failed(service("a", "web"))).isTrue();
    }

    @Test
    void ofOneNamespace_twoCount() {
        assertThat(suffering.failed(service("a", "1"))).isTrue();
        assertThat(suffering.failed(service("a", "2"))).isTrue();
        assertThat(suffering.failed(service("a", "3"))).isFalse();
        assertThat(suffering.failed(service("b", "1"))).isTrue();
    }

    @Test
    void overAPause_allCountFromZero_ifNoCallForAnotherSucceeded() {
        suffering.failed(service("a", "web"));

        suffering.pause();

        assertThat(suffering.failed(service("a", "web"))).isTrue();
    }

    @Test
    void overAPause_nobodyCountsFromZero_asLongAsCallsForOthersSucceed() {
        suffering.failed(service("a", "web"));
        suffering.succeeded(service("b", "web"));

        suffering.pause();

        assertThat(suffering.failed(service("a", "web"))).isFalse();
        now = now.plus(LASTING);
        assertThat(suffering.failed(service("a", "web"))).isTrue();
    }
}
