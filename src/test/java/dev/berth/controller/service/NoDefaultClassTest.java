package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
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

    private static ClassSet notAccepted(Classless classless) {
        return SampleClasses.ofUnknownProvider(CLASS, classless);
    }

    @Test
    void serviceWithoutAClass_isToldTheFaultOfTheDefault_whereThereIsNoSignOfAnother() {
        classes = notAccepted(Classless.AUTO);
        cloudNode = Optional.of(new Deference("Node \"n1\" has providerID aws:///n1"));
        reconcile("web");
        assertThat(service("web").conditions()).isEmpty();

        cloudNode = Optional.empty();
        reconcile("web");
        assertThat(service("web").condition(WellKnownNames.ADDRESS_ASSIGNED)).hasValueSatisfying(said -> {
            assertThat(said.reason()).isEqualTo("ClassNotAccepted");
            assertThat(said.message()).contains("is not accepted: there is no provider");
        });
    }

    @Test
    void defaultThatServesAlways_saysItsFault_besideACloud_too_onceOthersWouldHaveBegun() {
        classes = notAccepted(Classless.ALWAYS);
        cloudNode = Optional.of(new Deference("Node \"n1\" has providerID aws:///n1"));
        clock = service("web").created().plus(Duration.ofSeconds(10));
        reconcile("web");
        assertThat(service("web").conditions()).isEmpty();

        clock = clock.plus(Duration.ofSeconds(20));
        reconcile("web");
        assertThat(service("web").condition(WellKnownNames.ADDRESS_ASSIGNED)).isPresent();
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
        assertThat(deference()).isEqualTo(cloudNode);

        cloudNode = Optional.empty();
        isToldThatNoneServesIt();
    }
}
