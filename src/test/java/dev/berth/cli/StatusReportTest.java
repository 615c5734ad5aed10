package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.HealthCheckPolicy;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatusReportTest {
    private static SampleService web() {
        return SampleService.named(new ServiceKey("shop", "web"), "u1");
    }

    private static StatusReport.Declared declared(String name, int age, Classless classless, Condition... conditions) {
        return new StatusReport.Declared(
                new ClassDeclaration(
                        name,
                        Instant.EPOCH.minusSeconds(age),
                        "berth.dev/" + name,
                        "me",
                        "pool",
                        Map.of(),
                        List.of(),
                        null,
                        HealthCheckPolicy.AUTO,
                        false,
                        classless),
                List.of(conditions));
    }

    private static Condition condition(String type, String status, String reason, String message) {
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .build();
    }

    private static final Condition NOT_ACCEPTED =
            condition("Accepted", "False", "UnknownProvider", "there is no provider \"pool\"");

    private static List<String> report(SampleService service, StatusReport.Declared... classes) {
        return new StatusReport(List.of(classes), List.of(service.build()), 1, 2)
                .text()
                .lines()
                .toList();
    }

    @Test
    void whatIsServed_isCounted() {
        assertThat(report(
                        web().ingress("192.0.2.1"),
                        declared("pool", 1, Classless.AUTO, condition("Accepted", "True", "Accepted", ""))))
                .containsExactly(
                        "1 LoadBalancerClass, \"pool\" is the default",
                        "1 AddressPool, 2 Addresses",
                        "1 LoadBalancer Service, 1 with an address");
    }

    @Test
    void whoHasAnAddress_andAsksForSomethingElse_doesNotWait() {
        dev.berth.loadbalancer.Condition assigned = new dev.berth.loadbalancer.Condition(
                WellKnownNames.ADDRESS_ASSIGNED,
                dev.berth.loadbalancer.Condition.Status.TRUE,
                "InvalidRetain",
                "holds 192.0.2.1; retain is \"yes\"",
                Instant.EPOCH);

        assertThat(report(web().conditions(List.of(assigned)), declared("pool", 1, Classless.AUTO)))
                .endsWith("not as requested\tshop/web\tInvalidRetain: holds 192.0.2.1; retain is \"yes\"");
    }

    @Test
    void withoutADefault_serviceWithoutAClass_isNotServed() {
        assertThat(report(web(), declared("pool", 1, Classless.NEVER)))
                .startsWith("1 LoadBalancerClass, no default class")
                .last()
                .asString()
                .startsWith("not served by Berth\tshop/web\tNoDefaultClass: ");
    }

    @Test
    void defaultThatIsNotAccepted_isNotCalledMissing() {
        assertThat(report(web(), declared("pool", 1, Classless.AUTO, NOT_ACCEPTED)))
                .startsWith("1 LoadBalancerClass, \"pool\" is the default and is not accepted")
                .endsWith(
                        "not accepted\tpool\tUnknownProvider: there is no provider \"pool\"",
                        "not served by Berth\tshop/web\tClassNotAccepted: LoadBalancerClass \"pool\" is not accepted:"
                                + " there is no provider \"pool\"");
    }

    @Test
    void defaultWhoseProviderIsAway_staysTheDefault_whateverTheYoungerOneIs() {
        Condition away = condition("Accepted", "False", "ProviderUnavailable", "plug-in \"far\" cannot be reached");

        assertThat(report(
                        web(),
                        declared("far", 2, Classless.AUTO, away),
                        declared("pool", 1, Classless.AUTO, condition("Accepted", "True", "Accepted", ""))))
                .startsWith("2 LoadBalancerClasses, \"far\" is the default and is not accepted")
                .last()
                .asString()
                .startsWith("not served by Berth\tshop/web\tClassNotAccepted: LoadBalancerClass \"far\"");
    }

    @Test
    void ofTwoDefaults_theOneThatIsAcceptedServes() {
        assertThat(report(
                        web(),
                        declared("odd", 2, Classless.AUTO, NOT_ACCEPTED),
                        declared("pool", 1, Classless.ALWAYS, condition("Accepted", "True", "Accepted", ""))))
                .startsWith("2 LoadBalancerClasses, \"pool\" is the default")
                .noneMatch(line -> line.contains("not served"));
    }

    @Test
    void whatCarriesTheMarkOfAnother_andHasNoAddress_isNotServed_andWhy() {
        StatusReport.Declared pool = declared("pool", 1, Classless.AUTO, condition("Accepted", "True", "Accepted", ""));
        SampleService marked = web().finalizers(List.of("service.kubernetes.io/load-balancer-cleanup"));

        assertThat(report(marked, pool))
                .endsWith("not served by Berth\tshop/web\tServedByOtherController: the Service has finalizer"
                        + " service.kubernetes.io/load-balancer-cleanup set by another controller; remove that"
                        + " controller and its finalizer or status, and Berth takes over");
        assertThat(report(marked.ingress("203.0.113.1"), pool)).noneMatch(line -> line.contains("not served"));
        assertThat(report(marked.loadBalancerClass("example.com/theirs"), pool))
                .noneMatch(line -> line.contains("not served"));
    }

    @Test
    void whatIsLeftToAnotherController_isNotServed_andWhy() {
        Condition deferred =
                condition("ServesClassless", "False", "DeferredToOther", "another controller appears to serve");

        assertThat(report(web(), declared("pool", 1, Classless.AUTO, deferred)))
                .endsWith("not served by Berth\tshop/web\tDeferredToOther: another controller appears to serve");
        assertThat(report(web().loadBalancerClass("berth.dev/pool"), declared("pool", 1, Classless.AUTO, deferred)))
                .noneMatch(line -> line.contains("not served"));
    }
}
