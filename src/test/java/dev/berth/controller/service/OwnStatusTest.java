package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.SampleService;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import org.junit.jupiter.api.Test;

/** What Berth itself took off a status is nobody else's doing. */
class OwnStatusTest extends CloudStage {
    @Test
    void serviceThatIsServedAgain_afterItWasOfAnotherType_isNotOverwritten() {
        served("web");
        put(SampleService.from(service("web")).typeLoadBalancer(false));
        reconcile("web");
        assertThat(service("web").ingress()).isEmpty();

        put(SampleService.from(service("web")).typeLoadBalancer(true));
        reconcile("web");

        assertThat(service("web").ingress()).isNotEmpty();
        assertThat(recorded.events).noneMatch(event -> event.contains("StatusOverwritten"));
    }

    @Test
    void serviceThatIsServedAgain_afterItCouldNotBe_isNotOverwritten() {
        served("web");
        put(SampleService.from(service("web")).ports(new Port("", Protocol.SCTP, 80, 30080)));
        reconcile("web");
        assertThat(service("web").ingress()).isEmpty();

        put(SampleService.from(service("web")).ports(new Port("", Protocol.TCP, 80, 30080)));
        reconcile("web");

        assertThat(service("web").ingress()).isNotEmpty();
        assertThat(recorded.events).noneMatch(event -> event.contains("StatusOverwritten"));
    }

    @Test
    void serviceOfTheSameName_isNoOneWhoseStatusWasOverwritten() {
        served("web");
        put(SampleService.named(key("web"), "uid-next"));
        reconcile("web");

        assertThat(service("web").ingress()).isNotEmpty();
        assertThat(recorded.events).noneMatch(event -> event.contains("StatusOverwritten"));
    }
}
