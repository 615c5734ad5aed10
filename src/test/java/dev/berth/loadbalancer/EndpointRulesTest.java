package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.LoadBalancerRequest.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

/** As kube-proxy chooses among the endpoints of a Service. */
class EndpointRulesTest {
    private static Endpoint web(int number) {
        return new Endpoint("web", "10.64.0." + number, 8080, "n1");
    }

    private static EndpointState ready(Endpoint endpoint) {
        return new EndpointState(endpoint, true, true, false);
    }

    private static EndpointState ending(Endpoint endpoint, boolean serving) {
        return new EndpointState(endpoint, false, serving, true);
    }

    private static EndpointState notReady(Endpoint endpoint) {
        return new EndpointState(endpoint, false, false, false);
    }

    @Test
    void onlyThoseThatAreReadyGetPackets() {
        assertThat(EndpointRules.targets(
                        List.of(notReady(web(1)), ready(web(2)), ending(web(3), true), ending(web(4), false))))
                .containsExactly(web(2));
    }

    @Test
    void ifNoneIsReady_thoseThatServeWhileTheyEnd_getThem() {
        assertThat(EndpointRules.targets(List.of(notReady(web(1)), ending(web(3), true), ending(web(4), false))))
                .containsExactly(web(3));
    }

    @Test
    void oneThatServesAndIsNotReady_butDoesNotEnd_getsNone() {
        assertThat(EndpointRules.targets(List.of(new EndpointState(web(1), false, true, false))))
                .isEmpty();
    }

    @Test
    void oneThatEndsAndIsReady_becauseTheServicePublishesAll_getsThem() {
        assertThat(EndpointRules.targets(List.of(new EndpointState(web(1), true, true, true))))
                .containsExactly(web(1));
    }

    @Test
    void eachPortIsJudgedByItself_andEachFamily() {
        Endpoint dns = new Endpoint("dns", "10.64.0.3", 53, "n1");
        Endpoint ipv6 = new Endpoint("web", "2001:db8::2", 8080, "n1");
        assertThat(EndpointRules.targets(List.of(ready(web(2)), ending(dns, true), ending(ipv6, true))))
                .containsExactly(dns, web(2), ipv6);
    }

    @Test
    void twoSlicesThatTellOfOne_tellOfItOnce_andTheirOrderDoesNotMatter() {
        assertThat(EndpointRules.targets(List.of(ready(web(2)), ready(web(1)), ready(web(2)))))
                .isEqualTo(EndpointRules.targets(List.of(ready(web(1)), ready(web(2)))))
                .containsExactly(web(1), web(2));
    }
}
