package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a start learns of the Services that are there. */
class StartTest extends CloudStage {
    private static final ServiceKey ODD = new ServiceKey("odd", "a");

    private void publish(ServiceKey service, String ip) {
        put(SampleService.named(service, "uid-" + service.name())
                .loadBalancerClass("example.com/other")
                .ingress(List.of(new Published(ip, null, null))));
    }

    @Test
    void oneThatADefectKeepsFromBeingLookedAt_endsNoStart_andWhatItPublishesIsNobodyElses() {
        publish(ODD, "192.0.2.1");
        publish(key("web"), "192.0.2.2");
        client.relist();
        failing.add(ODD.namespace());
        control = operator();

        control.adopt();

        assertThat(List.of("192.0.2.1", "192.0.2.2"))
                .allSatisfy(ip -> assertThat(ledger.holding(Ip.parse(ip))).isPresent());
    }
}
