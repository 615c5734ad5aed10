package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Services without a class where no class is the default. */
class NoDefaultClassTest extends CloudStage {
    @BeforeEach
    void noneIsTheDefault() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.NEVER);
        create("web");
        clock = service("web").created().plus(Duration.ofHours(1));
    }

    private void strangerIs(SampleService stranger) {
        put(stranger);
        reconcile("stranger");
    }

    private void isToldThatNoneServesIt() {
        reconcile("web");
        assertThat(recorded.events).singleElement().asString().startsWith("Warning NoDefaultClass: ");
    }

    @Test
    void serviceWithoutAClass_isToldSo_whereThereIsNoSignOfAnother() {
        isToldThatNoneServesIt();
    }

    @Test
    void serviceBesideOneWithAnAddressOfAnother_isToldNothing_untilThatOneGoes() {
        SampleService stranger = SampleService.named(key("stranger"), "uid-stranger");
        strangerIs(stranger.ingress("203.0.113.77"));
        int before = deferenceChanges;

        reconcile("web");
        assertThat(recorded.events).isEmpty();

        strangerIs(stranger.ingress().typeLoadBalancer(false));
        assertThat(deferenceChanges).isEqualTo(before + 1);
        isToldThatNoneServesIt();
    }

    @Test
    void serviceOfACloudsCluster_isToldNothing_untilItsNodesGo() {
        cloudNode = Optional.of(new Deference("Node \"n1\" has providerID aws:///n1"));

        reconcile("web");
        assertThat(recorded.events).isEmpty();
        assertThat(control.deference()).isEqualTo(cloudNode);

        cloudNode = Optional.empty();
        isToldThatNoneServesIt();
    }
}
