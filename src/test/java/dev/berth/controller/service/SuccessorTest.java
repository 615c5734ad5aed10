package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Next;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.ProviderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Service whose name another bore before, and the provider does not delete what it made for that one. */
class SuccessorTest extends CloudStage {
    @BeforeEach
    void providerThatCannotDelete() {
        served("web");
        cloud.deleteFails = new ProviderException("quota of calls used up");
        put(SampleService.named(key("web"), "uid-new"));
    }

    @Test
    void serviceThatWaitsForItsPredecessorsLoadBalancer_saysWhichOneAndWhy() {
        reconcile("web");

        Condition said =
                service("web").condition(WellKnownNames.ADDRESS_ASSIGNED).orElseThrow();
        assertThat(said.status()).isEqualTo(Condition.Status.FALSE);
        assertThat(said.reason()).isEqualTo("PredecessorNotDeleted");
        assertThat(said.message()).contains("prod/web", "uid-web", "quota of calls used up");
        assertThat(recorded.events)
                .contains("Warning SyncLoadBalancerFailed: Error syncing load balancer: " + said.message());
        assertThat(cloud.calls).containsExactly("delete web[n1]");
    }

    @Test
    void serviceThatWaitsForItsPredecessorsLoadBalancer_isTriedAgainInItsTime_andServedThen() {
        Next next = reconcile("web");
        cloud.deleteFails = null;
        reconcile("web");
        assertThat(cloud.calls).as("before its time").hasSize(1);

        clock = clock.plus(next.delay().orElseThrow());
        reconcile("web");

        assertThat(service("web").ingress()).isNotEmpty();
        assertThat(service("web")
                        .condition(WellKnownNames.ADDRESS_ASSIGNED)
                        .orElseThrow()
                        .status())
                .isEqualTo(Condition.Status.TRUE);
    }

    @Test
    void serviceOfAnotherController_isNotWrittenTo() {
        put(SampleService.named(key("web"), "uid-new").loadBalancerClass("other.test.dev/x"));

        reconcile("web");

        assertThat(service("web").conditions()).isEmpty();
    }
}
