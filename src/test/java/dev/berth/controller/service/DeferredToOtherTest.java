package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Services without a class beside one of them that has an address which is not Berth's. */
class DeferredToOtherTest extends CloudStage {
    private void defersBeforeItHasServed() {
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.AUTO);
    }

    private void hasServed() {
        classes = SampleClasses.thatHasServedClassless(CLASS, "cloud", cloud.capabilities());
    }

    private void strangerIsPublished() {
        put(SampleService.named(key("stranger"), "uid-stranger").ingress("203.0.113.77"));
    }

    private void restart() {
        client.relist();
        control = operator();
        control.adopt();
    }

    @Test
    void addressOfAnother_concernsItsServiceAlone_onceTheClassHasServed() {
        hasServed();
        strangerIsPublished();
        create("new");

        reconcile("stranger");
        reconcile("new");

        assertThat(deference()).isEmpty();
        assertThat(service("stranger").hasOurFinalizer()).isFalse();
        assertThat(service("new").publishedAddresses()).hasSize(1);
    }

    @Test
    void addressOfAnother_concernsItsServiceAlone_thoughBerthServesNoOtherWithoutAClass() {
        hasServed();
        served("web");
        strangerIsPublished();
        reconcile("stranger");
        put(SampleService.from(service("web")).typeLoadBalancer(false));
        reconcile("web");
        create("new");

        reconcile("new");

        assertThat(deference()).isEmpty();
        assertThat(service("new").publishedAddresses()).hasSize(1);
    }

    @Test
    void addressOfAnother_concernsItsServiceAlone_afterARestart() {
        hasServed();
        strangerIsPublished();
        create("new");
        restart();

        assertThat(ledger.waiting()).isEmpty();
        reconcile("new");

        assertThat(service("new").publishedAddresses()).hasSize(1);
    }

    @Test
    void addressOfAnother_atTheFirstStart_isASign_untilItGoes() {
        defersBeforeItHasServed();
        strangerIsPublished();
        create("new");
        restart();
        reconcile("new");

        assertThat(deference().orElseThrow().sign()).contains("prod/stranger");
        assertThat(service("new").publishedAddresses()).isEmpty();

        put(SampleService.from(service("stranger")).ingress());
        reconcile("stranger");
        reconcile("new");

        assertThat(deferenceChanges).isEqualTo(1);
        assertThat(deference()).isEmpty();
        assertThat(service("new").publishedAddresses()).hasSize(1);
    }

    /** What Berth writes itself is no event. */
    @Test
    void addressOfAnother_thatBerthTakesOff_isNoSignAnyLonger() {
        defersBeforeItHasServed();
        Owner web = new Owner(key("web"), "uid-web");
        ledger.observe(new Claim(Ip.parse("192.0.2.1"), "claim-web", "1", ClaimSpec.of("edge", "berth.dev/pool", web)));
        put(SampleService.named(key("forged"), "uid-forged")
                .deleting(true)
                .finalizers(List.of(WellKnownNames.FINALIZER, "example.org/keep"))
                .ingress("192.0.2.1"));

        reconcile("forged");

        assertThat(service("forged").publishedAddresses()).isEmpty();
        assertThat(deference()).isEmpty();
        assertThat(deferenceChanges).isEqualTo(2);
    }

    @Test
    void servicesThatBerthServes_areServedOn_whateverElseIsPublished() {
        defersBeforeItHasServed();
        served("web");
        strangerIsPublished();
        restart();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(service("web").publishedAddresses()).hasSize(1);
    }

    @Test
    void restart_queuesNoneWithoutAClass_thatIsLeftToAnotherController() {
        cloud.takesAddresses = true;
        defersBeforeItHasServed();
        put(SampleService.named(key("marked"), "uid-marked")
                .finalizer(WellKnownNames.FINALIZER)
                .conditions(List.of(new Condition(
                        WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.FALSE, "PoolExhausted", "", clock))));
        strangerIsPublished();
        create("new");

        restart();

        assertThat(ledger.waiting()).containsExactly(key("marked"));
    }
}
