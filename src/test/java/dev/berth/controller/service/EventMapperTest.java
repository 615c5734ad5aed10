package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventMapperTest {
    private static final ServiceKey NAMED = new ServiceKey("prod", "named");
    private static final ServiceKey CLASSLESS = new ServiceKey("prod", "classless");
    private static final List<ServiceState> SERVICES = List.of(
            SampleService.named(NAMED, "1").loadBalancerClass("c").build(),
            SampleService.named(CLASSLESS, "2").build(),
            SampleService.named(new ServiceKey("prod", "internal"), "3")
                    .typeLoadBalancer(false)
                    .build());

    @Test
    void aClass_concernsWhoNamesIt_andWhoNamesNone_forItMayHaveBeenTheDefault() {
        assertThat(EventMapper.keys(new EventMapper.Event.ClassChanged("c"), SERVICES, List.of()))
                .containsExactly(NAMED, CLASSLESS);
        assertThat(EventMapper.keys(new EventMapper.Event.ClassChanged("other"), SERVICES, List.of()))
                .containsExactly(CLASSLESS);
        assertThat(EventMapper.keys(new EventMapper.Event.DeferenceChanged(), SERVICES, List.of()))
                .containsExactly(CLASSLESS);
    }

    @Test
    void aNamespace_concernsWhoWaitsInIt() {
        ServiceKey other = new ServiceKey("dev", "x");

        assertThat(EventMapper.keys(new EventMapper.Event.NamespaceChanged("prod"), SERVICES, List.of(NAMED, other)))
                .containsExactly(NAMED);
    }

    @Test
    void aClusterIp_isOfInterestOnlyWithOurMarks() {
        SampleService internal = SampleService.named(NAMED, "1").typeLoadBalancer(false);

        assertThat(EventMapper.isRelevant(internal.build())).isFalse();
        assertThat(EventMapper.isRelevant(
                        internal.finalizer(WellKnownNames.FINALIZER).build()))
                .isTrue();
        assertThat(EventMapper.isRelevant(null)).isFalse();
    }
}
