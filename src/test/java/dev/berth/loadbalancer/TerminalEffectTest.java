package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a pass ends. */
class TerminalEffectTest {
    private static final Duration BACK_OFF = Duration.ofSeconds(5);

    private static Duration delay(Optional<Duration> again) {
        ServiceFailure denied =
                new ServiceFailure("claiming 192.0.2.1", Reason.ClaimFailed, "denied", new Attempt.TearDown(List.of()));
        return new TerminalEffect.Fail(denied, false, again).delay(BACK_OFF);
    }

    @Test
    void whatFailed_isTriedAgainByTheBackOff_orBefore() {
        assertThat(delay(Optional.empty())).isEqualTo(BACK_OFF);
        assertThat(delay(Optional.of(Duration.ofSeconds(3)))).isEqualTo(Duration.ofSeconds(3));
        assertThat(delay(Optional.of(Duration.ofSeconds(9)))).isEqualTo(BACK_OFF);
    }

    @Test
    void whatFailed_isSaidInTheWordsOfACloudsOwnController() {
        assertThat(ServiceEvent.notSynced("claiming 192.0.2.1: denied"))
                .isEqualTo(new ServiceEvent(
                        ServiceEvent.Type.WARNING,
                        Reason.SyncLoadBalancerFailed,
                        "Error syncing load balancer: claiming 192.0.2.1: denied"));
    }
}
