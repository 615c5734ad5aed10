package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ForeignServicesTest {
    private final ForeignServices foreign = new ForeignServices();

    private static SampleService web() {
        return SampleService.named(new ServiceKey("prod", "web"), "u1");
    }

    @Test
    void ingressOnAServiceWithoutAClass_isASign_untilItGoes() {
        assertThat(foreign.note(web().ingress("203.0.113.1").build(), false)).isTrue();
        assertThat(foreign.sign()).map(Deference::sign).hasValue("Service prod/web has ingress 203.0.113.1");

        assertThat(foreign.note(web().build(), false)).isTrue();
        assertThat(foreign.sign()).isEmpty();
    }

    /** It is named to people. */
    @Test
    void signThatIsAnotherNow_isNews() {
        ServiceState first = SampleService.named(new ServiceKey("prod", "api"), "u2")
                .ingress("203.0.113.2")
                .build();
        foreign.note(web().ingress("203.0.113.1").build(), false);

        assertThat(foreign.note(first, false)).isTrue();
        assertThat(foreign.sign()).map(Deference::sign).hasValue("Service prod/api has ingress 203.0.113.2");
        assertThat(foreign.note(first, false)).isFalse();
        assertThat(foreign.forget(first.key())).isTrue();
    }

    @Test
    void finalizerAlone_whoeverSetIt_isNoSignForOtherServices() {
        for (String finalizer : new String[] {
            "service.kubernetes.io/load-balancer-cleanup", "service.k8s.aws/resources", WellKnownNames.FINALIZER
        }) {
            assertThat(foreign.note(web().finalizer(finalizer).build(), false)).isFalse();
        }
        assertThat(foreign.sign()).isEqualTo(Optional.empty());
    }

    @Test
    void ingressOfOurs_orOfAClass_isNoSign() {
        assertThat(foreign.note(web().ingress("192.0.2.1").build(), true)).isFalse();
        assertThat(foreign.note(
                        web().loadBalancerClass("x").ingress("203.0.113.1").build(), false))
                .isFalse();
    }
}
