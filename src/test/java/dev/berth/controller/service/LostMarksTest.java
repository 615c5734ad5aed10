package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassBook;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.ArrayList;
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
    void serviceThatLostOurMarks_getsThemAgain_andIsStillToldOfNodes() {
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
        cloud.meanwhile = client::deliverService;
        control.reconcile(key("web"));
        put(webWithoutMarks().typeLoadBalancer(false));
        cloud.calls.clear();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
    }

    @Test
    void serviceThatLostOurMarks_isNoSignOfAnotherController() {
        served("web");
        put(webWithoutMarks());

        reconcile("web");

        assertThat(control.deference()).isEmpty();
    }

    @Test
    void statusThatSomebodyWrites_doesNotHaveTheOthersLeftAlone() {
        served("web");
        put(SampleService.named(key("forged"), "uid-forged").ingress("203.0.113.77"));
        reconcile("forged");

        assertThat(control.deference()).isEmpty();
        assertThat(service("forged").hasOurFinalizer()).isFalse();
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
        served("web");
        webLosesItsMarks_acrossARestart(webWithoutMarks());
        assertThat(service("web").isMarkedOurs()).isFalse();

        providerIsListed();
        nodesBecome(nodes("n1", "n2"));

        assertThat(service("web").isMarkedOurs()).isTrue();
        assertThat(cloud.calls).containsExactly("ensure web[n1]", "update web[n1, n2]");
        assertThat(control.deference()).isEmpty();
    }

    @Test
    void serviceThatAnotherControllerServesByItsFinalizer_isNotTaken_whateverAProviderLists() {
        served("web");
        webLosesItsMarks_acrossARestart(webWithoutMarks().finalizer("service.kubernetes.io/load-balancer-cleanup"));

        providerIsListed();

        assertThat(cloud.calls).isEmpty();
        assertThat(service("web").isMarkedOurs()).isFalse();
    }

    @Test
    void otherController_isSeenAgain_onceBerthServesNobodyWithoutAClassAnyMore() {
        served("web");
        put(SampleService.named(key("stranger"), "uid-stranger").ingress("203.0.113.77"));
        reconcile("stranger");
        put(SampleService.from(service("web")).typeLoadBalancer(false));

        reconcile("web");

        assertThat(control.deference().orElseThrow().sign()).contains("prod/stranger");
        assertThat(deferenceChanges).isEqualTo(1);
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

    /** Until its provider is asked, nothing but its marks tells that Berth serves Services without a class. */
    @Test
    void restart_isNoSignOfAnotherController_thoughSomebodyForgedAStatus() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        served("web");
        put(SampleService.named(key("forged"), "uid-forged").ingress("203.0.113.77"));
        reconcile("forged");
        create("new");
        ServiceState before = service("new");
        client.relist();
        control = operator();
        control.adopt();

        assertThat(control.deference()).isEmpty();
        reconcile("new");
        assertThat(service("new")).isEqualTo(before);

        reconcile("web");
        reconcileDue();

        assertThat(service("new").publishedAddresses()).hasSize(1);
        assertThat(control.deference()).isEmpty();
    }

    /** Berth serves {@code web}, somebody forged a status, {@code new} waits, and Berth is started again. */
    private void restartBesideAForgedStatus() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        served("web");
        put(SampleService.named(key("forged"), "uid-forged").ingress("203.0.113.77"));
        create("new");
        client.relist();
        control = operator();
        control.adopt();
    }

    @Test
    void restart_isNoSignOfAnotherController_whileTheApiServerDoesNotAnswer() {
        restartBesideAForgedStatus();
        readsFail = true;

        assertThat(reconcile("web").delay()).isPresent();
        reconcile("new");

        assertThat(control.deference()).isEmpty();
        assertThat(control.isDeferenceUnsure()).isTrue();
        readsFail = false;
        reconcile("web");
        reconcileDue();
        assertThat(service("new").publishedAddresses()).hasSize(1);
    }

    @Test
    void restart_isNoSignOfAnotherController_whileTheProviderHasNoPlaceForACall() {
        restartBesideAForgedStatus();

        whileTheClassIsFull(() -> {
            reconcile("web");
            reconcile("new");
            assertThat(control.isDeferenceUnsure()).isTrue();
        });
        assertThat(control.deference()).isEmpty();
        reconcileDue();
        reconcileDue();

        assertThat(service("new").publishedAddresses()).hasSize(1);
    }

    @Test
    void restart_saysNothingElseOfServicesWithoutAClass_untilItIsKnownWhoseTheyAre() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        served("web");
        put(SampleService.named(key("stranger"), "uid-stranger").ingress("203.0.113.77"));
        put(SampleService.from(service("web")).typeLoadBalancer(false));
        put(SampleService.named(key("marked"), "uid-marked")
                .finalizer(WellKnownNames.FINALIZER)
                .conditions(service("web").conditions()));
        client.relist();
        control = operator();
        control.adopt();
        assertThat(control.isDeferenceUnsure()).isTrue();
        classesChanged.clear();

        reconcile("marked");

        assertThat(control.isDeferenceUnsure()).isFalse();
        assertThat(classesChanged).containsExactly("cloud");
    }

    @Test
    void classIsLookedAtAgain_alsoWhereItWasUnsureOnlyWhileOneServiceWasReconciled() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        served("web");
        client.relist();
        control = operator();
        control.adopt();
        classesChanged.clear();
        List<Boolean> unsure = new ArrayList<>();
        cloud.meanwhile = () -> {
            put(SampleService.named(key("stranger"), "uid-stranger").ingress("203.0.113.77"));
            reconcile("stranger");
            unsure.add(control.isDeferenceUnsure());
        };

        reconcile("web");

        assertThat(unsure).containsExactly(true);
        assertThat(control.isDeferenceUnsure()).isFalse();
        assertThat(classesChanged).containsExactly("cloud");
    }

    @Test
    void restart_queuesNoneWithoutAClass_thatAnotherControllerMayServe() {
        cloud.takesAddresses = true;
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        put(SampleService.named(key("marked"), "uid-marked")
                .finalizer(WellKnownNames.FINALIZER)
                .conditions(List.of(new Condition(
                        WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.FALSE, "PoolExhausted", "", clock))));
        put(SampleService.named(key("stranger"), "uid-stranger").ingress("203.0.113.77"));
        create("new");
        client.relist();

        control = operator();
        control.adopt();

        assertThat(ledger.waiting()).containsExactly(key("marked"));
    }

    @Test
    void restart_showsTheOtherController_onceTheProviderWasAskedAndServesNobody() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
        served("web");
        put(SampleService.named(key("stranger"), "uid-stranger").ingress("203.0.113.77"));
        put(SampleService.from(service("web")).typeLoadBalancer(false));
        client.relist();
        control = operator();
        control.adopt();

        reconcile("web");
        reconcileDue();

        assertThat(control.deference().orElseThrow().sign()).contains("prod/stranger");
    }

    @Test
    void serviceWhoseClassIsGone_isMarkedAgain_forNothingElseTellsWhoMadeItsLoadBalancer() {
        served("web");
        put(SampleService.from(service("web")).annotation(WellKnownNames.SERVED_BY_CLASS, null));
        ClassBook before = classes;
        classes = ClassBook.empty();
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
}
