package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.Condition.Status;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServiceStateTest {
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = CREATED.plusSeconds(60);

    private static Optional<Instant> waitsSince(Status status, Instant since) {
        return new SampleService()
                .created(CREATED)
                .conditions(List.of(new Condition(WellKnownNames.ADDRESS_ASSIGNED, status, "PoolExhausted", "", since)))
                .build()
                .waitsSince(NOW);
    }

    @Test
    void serviceThatSaysThatItHasNoAddress_waitsSinceThen() {
        assertThat(waitsSince(Status.FALSE, CREATED)).contains(CREATED);
        assertThat(waitsSince(Status.FALSE, NOW)).contains(NOW);
    }

    /** Anyone who may write a status can date it. */
    @Test
    void dateBeforeTheServiceItself_orStillToCome_isNotBelieved() {
        assertThat(waitsSince(Status.FALSE, CREATED.minusSeconds(1))).isEmpty();
        assertThat(waitsSince(Status.FALSE, NOW.plusSeconds(1))).isEmpty();
    }

    @Test
    void serviceThatSaysNothingOfIt_orHasAnAddress_doesNotWait() {
        assertThat(waitsSince(Status.TRUE, CREATED)).isEmpty();
        assertThat(new SampleService().created(CREATED).build().waitsSince(NOW)).isEmpty();
    }
}
