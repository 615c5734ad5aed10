package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A Service whose provider brings its own addresses, and that somebody took our marks off. */
class LostMarksTest extends CloudStage {
    private SampleService webWithoutMarks() {
        return SampleService.from(service("web"))
                .finalizers(List.of())
                .annotation(WellKnownNames.SERVED_BY_CLASS, null)
                .conditions(List.of());
    }

    @Test
    void serviceThatLostOurMarks_getsThemAgain_andIsStillNotifiedOfNodes() {
        served("web");
        put(webWithoutMarks());

        reconcile("web");
        nodesBecome(nodes("n1", "n2"));

        assertThat(service("web").isMarkedOurs()).isTrue();
        assertThat(service("web").servedByClass()).hasValue(CLASS);
        assertThat(cloud.calls).containsExactly("update web[n1, n2]");
    }

    @Test
    void serviceThatLostOurMarks_andIsALoadBalancerNoLonger_isCleanedUp() {
        served("web");
        put(webWithoutMarks().typeLoadBalancer(false));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
        assertThat(service("web").ingress()).isEmpty();
    }

    /** The one before is heard to be gone while the provider is asked for the one that has just been created. */
    @Test
    void serviceThatTheCacheDoesNotKnowYet_isRemembered_thoughItLosesOurMarks() {
        put(SampleService.named(key("web"), "uid-before"));
        client.relist();
        cluster.deleteService(key("web"));
        create("web");
        cloud.meanwhile = client.serviceCache::hear;
        control.reconcile(key("web"));
        put(webWithoutMarks().typeLoadBalancer(false));
        cloud.calls.clear();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
    }

    @Test
    void serviceThatLostOurMarks_isNoSignOfAnotherController() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        served("web");
        put(webWithoutMarks());

        reconcile("web");

        assertThat(deference()).isEmpty();
    }

    /** The marks went while no Berth ran: nothing but the provider's list shows it. */
    private void webLosesItsMarks_acrossARestart(SampleService without) {
        cloud.listed = List.of(new ListedLoadBalancer("b", new ServiceIdentity("prod", "web", "uid-web")));
        put(without);
        client.relist();
        control = operator();
        control.adopt();
        reconcile("web");
        cloud.calls.clear();
        later.clear();
    }

    private void providerIsListed() {
        control.resync(Duration.ofSeconds(1));
        List.copyOf(later).forEach(one -> one.what().run());
        reconcileDue();
    }

    @Test
    void serviceThatLostOurMarksWhileBerthWasDown_isOursAgain_byWhatItsProviderLists() {
        deleteOrphaned = true;
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        served("web");
        webLosesItsMarks_acrossARestart(webWithoutMarks());
        assertThat(service("web").isMarkedOurs()).isFalse();

        providerIsListed();
        nodesBecome(nodes("n1", "n2"));

        assertThat(service("web").isMarkedOurs()).isTrue();
        assertThat(cloud.calls).containsExactly("ensure web[n1]", "update web[n1, n2]");
        assertThat(deference()).isEmpty();
    }

    @Test
    void serviceThatAnotherControllerServesByItsFinalizer_isNotTaken_whateverAProviderLists() {
        served("web");
        webLosesItsMarks_acrossARestart(webWithoutMarks().finalizer("service.kubernetes.io/load-balancer-cleanup"));

        providerIsListed();

        assertThat(cloud.calls).isEmpty();
        assertThat(service("web").isMarkedOurs()).isFalse();
    }

    /** What is published when the operator starts is kept from others; it is not another Service's for that. */
    @Test
    void addressThatAProviderBrought_isStillItsServicesOwn_afterARestart() {
        served("web");
        client.relist();
        control = operator();
        control.adopt();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(recorded.events).noneMatch(event -> event.contains("AnswerRefused"));
        assertThat(service("web").condition(WellKnownNames.PROGRAMMED).map(Condition::status))
                .isNotEqualTo(Optional.of(Condition.Status.FALSE));
    }

    /** As with the gate LoadBalancerIPMode off. */
    @Test
    void ipModeThatTheApiServerDrops_isNoReasonToWriteTheStatusAgainAndAgain() {
        cluster.dropIpMode(true);
        served("web");
        reconcile("web");
        int before = cluster.writes();

        reconcile("web");
        reconcile("web");

        assertThat(cluster.writes()).isEqualTo(before);
        assertThat(service("web").condition(WellKnownNames.ADDRESS_ASSIGNED).map(Condition::message))
                .hasValue("provider \"cloud\" gave 203.0.113.1");
    }

    @Test
    void serviceWhoseClassIsGone_isMarkedAgain_forNothingElseTellsWhoMadeItsLoadBalancer() {
        served("web");
        put(SampleService.from(service("web")).annotation(WellKnownNames.SERVED_BY_CLASS, null));
        ClassSet before = classes;
        classes = ClassSet.empty();
        reconcile("web");
        assertThat(service("web").servedByClass()).hasValue(CLASS);

        client.relist();
        control = operator();
        control.adopt();
        classes = before;
        put(SampleService.from(service("web")).typeLoadBalancer(false));
        cloud.calls.clear();
        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
    }

    /** No event follows the write that marks it: what it says must be true with the mark. */
    @Test
    void serviceWhoseClassIsNotAccepted_saysSo_withTheWriteThatMarksItAgain() {
        served("web");
        put(SampleService.from(service("web")).annotation(WellKnownNames.SERVED_BY_CLASS, null));
        classes = SampleClasses.awaited(CLASS, "cloud");
        reconcile("web");
        int writes = cluster.writes();

        reconcile("web");

        assertThat(cluster.writes()).isEqualTo(writes);
        assertThat(service("web")
                        .condition(WellKnownNames.ADDRESS_ASSIGNED)
                        .orElseThrow()
                        .message())
                .contains("cloud");
    }
}
