package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Service that changes its class while the class before, whose provider brought its address, is gone. */
class FormerClassGoneTest extends CloudStage {
    private static final String NOW = "example.com/0";
    private static final String BEFORE = "example.com/1";

    @BeforeEach
    void itsClassIsGone_andItNamesAnother() {
        classesAre(2);
        put(SampleService.named(key("web"), "uid-web").loadBalancerClass(BEFORE));
        reconcile("web");
        assertThat(service("web").servedByClass()).hasValue(BEFORE);
        classesAre(1);
        put(SampleService.from(service("web")).ingress(List.of()).loadBalancerClass(NOW));
    }

    private void classesAre(int number) {
        classes = SampleClasses.ofParameters("cloud", cloud.capabilities(), Collections.nCopies(number, Map.of()));
    }

    private String reason() {
        return service("web")
                .condition(WellKnownNames.ADDRESS_ASSIGNED)
                .map(Condition::reason)
                .orElse("none");
    }

    @Test
    void itIsNotServedByTheNextClass_beforeTheOneBeforeHasDeleted() {
        reconcile("web");

        assertThat(reason()).isEqualTo("ClassMissing");
        classesAre(2);
        cloud.calls.clear();
        reconcile("web");
        assertThat(cloud.calls).containsExactly("delete web[n1]", "ensure web[n1]");
        assertThat(service("web").servedByClass()).hasValue(NOW);
    }

    /** As its condition says to. */
    @Test
    void whoTakesTheMarkOff_hasItServedByTheNextClass() {
        reconcile("web");

        put(SampleService.from(service("web")).annotation(WellKnownNames.SERVED_BY_CLASS, null));
        reconcile("web");

        assertThat(reason()).isEqualTo("Assigned");
        assertThat(service("web").servedByClass()).hasValue(NOW);
        assertThat(service("web").ingress()).isNotEmpty();
    }

    @Test
    void serviceThatLosesAllMarks_getsThemAgain_andSaysWhyItWaits() {
        put(SampleService.from(service("web"))
                .finalizers(List.of())
                .annotation(WellKnownNames.SERVED_BY_CLASS, null)
                .conditions(List.of()));

        reconcile("web");

        assertThat(reason()).isEqualTo("ClassMissing");
        assertThat(service("web").servedByClass()).hasValue(BEFORE);
    }

    /** The create of an Address got lost, and landed when another class served the Service, and is gone. */
    @Test
    void claimThatLandsLate_doesNotHaveItForgottenWhoServesIt() {
        put(SampleService.from(service("web")).ingress("203.0.113.1").loadBalancerClass(BEFORE));
        ledger.observe(cluster.putClaim(new Claim(
                Ip.parse("192.0.2.1"),
                cluster.newUid(),
                "",
                ClaimSpec.of(null, NOW, new Owner(key("web"), "uid-web")))));

        reconcile("web");

        assertThat(reason()).isEqualTo("ClassMissing");
        assertThat(service("web").servedByClass()).hasValue(BEFORE);
        assertThat(service("web").ingress()).isNotEmpty();
        classesAre(2);
        reconcile("web");
        assertThat(reason()).isEqualTo("Assigned");
        assertThat(cluster.claims).isEmpty();
    }

    /** A limit, see docs/reliability.md: the mark on the Service has the class, and not its parameters. */
    @Test
    void whatAClassMade_thatWasCreatedAgainBeforeARestart_isDeletedWithTheParametersThatItHasNow() {
        classesAre(Map.of("zone", "a"));
        put(SampleService.named(key("other"), "uid-other").loadBalancerClass(NOW));
        reconcile("other");
        control = operator();
        classesAre(Map.of("zone", "b"));
        cloud.requests.clear();

        put(SampleService.from(service("other")).typeLoadBalancer(false));
        reconcile("other");

        assertThat(cloud.requests).extracting(LoadBalancerRequest::parameters).containsExactly(Map.of("zone", "b"));
        assertThat(service("other").ingress()).isEmpty();
    }

    private void classesAre(Map<String, String> parameters) {
        classes = SampleClasses.ofParameters("cloud", cloud.capabilities(), List.of(parameters));
    }
}
